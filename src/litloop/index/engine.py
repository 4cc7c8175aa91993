"""The engine seam: what litloop asks of whatever holds the rebuildable half of a library.

The catalogue is the truth; an engine can be thrown away and built again from it. Passages are known to an
engine by integer keys that are never used twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from litloop.core.filters import Filters
from litloop.core.records import Labels

if TYPE_CHECKING:
    from litloop.index.vectors import VectorStore

Keys = NDArray[np.int64]
Scores = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Passage keys, best first, with one signal's own scores. Both (n,)."""

    keys: Keys
    scores: Scores

    def __len__(self) -> int:
        return len(self.keys)


@dataclass(frozen=True, slots=True)
class IndexPassage:
    """What an engine is told of one passage."""

    key: int
    terms: Sequence[str]  # analysed: title, headings and text
    vector: NDArray[np.float32] | None  # None when the engine is to read it from the vector store
    vector_hash: bytes  # of the exact embedded string
    year: int | None
    labels: Labels


@dataclass(frozen=True, slots=True)
class IndexBatch:
    """Changes to one collection, ending at outbox row `seq`. Applying it twice is harmless.

    A `seq` of 0 claims nothing: the parts of a rebuild carry it, all but the last.

    Adding a key that is there replaces it (its year or labels changed). A key in both lists ends removed: keys are
    never used twice, so the removal came later.
    """

    collection: int
    seq: int
    add: Sequence[IndexPassage]
    remove: Sequence[int]  # passage keys


class Snapshot(Protocol):
    """One collection as it was when the snapshot was taken. Pinned for the length of a query."""

    seq: int
    count: int
    unknown: int  # hits left out so far because the snapshot does not know their key
    without_vector: int  # passages whose vector was lost, which cannot be found by meaning

    def sparse(self, terms: Mapping[str, float], k: int, filters: Filters) -> Ranking:
        """BM25 over weighted query terms (already analysed); terms that do not weigh more than 0 are left out."""
        ...

    def dense(self, vector: NDArray[np.float32], k: int, filters: Filters) -> Ranking:
        """Cosine against unit vectors."""
        ...

    def passing(self, filters: Filters) -> int:
        """How many passages a filter leaves."""
        ...

    def values_of(self, label: str) -> Sequence[str] | None:
        """The values that passages carry under a label, sorted; None when the engine cannot list them."""
        ...

    def vectors(self, keys: Sequence[int]) -> NDArray[np.float32]:
        """(len(keys), dimension), for feedback, centroids and duplicate checks."""
        ...

    def document_frequency(self, terms: Sequence[str]) -> Mapping[str, int]:
        """In how many passages each analysed term occurs."""
        ...


class Engine(Protocol):
    @property
    def store(self) -> VectorStore:
        """The embedding cache on this machine: what is `missing` there has to be embedded before it is applied."""
        ...

    def folder(self, collection: int) -> Path:
        """Where what is derived from a collection (its topics) may be kept on this machine."""
        ...

    def apply(self, batch: IndexBatch) -> None: ...

    def snapshot(self, collection: int) -> Snapshot: ...

    def applied(self, collection: int) -> int:
        """The last outbox row this engine holds, 0 for none."""
        ...

    def stale(self, collection: int) -> str | None:
        """Why the engine's copy must be dropped and built again (another embedder or analyser), or None."""
        ...

    def damage(self, collection: int) -> str | None:
        """Why the engine's copy cannot be read and must be built again, or None. Cheap: asked at every change."""
        ...

    def sealed(self, collection: int) -> bool:
        """Whether every file of the copy has a checksum. Not after a writer died, nor in an index of before 0.2."""
        ...

    def seal(self, collection: int) -> None:
        """Give the files of the copy their checksums, as they are now."""
        ...

    def problems(self, collection: int) -> list[str]:
        """Disagreement between the engine's own parts, and damage, in sentences. May read all of it."""
        ...

    def keys(self, collection: int) -> Keys:
        """Every passage key the engine holds, sorted: `verify` compares it with the catalogue."""
        ...

    def has_vectors(self, hashes: Sequence[bytes]) -> Sequence[bool]:
        """Which of these vectors are there, for `verify`."""
        ...

    def begin(self, collection: int) -> None:
        """Start the copy of a collection anew. What was there may go on answering until a batch claims a number."""
        ...

    def drop(self, collection: int) -> None: ...

    def compact(self) -> int:
        """Give back room, where the engine does not do so by itself; how many vectors went. Between jobs only."""
        ...

    def close(self) -> None: ...
