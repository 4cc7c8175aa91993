"""What is said when a filter leaves nothing of a collection to search: which one it was, and what it kept away."""

from __future__ import annotations

from collections.abc import Iterator

from litloop.core.filters import Filters
from litloop.index.engine import Snapshot

ANY_YEAR = Filters(year_from=0)


def nothing_passes(filters: Filters, snapshot: Snapshot, papers: int) -> str | None:
    """A sentence or two when no passage passes `filters`, None when one does. `papers` are those of the collection."""
    if not filters or not papers or snapshot.passing(filters):
        return None
    there = "there is 1 paper" if papers == 1 else f"there are {papers} papers"
    each = dict(_one_by_one(filters))
    guilty = [name for name, alone in each.items() if not snapshot.passing(alone)]
    asks_year = any(name.startswith(("since ", "until ")) for name in guilty)
    undated = " None of the papers has a year." if asks_year and not snapshot.passing(ANY_YEAR) else ""
    if not guilty:
        return f"No paper passes these filters together: {', '.join(each)}. Without them {there}."
    what = f"the filter '{guilty[0]}'" if len(guilty) == 1 else "any of the filters " + ", ".join(guilty)
    rest = "it" if len(each) == 1 else "filters"
    return f"No paper passes {what}; without {rest} {there}.{undated}"


def _one_by_one(filters: Filters) -> Iterator[tuple[str, Filters]]:
    """Each filter as it is typed, and alone."""
    if filters.year_from is not None:
        yield f"since {filters.year_from}", Filters(year_from=filters.year_from)
    if filters.year_to is not None:
        yield f"until {filters.year_to}", Filters(year_to=filters.year_to)
    for name, values in filters.labels.items():
        yield f"{name}={' or '.join(values)}", Filters(labels={name: values})
