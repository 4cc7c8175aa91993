"""One file per judgement, each with its prompt, its schema, its model path and its offline path."""
