"""A plan of weighted queries becomes ranked hits."""
