"""What a hit must be."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from litloop.core.errors import UsageError


@dataclass(frozen=True, slots=True)
class Filters:
    """What a hit must be. Several values of one label are alternatives; several labels must all hold.

    Raises UsageError for a year that is no number and for a label whose values are no texts.
    """

    year_from: int | None = None
    year_to: int | None = None
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for year in (self.year_from, self.year_to):
            if year is not None and (not isinstance(year, int) or isinstance(year, bool)):
                raise UsageError(f"year_from and year_to are years, not {year!r:.60}.")
        if not isinstance(self.labels, Mapping) or not all(map(_are_texts, self.labels.values())):
            raise UsageError(
                "labels has a text or several for each label, as in labels={'topic': ('floods', 'droughts')}."
            )
        # A value alone would be taken for the values of its letters, which no paper has.
        values = {name: (given,) if isinstance(given, str) else tuple(given) for name, given in self.labels.items()}
        object.__setattr__(self, "labels", values)

    def __bool__(self) -> bool:
        return self.year_from is not None or self.year_to is not None or bool(self.labels)


def _are_texts(values: object) -> bool:
    return isinstance(values, str) or (
        isinstance(values, Collection) and all(isinstance(value, str) for value in values)
    )
