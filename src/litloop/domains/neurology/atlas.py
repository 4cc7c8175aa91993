"""Where conditions sit in the brain, as the labels of their papers say it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from litloop.core.labels import label_rows
from litloop.core.records import Labels, LabelValue

_WRITTEN_LIST = " []'\""  # some labels of the NeuLitTrace corpus are lists written out as text
_AND = re.compile(r"^and\s+")
# "Frontal, temporal, and parietal regions": adjectives that share the noun at the end are one entry.
_ADJECTIVE = re.compile(
    r"(?>(?:(?:and|or)\s++)?[\w-]*(?:al|ar|ic|ior|left|right|bilateral|deep)(?:\s++|$))++", re.IGNORECASE
)
_SHARED_NOUN = re.compile(
    r"(?:regions?|areas?|lobes?|cort(?:ex|ices|ical areas)|gyri|lobules?|poles?|junctions?|structures?|nuclei)\b",
    re.IGNORECASE,
)


def conditions_in(labels: Iterable[Labels]) -> Mapping[str, Mapping[str, Any]]:
    """condition -> rarity, regions as the literature names them, regions of the atlas, conditions that overlap.

    `labels` are those of papers; what several papers of one condition say is joined in the order in which it comes.
    Of a paper that its file lists under several conditions, each row speaks for its own condition.
    """
    found: dict[str, dict[str, Any]] = {}
    for row in (row for of_paper in labels for row in label_rows(of_paper)):
        for condition in _several(row.get("condition")):
            entry = found.setdefault(
                condition, {"rarity": None, "regions": [], "atlas_labels": [], "overlaps_with": []}
            )
            entry["rarity"] = entry["rarity"] or next(iter(_several(row.get("rarity"))), None)
            _join(entry["regions"], _parted(row.get("region_literature") or row.get("regions")))
            _join(entry["atlas_labels"], _parted(row.get("atlas_label") or row.get("atlas_labels")))
            _join(entry["overlaps_with"], _several(row.get("overlaps_with")))
    return found


def _several(label: LabelValue | None) -> list[str]:
    if label is None:
        return []
    values = label if isinstance(label, tuple) else (label,)
    return [str(value).strip() for value in values if str(value).strip()]


def _parted(label: LabelValue | None) -> list[str]:
    groups = [group for value in _several(label) for group in _split(value, ";")]
    parts = [part.strip(_WRITTEN_LIST) for group in groups for part in _regions_of(group)]
    return [_AND.sub("", part) for part in parts if part]


def _regions_of(group: str) -> list[str]:
    """The regions between two semicolons."""
    parts = [part.strip(_WRITTEN_LIST) for part in _split(group, ",")]
    *first, last = parts
    lead = _ADJECTIVE.match(last)
    shares = lead is not None and _SHARED_NOUN.match(last, lead.end()) is not None
    if first and shares and all(_ADJECTIVE.fullmatch(part) for part in first):
        return [group]
    return parts


def _split(text: str, sign: str) -> list[str]:
    """Several regions stand in one label, parted by semicolons or commas; one in parentheses belongs to its region."""
    parts: list[list[str]] = [[]]
    depth = 0
    for piece in re.split(r"([();,])", text):
        depth = max(0, depth + (piece == "(") - (piece == ")"))
        if piece == sign and not depth:
            parts.append([])
        else:
            parts[-1].append(piece)
    return ["".join(part) for part in parts]


def _join(known: list[str], more: Iterable[str]) -> None:
    met = {one.casefold() for one in known}
    for value in more:
        if value.casefold() not in met:
            known.append(value)
            met.add(value.casefold())
