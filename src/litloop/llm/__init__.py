"""Everything sent to a language model: profiles, paths, structured replies, budget, prices, compression."""
