"""Whether a cited text bears a sentence, decided without a language model."""
