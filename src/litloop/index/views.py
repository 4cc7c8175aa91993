"""Views: one collection as one manifest has it, and how the next view is made from the last.

A view never changes. What is costly to read (rows, vectors in memory, codes) is handed on from view to view as long
as rows are only appended; compaction or a rebuilt index starts afresh.
"""

from __future__ import annotations

import functools
import shutil
import threading
from collections import OrderedDict
from pathlib import Path

from litloop.core.errors import DamagedLibrary, EmbedderMismatch, LibraryError
from litloop.core.filters import Filters
from litloop.index.approximate import ApproximateIndex, load_approximate, saved_rows
from litloop.index.dense import DenseRows, DenseView
from litloop.index.filters import FilterKey, filter_key
from litloop.index.lexical import LexicalIndex, LexicalReader
from litloop.index.manifest import Manifest, manifest_bytes, parse_manifest
from litloop.index.rows import Mask, RowTable, load_rows
from litloop.index.scan import RowMatrix
from litloop.index.vectors import VectorLocations, VectorStore

_MASKS = 64  # filters remembered per view
_SEGMENTS = 64  # places are looked up afresh when they hang on more segments than this
_LAG = 4096  # rows newer than the codes that are scanned before the codes are brought up to date
_RACES = 20  # times a reader starts over because a writer was compacting


class IndexView:
    """A collection at one manifest."""

    def __init__(self, manifest: Manifest, table: RowTable, lexical: LexicalReader, shelf: CollectionIndex) -> None:
        self.manifest = manifest
        self.table = table
        self.lexical = lexical
        self._shelf = shelf
        self._masks: OrderedDict[FilterKey, Mask] = OrderedDict()
        self._lock = threading.Lock()

    @functools.cached_property
    def dense(self) -> DenseView:
        return self._shelf.dense_view(self)

    def allowed(self, filters: Filters) -> Mask:
        """Rows that count and pass. CachingEmbedder, as one question asks several times with one filter."""
        if not filters:
            return self.table.alive
        key = filter_key(filters)
        with self._lock:
            mask = self._masks.get(key)
            if mask is None:
                mask = self._masks[key] = self.table.passing(filters)
            self._masks.move_to_end(key)
            if len(self._masks) > _MASKS:
                self._masks.popitem(last=False)
        return mask


