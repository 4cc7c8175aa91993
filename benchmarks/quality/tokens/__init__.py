"""What prompts cost, what compression saves, and whether the evidence survives it."""
