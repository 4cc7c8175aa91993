"""Works: what makes two records one, how they are merged, and how versions of a work are linked.

`identity.py` decides (its rules are in `rules.py`, what only hints at one work in `weak_links.py`), `merging.py` and
`reconciliation.py` join what databases say of a work, `union.py` what files give of it.
"""
