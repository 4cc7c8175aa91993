"""What a hit must be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Filters:
    """What a hit must be. Several values of one label are alternatives; several labels must all hold."""

    year_from: int | None = None
    year_to: int | None = None
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # A value alone would be taken for the values of its letters, which no paper has.
        values = {name: (given,) if isinstance(given, str) else tuple(given) for name, given in self.labels.items()}
        object.__setattr__(self, "labels", values)

    def __bool__(self) -> bool:
        return self.year_from is not None or self.year_to is not None or bool(self.labels)
