"""How far one list of words stands in another in the same order."""

from __future__ import annotations

import bisect
from collections.abc import Sequence


def common_in_order(wanted: Sequence[str], words: Sequence[str]) -> int:
    """How many of `wanted` stand in `words` in the same order: the length of the longest common subsequence.

    Found as the longest rising run of places. Source: Hunt and Szymanski 1977.
    """
    places: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        places.setdefault(word, []).append(place)
    ends: list[int] = []
    for word in wanted:
        for place in reversed(places.get(word, ())):
            at = bisect.bisect_left(ends, place)
            ends[at : at + 1] = [place]
    return len(ends)
