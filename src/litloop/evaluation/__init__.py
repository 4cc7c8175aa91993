"""Metrics, collections, runner, baselines, significance, calibration."""
