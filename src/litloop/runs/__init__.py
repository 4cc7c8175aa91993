"""What past runs left: the ledger, cached and recorded replies, in a database of their own (runs.db)."""
