"""Everything said to a language model goes through here: paths, structured output, budget, compression."""
