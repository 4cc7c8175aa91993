"""What filters mean: one definition that every leg and every engine must meet.

A label holds one value or several; all are compared as text, so a filter can be typed: True is "true", 3 is "3".
"""

from __future__ import annotations

from litloop.core.filters import Filters
from litloop.core.records import LabelValue

FilterKey = tuple[int | None, int | None, tuple[tuple[str, tuple[str, ...]], ...]]


def filter_values(value: LabelValue) -> tuple[str, ...]:
    """The values that a filter may name to match this label."""
    if isinstance(value, tuple):
        return value
    if isinstance(value, bool):
        return ("true" if value else "false",)
    return (str(value),)


def bounded_year(year: int) -> int:
    """A year that an index can hold. Nonsense stays nonsense, but does not stop a batch."""
    return min(max(year, -(2**31) + 1), 2**31 - 1)


def filter_key(filters: Filters) -> FilterKey:
    """The same for filters that mean the same, and hashable."""
    labels = tuple(sorted((name, tuple(sorted(set(wanted)))) for name, wanted in filters.labels.items()))
    return (filters.year_from, filters.year_to, labels)
