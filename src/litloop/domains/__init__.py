"""What a field of knowledge adds. The engine knows nothing of any field."""
