"""A file becomes papers with page-anchored text."""
