"""Records, requests, events, errors, identifiers, settings, logs, clock and paths: what every other package may use."""
