"""A query becomes ranked hits: hybrid search, fusion, boosts, reranking, confidence."""
