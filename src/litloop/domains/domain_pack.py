"""What a field of knowledge adds: data and a few callables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from litloop.core.records import Labels


@dataclass(frozen=True, slots=True)
class DomainPack:
    """What a field of knowledge adds: data and a few callables. The engine knows no field by itself."""

    name: str
    title: str
    topic_label: str | None = None  # the label whose values are the topics of this domain ("condition")
    boosts: Sequence[tuple[str, str, float]] = ()  # (label, value, factor), as NeuLitTrace's rare x 1.6
    sparse_below: int = 10  # papers on the matched topic under which an answer says "sparse coverage"
    answer_fields: Sequence[str] = ()  # what a summary should say apart, by name
    alternatives: str = ""  # which other topics a summary should name: "other conditions that …"
    example_questions: Sequence[str] = ()
    generic_hint: str = ""  # what a better question looks like
    is_generic: Callable[[str], bool] | None = None
    demo_corpus: Path | None = None
    # labels of papers -> what they say of each topic: rarity, regions, atlas_labels, overlaps_with
    atlas: Callable[[Iterable[Labels]], Mapping[str, Mapping[str, Any]]] | None = None
    brain: Callable[[Path], Mapping[str, Any]] | None = None  # the atlas as shapes, kept in the folder given
    regions_named: Callable[[str, Sequence[Mapping[str, Any]]], Sequence[int]] | None = None  # of an atlas label
