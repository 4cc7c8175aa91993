"""What past runs left in runs.db: their events, the ledger of model calls, cached and recorded replies."""
