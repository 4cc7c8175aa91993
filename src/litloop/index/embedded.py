"""The embedded engine: tantivy and a dense store in one folder, one writer and many reading processes.

    vectors/<fingerprint>/     every vector of an embedder, once (`vectors.py`)
    lexical/<collection>/      the tantivy index (`lexical.py`), its checksums beside it
    collections/<collection>/  manifest, rows, codes, topics

A change goes: vectors, lexical commit, rows, manifest, each durable before the next. Only the manifest makes it
count. A crash on the way leaves the index as it was, perhaps with passages in tantivy that the manifest does not
know; readers drop and count those, and applying the batch again replaces them.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from litloop.core.errors import LibraryError, UsageError
from litloop.core.filters import Filters
from litloop.index.analyser import ANALYSER_VERSION
from litloop.index.dense import EXACT_ROWS
from litloop.index.durable import full_disk_named, sync_folder
from litloop.index.engine import IndexBatch, IndexPassage, Keys, Ranking
from litloop.index.lexical import EMPTY, LexicalWriter
from litloop.index.manifest import Manifest, new_manifest, remove_manifest, write_manifest
from litloop.index.rows import append_rows, compact_rows, load_rows, remove_other_generations
from litloop.index.scan import Matrix
from litloop.index.segments import hash_words
from litloop.index.topics import topics_problems
from litloop.index.vectors import COMPACT_AT, VectorStore
from litloop.index.views import CollectionIndex, IndexView

_SAFE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


class EmbeddedEngine:
    """The engine in `root`. Searching is safe from any number of threads; applying takes turns.

    `fingerprint` and `dimension` are the embedder's. `store` is the embedding cache: ask it what is `missing`, and
    `add` what was embedded before applying passages without vectors.
    """

    def __init__(
        self,
        root: Path,
        fingerprint: str,
        dimension: int,
        *,
        readonly: bool = False,
        analyser: str = ANALYSER_VERSION,
        exact_rows: int = EXACT_ROWS,
    ) -> None:
        self.root = root
        self.readonly = readonly
        self.store = VectorStore(root / "vectors" / _folder_name(fingerprint), dimension)
        self._expected = Manifest(analyser, fingerprint, dimension)
        self._exact_rows = exact_rows
        self._shelves: dict[int, CollectionIndex] = {}
        self._applying = threading.Lock()
        self._much_removed = False  # whether many vectors may have lost their last passage since `compact` looked

    # --- Reading --------------------------------------------------------------------------------------------

    def snapshot(self, collection: int) -> EmbeddedSnapshot:
        """Raises EmbedderMismatch or LibraryError when the index cannot be used as it is."""
        return EmbeddedSnapshot(self._shelf(collection).view(), self.store.dimension)

    def applied(self, collection: int) -> int:
        """0 also when the index is of another analyser: applying then builds it anew."""
        manifest = self._shelf(collection).manifest()
        return manifest.seq if manifest and manifest.analyser == self._expected.analyser else 0

    def keys(self, collection: int) -> Keys:
        view = self._shelf(collection).view()
        return view.table.live_keys if view else EMPTY.keys

    def stale(self, collection: int) -> str | None:
        """Why the index of a collection must be dropped and built again (another embedder or analyser), or None."""
        problem = self._shelf(collection).mismatch()
        return str(problem) if problem else None

    def damage(self, collection: int) -> str | None:
        return self._shelf(collection).damage()

    def sealed(self, collection: int) -> bool:
        return self._shelf(collection).lexical.sealed

    def seal(self, collection: int) -> None:
        self._may_write()
        with self._applying:
            self._shelf(collection).lexical.seal()

    def problems(self, collection: int) -> list[str]:
        """What `verify` should tell: disagreement between the parts of a collection, and damage. Reads all of it."""
        shelf = self._shelf(collection)
        if damage := shelf.damage():
            return [damage]
        try:
            # Opened anew from what lies on the disk now, whatever this process holds of it.
            view = CollectionIndex(shelf.folder, shelf.lexical.folder, self.store, self._expected, 0).view()
            if view is None:
                return []
            shelf.lexical.check(thorough=True)
            lexical = view.lexical.keys()
        except LibraryError as error:
            return [str(error)]
        found = [*self.store.problems(), *topics_problems(shelf.folder)]
        known = view.table.live_keys
        for what, keys in (
            ("are missing from the keyword index", np.setdiff1d(known, lexical)),
            ("stand in the keyword index twice", _repeated(lexical)),
            ("have no vector", view.table.keys[view.table.alive & ~self.store.locate(view.table.hashes).found]),
        ):
            if len(keys):
                found.append(f"{len(keys)} passages {what}: `litloop reindex` repairs this.")
        return found

    def has_vectors(self, hashes: Sequence[bytes]) -> Sequence[bool]:
        return self.store.has(hashes)

    def folder(self, collection: int) -> Path:
        """Where what is derived from a collection (its topics) may be kept; goes when the collection is dropped."""
        return self._shelf(collection).folder

    # --- Changing -------------------------------------------------------------------------------------------

    def apply(self, batch: IndexBatch) -> None:
        """Raises LibraryError when a passage comes without a vector and the store has none, ValueError when a
        vector does not fit, WriterBusy when another process is applying. The index is then as it was."""
        self._may_write()
        shelf = self._shelf(batch.collection)
        with self._applying, full_disk_named():
            manifest = shelf.manifest()
            if manifest is not None and manifest.analyser != self._expected.analyser:
                remove_manifest(shelf.folder)
            elif manifest is not None and _holds(manifest, batch.seq):
                return
            removed = set(batch.remove)
            passages = list({one.key: one for one in batch.add if one.key not in removed}.values())
            held = shelf.view()
            self._store_vectors(passages)
            if held is None:
                shelf.create()
            with shelf.lexical.writing() as writer:
                self._change(shelf, writer, batch.seq, passages, sorted(removed))
            shelf.save_codes()

    def _change(
        self, shelf: CollectionIndex, writer: LexicalWriter, seq: int, passages: Sequence[IndexPassage],
        removed: Sequence[int],
    ) -> None:  # fmt: skip
        view = shelf.view()
        manifest = view.manifest if view else new_manifest(self._expected)
        if _holds(manifest, seq):
            return  # another process was faster
        if passages or removed:
            writer.commit(passages, removed)
        table = view.table if view else load_rows(shelf.folder, manifest)
        gone = np.array([*removed, *(passage.key for passage in passages)], dtype=np.int64)
        rows = table.rows_of(gone)
        manifest = append_rows(shelf.folder, manifest, table, passages, [int(row) for row in rows if row >= 0])
        write_manifest(shelf.folder, replace(manifest, seq=seq))
        if manifest.dead >= COMPACT_AT * manifest.rows:
            self._compact_rows(shelf)

    def compact(self) -> int:
        """Give back the room of vectors that no collection needs, once they are 15 % of the store, and say how
        many went. Between jobs only: vectors embedded but not yet applied count as not needed.

        Looks only after rows were compacted or a collection was dropped: to hold a million hashes against
        the store takes .8 s, and no collection whose dead rows are fewer than 15 % has so many dead vectors."""
        self._may_write()
        with self._applying:
            if not self._much_removed:
                return 0
            self._much_removed = False
            numbers = sorted(int(path.name) for path in (self.root / "collections").glob("[0-9]*"))
            views = [view for number in numbers if (view := self._usable(number)) is not None]
            needed = [view.table.hashes[view.table.alive] for view in views]
            return self.store.compact(np.concatenate([hash_words([]), *needed]))

    def begin(self, collection: int) -> None:
        """Drops what was there: it is rebuilt because it is of no use."""
        self.drop(collection)

    def drop(self, collection: int) -> None:
        self._may_write()
        with self._applying:
            shelf = self._shelf(collection)
            remove_manifest(shelf.folder)  # first: without it the rest is nothing
            if shelf.folder.is_dir():
                sync_folder(shelf.folder)
            shutil.rmtree(shelf.folder, ignore_errors=True)
            shelf.lexical.remove()
            shelf.forget()
            self._much_removed = True

    def close(self) -> None:
        """Let go of what is open. Snapshots taken before stay usable."""
        self._shelves.clear()

    # --- Parts ----------------------------------------------------------------------------------------------

    def _shelf(self, collection: int) -> CollectionIndex:
        shelf = self._shelves.get(collection)
        if shelf is None:
            made = CollectionIndex(
                self.root / "collections" / str(int(collection)),
                self.root / "lexical" / str(int(collection)),
                self.store,
                self._expected,
                self._exact_rows,
            )
            shelf = self._shelves.setdefault(collection, made)
        return shelf

    def _store_vectors(self, passages: Sequence[IndexPassage]) -> None:
        given = [passage for passage in passages if passage.vector is not None]
        if given:
            matrix = np.stack([np.asarray(passage.vector, dtype=np.float32) for passage in given])
            self.store.add([passage.vector_hash for passage in given], matrix)
        lost = self.store.missing([passage.vector_hash for passage in passages])
        if lost:
            raise LibraryError(f"{len(lost)} passages have no vector yet: embed them before they are indexed.")

    def _compact_rows(self, shelf: CollectionIndex) -> None:
        view = shelf.view()
        if view is not None:
            manifest = compact_rows(shelf.folder, view.manifest, view.table)
            write_manifest(shelf.folder, manifest)
            remove_other_generations(shelf.folder, manifest.generation)
            self._much_removed = True

    def _usable(self, collection: int) -> IndexView | None:
        """None also for a collection of another embedder: its vectors are in another store."""
        try:
            return self._shelf(collection).view()
        except LibraryError:
            return None

    def _may_write(self) -> None:
        if self.readonly:
            raise UsageError("This library was opened for reading only.")


class EmbeddedSnapshot:
    """One collection as it was. Safe to share between threads."""

    def __init__(self, view: IndexView | None, dimension: int) -> None:
        self._view = view
        self._dimension = dimension
        self.seq = view.manifest.seq if view else 0
        self.count = view.manifest.count if view else 0
        self.unknown = 0
        self.without_vector = view.dense.lost(view.table.alive) if view else 0

    def sparse(self, terms: Mapping[str, float], k: int, filters: Filters) -> Ranking:
        view = self._view
        if view is None:
            return EMPTY
        ranking, unknown = view.lexical.search(terms, k, filters, lambda keys: view.table.rows_of(keys) >= 0)
        self.unknown += unknown
        return ranking

    def dense(self, vector: NDArray[np.float32], k: int, filters: Filters) -> Ranking:
        query = np.ascontiguousarray(vector, dtype=np.float32)
        if query.shape != (self._dimension,) or not np.isfinite(query).all():
            raise ValueError(f"A query vector has {self._dimension} finite numbers, not shape {query.shape}.")
        if self._view is None or not self.count:
            return EMPTY
        return self._view.dense.search(query, k, self._view.allowed(filters))

    def passing(self, filters: Filters) -> int:
        return int(np.count_nonzero(self._view.allowed(filters))) if self._view else 0

    def values_of(self, label: str) -> Sequence[str]:
        return self._view.table.values_of(label) if self._view else []

    def vectors(self, keys: Sequence[int]) -> Matrix:
        if self._view is None or not len(keys):
            rows = np.full(len(keys), -1, dtype=np.int64)
        else:
            rows = self._view.table.rows_of(np.asarray(keys, dtype=np.int64))
        if (rows < 0).any():
            raise KeyError(f"{np.count_nonzero(rows < 0)} of these passages are not in the collection.")
        if not len(rows) or self._view is None:
            return np.zeros((0, self._dimension), dtype=np.float32)
        return self._view.dense.vectors(rows)

    def document_frequency(self, terms: Sequence[str]) -> Mapping[str, int]:
        """Removed passages count until their segment merges, but never more than there are passages."""
        view = self._view
        if view is None:
            return dict.fromkeys(terms, 0)
        return {term: min(view.lexical.document_frequency(term), self.count) for term in terms}


def _holds(manifest: Manifest, seq: int) -> bool:
    """Whether a batch was applied before. Batches of a rebuild claim 0 until the last, and none is skipped."""
    return manifest.seq > 0 and seq <= manifest.seq


def _folder_name(fingerprint: str) -> str:
    """The fingerprint, where it can be the name of a folder, else its hash."""
    if _SAFE_NAME.fullmatch(fingerprint):
        return fingerprint
    return hashlib.sha256(fingerprint.encode()).hexdigest()[:32]


def _repeated(keys: Keys) -> Keys:
    return np.unique(keys[1:][keys[1:] == keys[:-1]])
