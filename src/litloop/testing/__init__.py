"""Test doubles for what is outside litloop, for its own tests and for those of plugins. Nothing else imports them."""
