"""Who reads and embeds for a run: this machine, or the nodes of a Ray cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from litloop.core.settings import EmbeddingSettings
from litloop.embedding.protocol import Embedder
from litloop.ingest.adder import FilePool
from litloop.ingest.paper_store import PASSAGES_PER_WINDOW
from litloop.reading import ReadingLimits, ReadingPool


@dataclass(frozen=True, slots=True)
class IngestBackend:
    """`window` is how many passages are embedded at a time: enough to keep every worker busy."""

    pool: FilePool
    embedder: Embedder
    window: int = PASSAGES_PER_WINDOW


@contextmanager
def ingest_backend(
    limits: ReadingLimits, embedder: Embedder, settings: EmbeddingSettings, ray: str | None
) -> Iterator[IngestBackend]:
    """The backend of one run. `ray` is the address of a cluster, None to stay on this machine.

    Raises MissingExtra or LibraryError when the cluster cannot be used.
    """
    if ray is None:
        with ReadingPool(limits) as pool:
            yield IngestBackend(pool, embedder)
        return
    from litloop.ingest.ray_backend import TEXTS_PER_TASK, EmbedderChoice, RayEmbedder, RayWorkers

    choice = EmbedderChoice(
        embedder.name, embedder.fingerprint, settings.runtime, settings.precision, settings.batch_size
    )
    with RayWorkers(ray, limits, choice) as workers:
        window = max(PASSAGES_PER_WINDOW, workers.count * TEXTS_PER_TASK)
        yield IngestBackend(workers, RayEmbedder(embedder, workers), window)
