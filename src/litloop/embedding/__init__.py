"""Texts become unit vectors: embedders, their fingerprints, and token counting in the embedder's own tokens."""
