"""Where conditions sit in the brain, as the labels of their papers say it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from litloop.core.records import Labels, LabelValue

# Several regions stand in one label, parted by commas; a comma within parentheses belongs to its region.
_WRITTEN_LIST = " []'\""  # some labels of the NeuLitTrace corpus are lists written out as text
_PARTING = re.compile(r"[,;]\s*(?![^()]*\))")


def conditions_in(labels: Iterable[Labels]) -> Mapping[str, Mapping[str, Any]]:
    """condition -> rarity, regions as the literature names them, regions of the atlas, conditions that overlap.

    `labels` are those of papers; what several papers of one condition say is joined in the order in which it comes.
    """
    found: dict[str, dict[str, Any]] = {}
    for of_paper in labels:
        for condition in _several(of_paper.get("condition")):
            entry = found.setdefault(
                condition, {"rarity": None, "regions": [], "atlas_labels": [], "overlaps_with": []}
            )
            entry["rarity"] = entry["rarity"] or next(iter(_several(of_paper.get("rarity"))), None)
            _join(entry["regions"], _parted(of_paper.get("region_literature") or of_paper.get("regions")))
            _join(entry["atlas_labels"], _parted(of_paper.get("atlas_label") or of_paper.get("atlas_labels")))
            _join(entry["overlaps_with"], _several(of_paper.get("overlaps_with")))
    return found


def _several(label: LabelValue | None) -> list[str]:
    if label is None:
        return []
    values = label if isinstance(label, tuple) else (label,)
    return [str(value).strip() for value in values if str(value).strip()]


def _parted(label: LabelValue | None) -> list[str]:
    parts = [part.strip(_WRITTEN_LIST) for value in _several(label) for part in _PARTING.split(value)]
    return [re.sub(r"^and\s+", "", part) for part in parts if part]


def _join(known: list[str], more: Iterable[str]) -> None:
    for value in more:
        if value.casefold() not in (one.casefold() for one in known):
            known.append(value)
