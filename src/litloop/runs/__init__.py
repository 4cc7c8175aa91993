"""What past runs left: the ledger, in a database of its own."""
