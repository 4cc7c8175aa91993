"""The scholarly databases and web engines: one adapter each, fan-out, ranking, citation snowballing, full texts."""
