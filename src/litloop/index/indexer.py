"""The outbox becomes the index: catches an engine up with the catalogue, compares the two, mends the difference."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from litloop.catalogue import Catalogue, CatalogueWriter, Collection, StoredPassage
from litloop.core.errors import LibraryError
from litloop.core.labels import shown_labels
from litloop.embedding.protocol import Embedder
from litloop.index.analyser import Analyser
from litloop.index.engine import Engine, IndexBatch, IndexPassage
from litloop.index.vectors import VectorStore

EMBEDDED_IN_A_STEP = 512  # passages: some ten seconds of a laptop
BATCH = 8192  # changes applied at once: a lexical commit costs some 14-150 ms whatever its size


@dataclass(frozen=True, slots=True)
class IndexReport:
    """The difference between what the catalogue holds and what the engine holds of one collection."""

    collection: str
    passages: int
    missing: tuple[int, ...]  # in the catalogue, not in the engine
    surplus: tuple[int, ...]  # in the engine, not in the catalogue
    without_vector: int  # in the catalogue, without a stored vector
    behind: int  # changes the engine has not seen yet
    problems: tuple[str, ...] = ()  # what the engine says of itself

    @property
    def sound(self) -> bool:
        return not (self.missing or self.surplus or self.without_vector or self.behind or self.problems)


def embed_missing(
    store: VectorStore,
    embedder: Callable[[], Embedder],
    texts: Mapping[bytes, str],
    on_step: Callable[[int, int], None] | None = None,
) -> int:
    """Compute and store the vectors that `store` lacks. `texts` are the exact embedded strings by their hash.

    Returns how many; the embedder is only called for when there are any. Many are stored step by step, so that what a
    stopped run has embedded of a long document stays; `on_step` is told how many of how many are there.
    """
    missing = store.missing(list(texts))
    for start in range(0, len(missing), EMBEDDED_IN_A_STEP):
        if on_step:
            on_step(start, len(missing))
        step, model = missing[start : start + EMBEDDED_IN_A_STEP], embedder()
        store.add(step, model.embed_passages([texts[key] for key in step]), precision=model.precision)
    return len(missing)


class Indexer:
    """Brings an engine to the catalogue's state. The caller holds the writer lock for everything that changes."""

    def __init__(
        self,
        catalogue: Catalogue,
        engine: Engine,
        analyser: Analyser,
        embed: Callable[[Mapping[bytes, str]], int],
    ) -> None:
        """`embed` computes the vectors that are missing: of a passage that was just added none is, of one whose
        index was lost all may be."""
        self._catalogue = catalogue
        self._engine = engine
        self._analyser = analyser
        self._embed = embed

    def behind(self, collection: Collection) -> bool:
        """Whether `sync` has something to do."""
        applied = self._engine.applied(collection.key)
        return applied < self._catalogue.last_seq(collection.key) or self._engine.stale(collection.key) is not None

    def sync(self, collection: Collection, on_progress: Callable[[int], None] | None = None) -> int:
        """Apply what the outbox holds, in order. Returns the number of changes applied.

        An engine that is older than the outbox reaches (lost, or copied from elsewhere) is built anew, and so is one
        that is damaged: a change on top of damage would hide it.
        """
        collection = self._catalogue.collection(collection.name)
        applied = self._engine.applied(collection.key)
        stale = self._engine.stale(collection.key) or self._engine.damage(collection.key)
        if applied < collection.trimmed or stale:
            return self.rebuild(collection, on_progress)
        done = 0
        while changes := self._catalogue.changes(collection.key, applied, BATCH):
            last: dict[int, str] = {change.passage: change.op for change in changes}
            add = self._passages(collection.key, [key for key, op in last.items() if op == "+"])
            # A passage that came and is gone again by now is neither added nor worth an error.
            remove = [key for key, op in last.items() if op == "-" or key not in add]
            self._engine.apply(IndexBatch(collection.key, changes[-1].seq, list(add.values()), remove))
            applied = changes[-1].seq
            done += len(changes)
            if on_progress:
                on_progress(done)
        if done:
            CatalogueWriter(self._catalogue).trim_outbox(collection.key, applied)
        return done

    def rebuild(self, collection: Collection, on_progress: Callable[[int], None] | None = None) -> int:
        """Throw the engine's copy away and build it from the catalogue. Returns the number of passages."""
        self._engine.begin(collection.key)
        seq = self._catalogue.last_seq(collection.key)
        keys = self._catalogue.passage_keys(collection.key)
        for start in range(0, len(keys), BATCH):
            part = keys[start : start + BATCH]
            final = start + BATCH >= len(keys)
            # Only the last batch may claim `seq`: a crash before it leaves an engine that is rebuilt once more.
            batch = IndexBatch(
                collection.key, seq if final else 0, list(self._passages(collection.key, part).values()), ()
            )
            self._engine.apply(batch)
            if on_progress:
                on_progress(start + len(part))
        if not keys and seq:
            self._engine.apply(IndexBatch(collection.key, seq, (), ()))
        CatalogueWriter(self._catalogue).trim_outbox(collection.key, seq)
        return len(keys)

    def compare(self, collection: Collection, has_vector: Callable[[Sequence[bytes]], Sequence[bool]]) -> IndexReport:
        """Hold the two against each other, passage by passage."""
        held = set(self._catalogue.passage_keys(collection.key))
        problems = self._engine.problems(collection.key)
        try:
            stale = self._engine.stale(collection.key) is not None
            indexed = set() if stale else set(self._engine.keys(collection.key).tolist())
        except LibraryError:  # which `problems` tell
            indexed = set()
        hashes = self._catalogue.vectors_of(collection.key)
        without = sum(not there for there in has_vector(hashes)) if hashes else 0
        behind = self._catalogue.last_seq(collection.key) - self._engine.applied(collection.key)
        return IndexReport(
            collection=collection.name,
            passages=len(held),
            missing=tuple(sorted(held - indexed)),
            surplus=tuple(sorted(indexed - held)),
            without_vector=without,
            behind=max(behind, 0),
            problems=tuple(problems),
        )

    def _passages(self, collection: int, keys: Sequence[int]) -> dict[int, IndexPassage]:
        stored = self._catalogue.stored_passages(collection, keys)
        self._embed({item.vector: item.passage.embedded_text for item in stored.values()})
        return {key: self._index_passage(stored[key]) for key in keys if key in stored}

    def _index_passage(self, stored: StoredPassage) -> IndexPassage:
        return IndexPassage(
            key=stored.passage.key,
            terms=self._analyser.passage_terms(stored.passage),
            vector=None,
            vector_hash=stored.vector,
            year=stored.paper.year,
            labels=shown_labels(stored.paper.labels),
        )
