"""Measuring retrieval: test collections, metrics, baselines, significance, calibration, reports."""
