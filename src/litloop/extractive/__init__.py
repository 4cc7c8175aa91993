"""Reading without a model: which sentences of the passages found answer the question."""
