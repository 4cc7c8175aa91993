"""What text bears: sentences, quotes and their places, numbers, units, negations, entities, markers."""
