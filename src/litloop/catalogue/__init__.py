"""SQLite, the source of truth: collections, papers, texts, passages, files and their hashes, the outbox."""
