"""The deterministic parser of questions and its tables."""
