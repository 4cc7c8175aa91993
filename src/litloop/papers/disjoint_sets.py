"""Disjoint sets: what is joined with what."""

from __future__ import annotations

from collections import defaultdict


class DisjointSets:
    """Disjoint sets over numbers. Its groups come in the order of their smallest member."""

    def __init__(self, size: int, among: set[int] | None = None) -> None:
        self._parent = list(range(size))
        self._among = among

    def root(self, at: int) -> int:
        while self._parent[at] != at:
            self._parent[at] = self._parent[self._parent[at]]
            at = self._parent[at]
        return at

    def join(self, one: int, other: int) -> None:
        low, high = sorted((self.root(one), self.root(other)))
        self._parent[high] = low

    def groups(self) -> list[tuple[int, ...]]:
        found: dict[int, list[int]] = defaultdict(list)
        for at in range(len(self._parent)) if self._among is None else sorted(self._among):
            found[self.root(at)].append(at)
        return [tuple(members) for members in found.values()]
