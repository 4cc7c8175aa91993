"""Putting a reading text together, with the map back to the original kept run by run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from litloop.core.records import Heading, Text, TextRun
from litloop.text.characters import normalise

_HEADING_LEVELS = 9


class TextBuilder:
    """Collects stretches of text in reading order. Every character of the result lies in exactly one run."""

    def __init__(self, parser: str) -> None:
        self._parser = parser
        self._parts: list[str] = []
        self._runs: list[list[int | None]] = []  # start, end, page, source start, source end
        self._headings: list[Heading] = []
        self.length = 0

    def add(self, text: str, source_start: int, source_end: int, page: int | None = None) -> None:
        """Append `text`, which stands for [source_start, source_end) of the original."""
        if not text:
            return
        start, end = self.length, self.length + len(text)
        self._parts.append(text)
        self.length = end
        run = self._runs[-1] if self._runs else None
        if (
            run is not None
            and len(text) == source_end - source_start
            and run[2] == page
            and run[4] == source_start
            and _width(run[0], run[1]) == _width(run[3], run[4])
        ):
            run[1], run[4] = end, source_end
            return
        self._runs.append([start, end, page, source_start, source_end])

    def add_folded(self, raw: str, offset: int = 0, page: int | None = None) -> None:
        """Append `raw`, normalised; its first character stands at `offset` of the original."""
        for piece in normalise(raw):
            self.add(piece.text, offset + piece.start, offset + piece.end, page)

    def add_indexed(self, raw: str, indices: Sequence[int], page: int | None = None) -> None:
        """Append `raw`, normalised; character i stands at `indices[i]` of the original, in any order."""
        for text, start, end in normalise(raw):
            if len(text) != end - start:
                places = indices[start:end]
                self.add(text, min(places), max(places) + 1, page)
                continue
            first = start
            for here in range(start + 1, end + 1):
                if here == end or indices[here] != indices[here - 1] + 1:
                    self.add(text[first - start : here - start], indices[first], indices[here - 1] + 1, page)
                    first = here

    def heading(self, start: int, level: int) -> None:
        """Say that everything added since `start` is a heading."""
        title = " ".join("".join(self._parts_from(start)).split())
        if title:
            self._headings.append(Heading(start, self.length, min(max(level, 1), _HEADING_LEVELS), title))

    def build(self) -> Text:
        runs = tuple(TextRun(*run) for run in self._runs)  # type: ignore[arg-type]
        return Text("".join(self._parts), runs, tuple(self._headings), self._parser)

    def _parts_from(self, start: int) -> list[str]:
        parts: list[str] = []
        at = self.length
        for part in reversed(self._parts):
            if at <= start:
                break
            at -= len(part)
            parts.append(part)
        return parts[::-1]


def _width(start: int | None, end: int | None) -> int:
    return (end or 0) - (start or 0)


Series = Literal["", "row", "item"]
PAGE_BREAK = "\f"  # in a block's text; no XML document can hold this character itself


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, heading, table row or list item of a format without pages.

    Blocks of the same `series` (rows of a table, items of a list) stand on lines right under each other; all others
    after a blank line. A PAGE_BREAK in `text` says that a new page begins there; it is no part of the reading text.
    """

    text: str
    level: int = 0  # of a heading, from 1; 0 is not a heading
    series: Series = ""


def build_text(blocks: Sequence[Block], parser: str) -> Text:
    """The reading text of blocks in document order. Source offsets are into the blocks' text, joined the same way.

    Where no block holds a PAGE_BREAK, nothing is known of pages and the text has none.
    """
    builder = TextBuilder(parser)
    at = 0
    page = 1 if any(PAGE_BREAK in block.text for block in blocks) else None
    previous: Block | None = None
    for block in blocks:
        first, *others = block.text.split(PAGE_BREAK)
        if not block.text.strip():
            page = page and page + len(others)
            continue
        if previous is not None:
            between = "\n" if block.series and block.series == previous.series else "\n\n"
            builder.add(between, at, at + len(between), page)
            at += len(between)
        start = builder.length
        builder.add_folded(first, at, page)
        at += len(first)
        for part in others:
            page = page and page + 1
            builder.add_folded(part, at, page)
            at += len(part)
        if block.level:
            builder.heading(start, block.level)
        previous = block
    return builder.build()


_LONGEST_WORD = 200  # characters looked at on either side of a line end
_WORD_END = re.compile(r"(?<![^\W\d_])[^\W\d_]++$")
# From the beginning of a run of letters and never given back: a run that is no word is gone through once.
_WHOLE_WORD = re.compile(r"(?<![^\W\d_])(?<!-)[^\W\d_]++(?:-[^\W\d_]++)*+(?=[\s.,;:)\]])")
_WORD_START = re.compile(r"[^\W\d_]+")
# First parts that nearly always keep their hyphen in English; the document's own spelling goes before this list.
_COMPOUND_STARTS = frozenset({
    "self", "well", "non", "half", "cross", "high", "low", "long", "short", "all", "ex", "quasi", "full", "large",
    "small", "single", "double", "multi", "two", "three", "four", "five", "six", "age", "sex", "dose", "case",
    "time", "cost", "open", "state", "year", "evidence", "placebo", "follow", "x", "t"
})  # fmt: skip


def keeps_hyphen(before: str, after: str, vocabulary: frozenset[str] | set[str] = frozenset()) -> bool:
    """Whether a hyphen at the end of a line belongs to the word.

    `before` ends where the hyphen stands, `after` begins the next line. The hyphen stays before a capital or a
    digit (COVID-19, Harvard-Oxford), after a digit, and in a word that has one already (state-of-the-art).
    Otherwise the document decides: the spelling found elsewhere in it wins (`vocabulary`, in lower case); a few
    first parts that nearly always make compounds keep it; all else is joined.
    """
    before, after = before[-_LONGEST_WORD:], after[:_LONGEST_WORD]
    first, second = _WORD_END.search(before), _WORD_START.match(after)
    if not first or not second or not after[0].islower():
        return True
    if before[: first.start()].endswith(("-", "\u2010", "\u2011")):
        return True
    head, tail = first.group().lower(), second.group().lower()
    if head + tail in vocabulary:
        return False
    return f"{head}-{tail}" in vocabulary or head in _COMPOUND_STARTS


def vocabulary_of(words: str) -> set[str]:
    """The words and hyphenated compounds that stand whole inside lines of `words`, in lower case."""
    return {match.group().lower() for match in _WHOLE_WORD.finditer(words) if len(match.group()) <= _LONGEST_WORD}
