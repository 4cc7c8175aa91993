"""What filters mean, written down plainly: the reference that engines and explanations are held against."""

from __future__ import annotations

from litloop.core.filters import Filters
from litloop.core.records import Labels
from litloop.index.filters import filter_values


def matches(filters: Filters, year: int | None, labels: Labels) -> bool:
    """Whether one passage passes. Years are inclusive, and a passage without a year passes no year bound."""
    if filters.year_from is not None and (year is None or year < filters.year_from):
        return False
    if filters.year_to is not None and (year is None or year > filters.year_to):
        return False
    return all(
        name in labels and not set(filter_values(labels[name])).isdisjoint(wanted)
        for name, wanted in filters.labels.items()
    )
