"""How much is measured: all of it, or a little of everything to see that it runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.places import data_folder


@dataclass(frozen=True)
class Extent:
    beside_engines: int = 100_000  # passages that litloop and the engines of others are asked over
    beside_frameworks: int = 10_000  # and the frameworks, of which one keeps a file for each
    sizes: tuple[int, ...] = (1_000, 10_000, 100_000, 1_000_000)
    papers: int | None = None  # of SciFact; None: all 5,183
    web_questions: int = 40  # each waits for the web
    asks: int = 40
    clients: int = 32
    load_s: float = 20
    requests: int = 2_000  # while the server's memory is watched


WHOLE = Extent()
SMALL = Extent(2_000, 500, (200, 2_000, 4_000), 120, 3, 3, 4, 2, 40)


@dataclass(frozen=True)
class Place:
    """Where the data is, and where what a run makes is put."""

    data: Path  # SciFact: corpus.jsonl.gz and queries.jsonl.gz
    work: Path

    @property
    def corpus(self) -> Path:
        return self.data / "corpus.jsonl.gz"

    @property
    def queries(self) -> Path:
        return self.data / "queries.jsonl.gz"

    @property
    def library(self) -> Path:
        """SciFact with the default model: made by the indexing part, searched and served by others."""
        return self.work / "scifact"


DATA = data_folder() / "collections" / "scifact"
