"""One run over a library; replay of past runs; search with paraphrases and a synthesis."""
