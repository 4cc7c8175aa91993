"""The lexical leg: BM25 over analysed terms, in one tantivy index per collection.

One index per collection, so that a term's rarity is that of the collection asked. Terms come analysed and are
looked up one by one: no query language stands between a question and the index, so nothing in a question can be
syntax. tantivy's BM25 has k1 = 1.2 and b = 0.75; its statistics follow removals only when segments merge.

Measured at 100,000 passages: building the query and reading the keys of 100 hits add .03 ms to tantivy's own search.
"""

from __future__ import annotations

import functools
import hashlib
import math
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from litloop.core.errors import DamagedLibrary, WriterBusy
from litloop.core.filters import Filters
from litloop.index.durable import sync_folder
from litloop.index.engine import IndexPassage, Keys, Ranking
from litloop.index.file_sums import FileSum, first_fault, read_sums, sums_of, write_sums
from litloop.index.filters import bounded_year, filter_values
from litloop.index.rows import Mask

_HEAP_BYTES = 64_000_000  # tantivy flushes a segment when this is full
_LONGEST_LABEL = 512  # bytes; longer ones are indexed by their hash
_SURROGATE = re.compile("[\ud800-\udfff]")  # half a character, which tantivy cannot hold
_NO_WRITING = ("PermissionDenied", "ReadOnlyFilesystem")  # how tantivy words a folder it may not lock
_CHANGING = ("meta.json", ".managed.json")  # the files that a commit replaces; the others never change
_TIE_MARGIN = 8  # hits asked for beyond k, to see whether a tie crosses the edge

EMPTY = Ranking(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32))


class LexicalIndex:
    """The tantivy index in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._sums = folder.with_name(f"{folder.name}.sums")
        self._reading: Any = None

    def create(self) -> None:
        """Start empty, whatever was there."""
        import tantivy

        self.remove()
        self.folder.mkdir(parents=True)
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("terms", tokenizer_name="whitespace", index_option="freq")
        builder.add_text_field("labels", tokenizer_name="raw", index_option="basic")
        # Signed: tantivy-py takes a Python number for a signed term, so deleting by an unsigned key finds nothing.
        builder.add_integer_field("key", indexed=True, fast=True)
        builder.add_integer_field("year", indexed=True, fast=True)
        tantivy.Index(builder.build(), path=str(self.folder))

    def remove(self) -> None:
        self._reading = None
        self._sums.unlink(missing_ok=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def sealed(self) -> bool:
        """Whether checksums tell of the files what they must be. Not after a writer died, nor before 0.2."""
        return self._sums.exists() or not self.folder.is_dir()

    def seal(self) -> None:
        """Note the files as they are. Only for the holder of the writer lock."""
        known = self._known_sums() or {}
        write_sums(self._sums, sums_of(self.folder, known, _CHANGING))

    def check(self, *, thorough: bool = False) -> None:
        """Raises DamagedLibrary when a file is not as it was left; see `first_fault` for what is read."""
        while (known := self._known_sums()) is not None:
            fault = first_fault(self.folder, known, thorough=thorough)
            if fault is None:
                return
            if known == self._known_sums():  # else a writer was at it
                raise _damage(fault)

    def _known_sums(self) -> dict[str, FileSum] | None:
        try:
            return read_sums(self._sums)
        except (ValueError, TypeError):
            raise _damage(f"{self._sums.name} cannot be read") from None

    @contextmanager
    def writing(self) -> Iterator[LexicalWriter]:
        """The one writer of this index. Leaving without a commit leaves the index as it was.

        tantivy's lock is held inside. Raises WriterBusy when another process is inside, DamagedLibrary when the
        index is gone or damaged: a merge would carry damage on under a good checksum.
        """
        self.check()
        with _damage_named():
            index = _open(self.folder)
        try:
            # One thread: one segment per commit, and the order of equal scores does not hang on scheduling.
            writer = index.writer(_HEAP_BYTES, 1)
        except ValueError as error:
            if "LockBusy" not in str(error):
                raise
            raise WriterBusy("Another process is adding papers to this library. Try again when it is done.") from error
        known = self._known_sums() or {}
        self._sums.unlink(missing_ok=True)
        sync_folder(self._sums.parent)
        try:
            with _panic_named():
                # What a killed writer left would be in the way: the same change writes files of the same names.
                writer.garbage_collect_files()
                yield LexicalWriter(writer)
                self._share()
        except BaseException:
            with suppress(ValueError), _panic_named():
                writer.rollback()  # would also stop the merges that a commit starts, so only here
            raise
        finally:
            with _panic_named():
                writer.wait_merging_threads()  # also gives the lock back
        write_sums(self._sums, sums_of(self.folder, known, _CHANGING))

    def reader(self) -> LexicalReader:
        """The index as it is now. Never moves on by itself. Raises DamagedLibrary when it is gone or damaged."""
        self.check()
        with _damage_named():
            try:
                index = self._opened()
            except ValueError as error:
                if not any(sign in str(error) for sign in _NO_WRITING):
                    raise
                index = _opened_through_links(self.folder)
            return LexicalReader(index.searcher(), index.schema)

    def _opened(self) -> Any:
        if self._reading is None:
            self._reading = _open(self.folder)
        self._reading.reload()
        return self._reading

    def _share(self) -> None:
        """tantivy makes its lists of files readable for their owner only; give them the folder's permissions."""
        mode = self.folder.stat().st_mode & 0o666
        for name in ("meta.json", ".managed.json"):
            (self.folder / name).chmod(mode)


