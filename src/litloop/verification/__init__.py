"""Checks of a written answer: every citation and every differential, against the original text."""
