"""The loops: orchestration only."""
