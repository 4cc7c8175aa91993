"""What can be rebuilt from the catalogue: BM25, vectors and topics, behind the engine interface."""
