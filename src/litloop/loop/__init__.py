"""The search loop and the research loop, with the judgements they make: relevance, refinement, expansion, coverage."""