class CollectionIndex:
    """The folders of one collection, and its latest view."""

    def __init__(self, folder: Path, lexical: Path, store: VectorStore, expected: Manifest, exact_rows: int) -> None:
        self.folder = folder
        self.lexical = LexicalIndex(lexical)
        self._store = store
        self._expected = expected  # analyser, embedder and dimension that the index must have been built with
        self._exact_rows = exact_rows
        self._lock = threading.RLock()
        self._content = b""
        self._view: IndexView | None = None
        self._places: tuple[IndexView, VectorLocations] | None = None
        self._rows: tuple[IndexView, DenseRows] | None = None

    def manifest(self) -> Manifest | None:
        return parse_manifest(manifest_bytes(self.folder))

    def damage(self) -> str | None:
        """Why the index cannot be read and must be built again, or None. Reads little beyond what a search reads."""
        content = manifest_bytes(self.folder)
        if content and parse_manifest(content) is None and manifest_bytes(self.folder) == content:
            return "The manifest of this collection's index is damaged: `litloop reindex` builds the index again."
        try:
            view = self.view()
            if view is not None:
                self.lexical.check()
        except DamagedLibrary as error:
            return str(error)
        except LibraryError:
            return None  # of another embedder or version, which `mismatch` tells
        return None

    def view(self) -> IndexView | None:
        """The collection as the disk has it now; None when nothing was indexed.

        Raises EmbedderMismatch or LibraryError when it was built with another embedder or analyser, or is damaged.
        """
        content = manifest_bytes(self.folder)
        if content == self._content:
            return self._view
        with self._lock:
            for _ in range(_RACES):
                content = manifest_bytes(self.folder)
                try:
                    view = self._load(parse_manifest(content))
                except LibraryError:
                    if manifest_bytes(self.folder) == content:
                        raise
                    continue  # a writer compacted or dropped the collection meanwhile
                self._view, self._content = view, content
                return view
        raise LibraryError("The index of this collection changes faster than it can be read. Try again.")

    def create(self) -> None:
        """Make the folders, empty. What lies there without a manifest is a dead writer's, or of an earlier life:
        codes of that must not be taken for codes of this."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.lexical.create()

    def mismatch(self) -> LibraryError | None:
        """Why the index must be built again before it can be used, if so."""
        manifest = self.manifest()
        return None if manifest is None else self._mismatch(manifest)

    def _load(self, manifest: Manifest | None) -> IndexView | None:
        if manifest is None:
            return None
        mismatch = self._mismatch(manifest)
        if mismatch:
            raise mismatch
        held = self._view
        if held is not None and held.manifest.uid != manifest.uid:
            held = None
            self.lexical = LexicalIndex(self.lexical.folder)
        try:
            table = load_rows(self.folder, manifest, *((held.table, held.manifest) if held else ()))
        except (OSError, ValueError, IndexError) as error:
            raise DamagedLibrary(
                f"The index of this collection is damaged ({error}): `litloop reindex` builds it again."
            ) from error
        return IndexView(manifest, table, self.lexical.reader(), self)

    def _mismatch(self, manifest: Manifest) -> LibraryError | None:
        expected = self._expected
        if (manifest.fingerprint, manifest.dimension) != (expected.fingerprint, expected.dimension):
            return EmbedderMismatch(
                "This collection was indexed with another embedder. Open it with that one, or run `litloop reindex`."
            )
        if manifest.analyser != expected.analyser:
            return LibraryError(
                "This collection was indexed by another version of litloop: `litloop reindex` brings it up to date."
            )
        return None

    # --- The dense leg, handed on ---------------------------------------------------------------------------

    def dense_view(self, view: IndexView) -> DenseView:
        with self._lock:
            places = self._located(view)
            return DenseView(view.table.keys, places, self._dense_rows(view, places))

    def _located(self, view: IndexView) -> VectorLocations:
        hashes = view.table.hashes
        held = self._places[1] if self._places and _same_rows(self._places[0], view) else None
        if held is None or not held.found.all():
            places = self._store.locate(hashes)
        elif len(held) >= len(hashes):
            return held.first(len(hashes))
        else:
            places = held.joined(self._store.locate(hashes[len(held) :]))
            if len(places.segments) > _SEGMENTS:
                places = self._store.locate(hashes)
        self._places = (view, places)
        return places

    def _dense_rows(self, view: IndexView, places: VectorLocations) -> DenseRows:
        held = None
        if self._rows and _same_rows(self._rows[0], view):
            held = self._rows[1]
            covered = held.codes.rows if held.codes else 0
            if covered <= len(places) and not self._due(view, held.codes):
                return held
        codes = self._codes(view, places, held.codes if held else None)
        rows = DenseRows(RowMatrix(codes.rows if codes else 0, self._store.dimension), codes)
        self._rows = (view, rows)
        return rows

    def _codes(
        self, view: IndexView, places: VectorLocations, held: ApproximateIndex | None
    ) -> ApproximateIndex | None:
        """Codes for a large collection: as saved, brought up to date in memory when they lag too far behind."""
        manifest = view.manifest
        if manifest.count <= self._exact_rows:
            return None
        saved = saved_rows(self.folder, manifest.generation, manifest.rows)
        if held is None or not saved <= held.rows <= manifest.rows:
            held = load_approximate(self.folder, manifest.generation, manifest.rows, held)
        if self._due(view, held):
            return held.extended(places, manifest.rows, self._store.dimension)
        return held

    def _due(self, view: IndexView, codes: ApproximateIndex | None) -> bool:
        """Whether so many rows are newer than the codes that scanning them costs more than the codes save."""
        if view.manifest.count <= self._exact_rows:
            return codes is not None
        return codes is None or not codes.rows or view.manifest.rows - codes.rows >= _LAG

    def save_codes(self) -> None:
        """Write the codes of a large collection, unless the saved ones are new enough: which the manifest tells, so
        that adding a single paper need not read the rows once more."""
        manifest = self.manifest()
        if manifest is None or manifest.count <= self._exact_rows:
            return
        saved = saved_rows(self.folder, manifest.generation, manifest.rows)
        if saved and manifest.rows - saved < _LAG:
            return
        view = self.view()
        if view is None:
            return
        with self._lock:
            codes = self._dense_rows(view, self._located(view)).codes
            if codes is not None and codes.rows > saved:
                codes.save(self.folder, view.manifest.generation)

    def forget(self) -> None:
        """The collection was dropped."""
        with self._lock:
            self._content, self._view, self._places, self._rows = b"", None, None, None
            self.lexical = LexicalIndex(self.lexical.folder)


def _same_rows(held: IndexView, view: IndexView) -> bool:
    """Whether a row number means the same in both."""
    one, other = held.manifest, view.manifest
    return (one.uid, one.generation) == (other.uid, other.generation)
