"""Stand-ins for what is outside litloop, for its tests and for the tests of plugins. Nothing else imports them."""
