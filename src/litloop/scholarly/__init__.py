"""Outside literature: one small adapter per database, fan-out, identity and merging, snowball, full text."""