class LexicalWriter:
    """Open for one change."""

    def __init__(self, writer: Any) -> None:
        self._writer = writer

    def commit(self, add: Iterable[IndexPassage], remove: Iterable[int]) -> None:
        """Remove, then add, in one durable commit. Each added key is removed first, so that repeating a write
        that a crash had cut short leaves one passage, not two."""
        for key in remove:
            self._writer.delete_documents_by_term("key", key)
        for passage in add:
            self._writer.delete_documents_by_term("key", passage.key)
            self._writer.add_document(_document(passage))
        self._writer.commit()


class LexicalReader:
    """One state of the index."""

    def __init__(self, searcher: Any, schema: Any) -> None:
        self._searcher = searcher
        self._schema = schema

    def search(
        self, terms: Mapping[str, float], k: int, filters: Filters, known: Callable[[Keys], Mask]
    ) -> tuple[Ranking, int]:
        """The best k of the passages that are `known`, and how many hits were not. Ties break by key."""
        query = self._query(terms, filters)
        if query is None or k < 1:
            return EMPTY, 0
        limit = k + _TIE_MARGIN
        while True:
            with _damage_named():
                hits = self._searcher.search(query, limit, count=False).hits
                found = self._searcher.fast_field_values("key", [address for _, address in hits])
            scores = np.array([score for score, _ in hits], dtype=np.float32)
            keys = np.array(found, dtype=np.int64)
            here = known(keys)
            kept = scores[here]
            # Complete when all matches were seen, or the k-th hit is clearly better than the last one seen.
            if len(hits) < limit or (len(kept) >= k and kept[k - 1] > scores[-1]):
                break
            limit *= 4
        keys = keys[here]
        order = np.lexsort((keys, -kept))[:k]
        return Ranking(keys[order], kept[order]), int(np.count_nonzero(~here))

    def document_frequency(self, term: str) -> int:
        with _damage_named():
            return int(self._searcher.doc_freq("terms", term))

    def keys(self) -> Keys:
        """Every key, sorted; for `verify`."""
        import tantivy

        count = self._searcher.num_docs
        if not count:
            return EMPTY.keys
        with _damage_named():
            hits = self._searcher.search(tantivy.Query.all_query(), count, count=False).hits
            keys = self._searcher.fast_field_values("key", [address for _, address in hits])
        return np.sort(np.array(keys, dtype=np.int64))

    def _query(self, terms: Mapping[str, float], filters: Filters) -> Any:
        """None when nothing can match."""
        from tantivy import Occur, Query

        weighted = [(term, weight) for term, weight in terms.items() if weight > 0 and math.isfinite(weight)]
        if not weighted:
            return None
        words = Query.boolean_query(
            [
                (Occur.Should, Query.boost_query(Query.term_query(self._schema, "terms", term, "freq"), weight))
                for term, weight in weighted
            ]
        )
        if not filters:
            return words
        conditions = self._conditions(filters)
        if conditions is None:
            return None
        return Query.boolean_query(
            [(Occur.Must, words), *((Occur.Must, Query.const_score_query(one, 0.0)) for one in conditions)]
        )

    def _conditions(self, filters: Filters) -> list[Any] | None:
        from tantivy import FieldType, Occur, Query

        conditions = []
        first, last = (year if year is None else bounded_year(year) for year in (filters.year_from, filters.year_to))
        if first is not None and last is not None and first > last:
            return None
        if first is not None or last is not None:
            conditions.append(Query.range_query(self._schema, "year", FieldType.Integer, first, last))
        for name, wanted in filters.labels.items():
            if not wanted:
                return None
            # Not a term set: its automaton costs .2 ms, more than the search itself.
            terms = [Query.term_query(self._schema, "labels", label_term(name, one), "basic") for one in wanted]
            conditions.append(Query.boolean_query([(Occur.Should, term) for term in terms]))
        return conditions


