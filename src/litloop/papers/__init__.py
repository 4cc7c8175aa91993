"""Works: what makes two records one, how they are merged, and how versions of a work are linked."""
