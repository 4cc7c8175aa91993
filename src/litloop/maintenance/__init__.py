"""Looking after a library: status, verify, reindex, export, migrate, and the checks of `litloop doctor`."""