@contextmanager
def _damage_named() -> Iterator[None]:
    try:
        with _panic_named():
            yield
    except (ValueError, OSError, MemoryError) as error:
        raise _damage(None) from error


@contextmanager
def _panic_named() -> Iterator[None]:
    """tantivy trusts its files, and panics over some that are damaged. Python is given that as an error that is no
    Exception, so that it would pass every handler and end the process."""
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise _damage(None) from error


def _damage(fault: str | None) -> DamagedLibrary:
    why = f" ({fault})" if fault else ""
    return DamagedLibrary(f"The keyword index of this collection is damaged{why}: `litloop reindex` builds it again.")


def _open(folder: Path) -> Any:
    import tantivy

    index = tantivy.Index.open(str(folder))
    index.config_reader("manual")
    return index


def _opened_through_links(folder: Path, tries: int = 5) -> Any:
    """tantivy makes a lock file even to read. Where it may not, it reads through links in a folder of ours, which
    can go once the files are open. Without the lock, files may go while we link them: then we start over."""
    with tempfile.TemporaryDirectory(prefix="litloop-") as links:
        for path in folder.iterdir():
            if path.suffix != ".lock":
                (Path(links) / path.name).symlink_to(path.resolve())
        try:
            index = _open(Path(links))
            index.reload()
        except ValueError:
            if tries == 1:
                raise
            return _opened_through_links(folder, tries - 1)
        return index


@functools.lru_cache(maxsize=10_000)
def label_term(name: str, value: str) -> str:
    """One raw term per (name, value). The length in front keeps "a=b" = "c" and "a" = "b=c" apart."""
    term = f"{len(name)}:{name}={value}"
    encoded = term.encode("utf-8", "surrogatepass")
    if len(encoded) <= _LONGEST_LABEL and (term.isascii() or _SURROGATE.search(term) is None):
        return term
    return hashlib.sha256(encoded).hexdigest()


def _document(passage: IndexPassage) -> Any:
    import tantivy

    document = tantivy.Document()
    document.add_integer("key", passage.key)
    document.add_text("terms", " ".join(passage.terms))
    if passage.year is not None:
        document.add_integer("year", bounded_year(passage.year))
    for name, value in passage.labels.items():
        for text in dict.fromkeys(filter_values(value)):
            document.add_text("labels", label_term(name, text))
    return document
