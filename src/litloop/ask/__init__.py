"""One question asked of a library; past runs replayed; searches with paraphrases and a synthesis."""
