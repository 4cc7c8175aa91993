"""Passages: a paper's text in sentence-aware stretches that fit an embedder's window.

Sentences are packed until `size` tokens are full. A new top heading opens a new passage unless the one before it
would be tiny, a lower heading once half the size is used; otherwise the end is drawn back to a paragraph's end
where one is near. The next passage repeats whole trailing sentences of up to `overlap` tokens, within one section;
a longer last sentence is not repeated (a passage that began in mid-sentence could not be quoted well). A sentence
longer than a passage is cut at a clause, at white space, or between tokens. On 650 abstracts at size 256, 94 % of
neighbouring sentences stand together in a passage with overlap 32 (2 % more tokens), 97 % with 48 (6 % more), 90 %
with none.

Nothing is lost: every visible character lies in some anchor. What is embedded (title, headings, text) always fits
the window: the headings are shortened first, then the title, the text never.
"""

from __future__ import annotations

import hashlib
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from litloop.core.normal_forms import normal_form
from litloop.core.records import Anchor, Heading, Paper, Passage, Text
from litloop.embedding.protocol import Tokenizer
from litloop.embedding.window import within_window
from litloop.text.sentences import sentence_spans

PASSAGES_VERSION = 1  # part of a library's recipe: another version makes passages anew

_TINY = 0.25  # of a passage; less than this before a top heading goes on into the new section
_HALF = 0.5  # of a passage; a lower heading opens a new one from here on
_NEAR = 0.6  # of a passage; a paragraph that ends behind this is a good end
_SURE = 8  # tokens below the window; what is estimated to fit with so many to spare is not counted again
_HEADING_JOINT = " › "
_CLAUSE_ENDS = ",;:—–)]、，；"
_MOST_ACCENTS = 32  # marks that are kept with their letter where a long word is cut
_SENTENCE, _PARAGRAPH, _SUBHEADING, _TOP_HEADING = range(4)


def make_passages(
    paper: Paper, text: Text, tokenizer: Tokenizer, *, size: int = 256, overlap: int = 32
) -> list[Passage]:
    """The passages of `text`, in order. `size` and `overlap` are in the tokenizer's tokens, overlap < size.

    Ids are "<paper id>::<8 hex of the text's hash>": the same text gets the same id when it is read again, and a
    change elsewhere leaves it alone as far as it leaves the packing alone (at most to the next heading).

    A paper without text gives one passage made of its title, so that it can be found. Nothing of it can be
    anchored: start and end are 0. A paper with neither gives none.
    """
    cutter = _Cutter(paper, text, tokenizer, size, overlap)
    return cutter.title_only() if not text.content.strip() else cutter.passages()


class _Unit(NamedTuple):
    """What is never cut further: a sentence, a piece of a very long one, or a heading."""

    start: int
    end: int
    opens: int  # the strongest thing that begins here: sentence, paragraph, heading
    is_heading: bool
    above: tuple[str, ...]  # the headings above it


@dataclass(frozen=True, slots=True)
class _Context:
    """The title and headings that are embedded before a text, and how many tokens they leave it."""

    title: str
    heading: str
    tokens: int
    room: int


class _Ruler:
    """Counts tokens of any stretch of a text that was tokenised once."""

    def __init__(self, content: str, tokenizer: Tokenizer) -> None:
        spans = tokenizer.spans(content)  # may be empty: some tokenizers drop all of a text of odd characters
        self.starts = [span[0] for span in spans]
        self._ends = [span[1] for span in spans]

    def count(self, start: int, end: int) -> int:
        """The tokens that have a character in [start, end)."""
        first = bisect_right(self._ends, start)
        return bisect_left(self.starts, end, first) - first if first < len(self.starts) else 0

    def cut(self, text: str, start: int, end: int, tokens: int) -> int:
        """Where to end a stretch of at most `tokens` tokens from `start`: at a clause, a space, or a token."""
        first = bisect_right(self._ends, start)
        limit = self.starts[first + tokens] if first + tokens < len(self.starts) else end
        clause = space = 0
        for index in range(first + tokens, first + tokens // 2, -1):
            place = self.starts[index] if index < len(self.starts) else end
            if not start < place < end:
                continue
            if text[place - 1].isspace() or text[place].isspace():
                space = space or place
                if text[max(start, place - 8) : place].rstrip()[-1:] in _CLAUSE_ENDS:
                    clause = place
                    break
        return clause or space or _whole_character(text, start, min(max(limit, start + 1), end))


class _Cutter:
    """Cuts one text. Holds what every step needs: the text, its tokens, the limits."""

    def __init__(self, paper: Paper, text: Text, tokenizer: Tokenizer, size: int, overlap: int) -> None:
        self._paper = paper
        self._text = text
        self._content = text.content
        self._version = text.version
        self._tokenizer = tokenizer
        self._size = size
        self._overlap = overlap
        self._window = max(1, tokenizer.window - tokenizer.special)
        self._contexts: dict[tuple[str, ...], _Context] = {}
        self._ids: set[str] = set()
        self._repeats: dict[str, int] = {}

    def title_only(self) -> list[Passage]:
        title = within_window(" ".join(self._paper.title.split()), self._tokenizer, self._window)
        if not title:
            return []
        anchor = Anchor(self._paper.id, self._version, 0, 0)
        return [Passage(self._id(title), self._paper.id, anchor, title, tokens=self._tokens(title))]

    def passages(self) -> list[Passage]:
        self._ruler = _Ruler(self._content, self._tokenizer)
        units = list(self._units())
        unnamed = (passage for stretch in self._pack(units) for passage in self._fitting(*stretch))
        return [replace(passage, id=self._id(passage.text)) for passage in unnamed]

    # --- From text to units ---

    def _units(self) -> Iterator[_Unit]:
        sections = list(self._sections())
        room = min(self._context(above).room for _, _, _, _, above in sections)
        for start, end, section_opens, is_heading, above in sections:
            opens = section_opens
            for first, last in sentence_spans(self._content[start:end]):
                unit = _Unit(start + first, start + last, opens, is_heading, above)
                yield from self._pieces(unit, room)
                opens = _SENTENCE if is_heading else self._opening(start + last)

    def _sections(self) -> Iterator[tuple[int, int, int, bool, tuple[str, ...]]]:
        """Headings and the stretches between them: start, end, what opens there, is it a heading, headings above."""
        headings = _usable(self._text.headings, len(self._content))
        top = _top_level(headings)
        path: list[Heading] = []
        position, opens = 0, _PARAGRAPH
        for heading in headings:
            yield position, heading.start, opens, False, self._titles(path)
            path = [outer for outer in path if outer.level < heading.level]
            opens = _TOP_HEADING if heading.level <= top else _SUBHEADING
            yield heading.start, heading.end, opens, True, self._titles(path)
            path.append(heading)
            position, opens = heading.end, _SENTENCE
        yield position, len(self._content), opens, False, self._titles(path)

    def _titles(self, path: Sequence[Heading]) -> tuple[str, ...]:
        """The titles of the headings, without one that repeats the paper's title: it is embedded anyway."""
        titles = (" ".join(heading.title.split()) for heading in path)
        return tuple(title for title in titles if title and title.casefold() != self._paper.title.casefold().strip())

    def _opening(self, end: int) -> int:
        """What the white space after `end` announces for the next sentence."""
        gap = self._content[end : end + 16]
        return _PARAGRAPH if gap[: len(gap) - len(gap.lstrip())].count("\n") > 1 else _SENTENCE

    def _pieces(self, unit: _Unit, room: int) -> Iterator[_Unit]:
        """The unit, cut where it is longer than the smallest passage allows."""
        start, opens = unit.start, unit.opens
        while self._ruler.count(start, unit.end) > room and unit.end - start > 1:
            stop = self._ruler.cut(self._content, start, unit.end, room)
            if stop >= unit.end:
                break
            yield _Unit(start, start + len(self._content[start:stop].rstrip()), opens, unit.is_heading, unit.above)
            start, opens = _skip_space(self._content, stop, unit.end), _SENTENCE
        yield _Unit(start, unit.end, opens, unit.is_heading, unit.above)

    # --- From units to passages ---

    def _pack(self, units: Sequence[_Unit]) -> Iterator[tuple[int, int, tuple[str, ...]]]:
        first, begin = 0, 0  # the first new unit, and the unit the passage begins with (before it: overlap)
        while first < len(units):
            room = self._context(units[begin].above).room
            if begin < first and self._ruler.count(units[begin].start, units[first].end) > room:
                begin = first
                room = self._context(units[begin].above).room
            stop = self._stop(units, begin, first, room)
            yield units[begin].start, units[stop - 1].end, units[begin].above
            begin = self._overlap_from(units, first, stop)
            first = stop

    def _stop(self, units: Sequence[_Unit], begin: int, first: int, room: int) -> int:
        """The unit before which the passage ends."""
        start = units[begin].start
        for index in range(first + 1, len(units)):
            unit = units[index]
            filled = self._ruler.count(start, units[index - 1].end) / room
            if not units[index - 1].is_heading and (
                (unit.opens == _TOP_HEADING and filled >= _TINY) or (unit.opens == _SUBHEADING and filled >= _HALF)
            ):
                return index
            if self._ruler.count(start, unit.end) > room:
                return self._drawn_back(units, begin, first, index, room)
        return len(units)

    def _drawn_back(self, units: Sequence[_Unit], begin: int, first: int, stop: int, room: int) -> int:
        """An end at or before `stop` that is not behind a heading and, where one is near, behind a paragraph."""
        while stop - 1 > first and units[stop - 1].is_heading:
            stop -= 1
        for index in range(stop, first, -1):
            if self._ruler.count(units[begin].start, units[index - 1].end) < _NEAR * room:
                break
            if units[index].opens >= _PARAGRAPH and not units[index - 1].is_heading:
                return index
        return stop

    def _overlap_from(self, units: Sequence[_Unit], first: int, stop: int) -> int:
        if stop >= len(units) or units[stop].opens >= _SUBHEADING:
            return stop
        begin = stop
        for index in range(stop - 1, first, -1):
            if units[index].is_heading or self._ruler.count(units[index].start, units[stop - 1].end) > self._overlap:
                break
            begin = index
        return begin

    # --- From stretches to records ---

    def _fitting(self, start: int, end: int, above: tuple[str, ...], sure: int = _SURE) -> Iterator[Passage]:
        """The stretch as a passage; as two where the tokens of the whole are more than those of its parts."""
        context = self._context(above)
        body = self._content[start:end]
        passage = self._passage(start, end, context)
        if self._fits(passage, context, sure):
            yield passage
        elif len(body) > 1:
            middle = _whole_character(self._content, start, start + len(body) // 2)
            middle = start + (body.rfind(" ", len(body) // 4, middle - start) + 1 or middle - start)
            for half in (_trimmed(self._content, start, middle), _trimmed(self._content, middle, end)):
                if half[0] < half[1]:
                    yield from self._fitting(*half, above, sure=self._window)
        else:  # one character that the window holds only alone
            yield self._passage(start, end, _Context("", "", 0, 0))

    def _fits(self, passage: Passage, context: _Context, sure: int) -> bool:
        """Counted anew only where it could fail: near the window, or where a word was cut."""
        ends = passage.anchor.start, passage.anchor.end
        cut = any(_cuts_word(self._content, place) for place in ends)
        if not cut and passage.tokens + context.tokens + sure <= self._window:
            return True
        return self._tokens(passage.embedded_text) <= self._window

    def _passage(self, start: int, end: int, context: _Context) -> Passage:
        body = self._content[start:end]
        return Passage(
            id="",
            paper_id=self._paper.id,
            anchor=Anchor(self._paper.id, self._version, start, end),
            text=body,
            page=self._text.page_at(start),
            later_pages=self._text.pages_begun(start, end),
            heading=context.heading,
            tokens=self._ruler.count(start, end),
            title=context.title,
        )

    def _id(self, body: str) -> str:
        """Named by its text; the second passage with the same text (or hash) is named by its text and number."""
        normal = normal_form("NFC", " ".join(body.split()))
        first = _short_hash(normal)
        while True:
            repeat = self._repeats.get(first, 0)
            self._repeats[first] = repeat + 1
            digest = _short_hash(f"{normal}\0{repeat}") if repeat else first
            if digest not in self._ids:
                self._ids.add(digest)
                return f"{self._paper.id}::{digest}"

    def _context(self, above: tuple[str, ...]) -> _Context:
        if above not in self._contexts:
            self._contexts[above] = self._shortened(above)
        return self._contexts[above]

    def _shortened(self, above: tuple[str, ...]) -> _Context:
        """Half the window, or `size`, is the text's. Outer headings go first, then all, then the title's end."""
        budget = self._window - max(1, min(self._size, self._window // 2))
        title = " ".join(self._paper.title.split())
        for inner in range(len(above) + 1):
            heading = _HEADING_JOINT.join(above[inner:])
            tokens = self._context_tokens(title, heading)
            if tokens <= budget:
                return _Context(title, heading, tokens, min(self._size, self._window - tokens))
        title = within_window(title, self._tokenizer, budget)
        while title and self._context_tokens(title, "") > budget:
            title = title[:-1].rstrip()
        tokens = self._context_tokens(title, "")
        return _Context(title, "", tokens, min(self._size, self._window - tokens))

    def _context_tokens(self, title: str, heading: str) -> int:
        return self._tokens("".join(part + "\n" for part in (title, heading) if part))

    def _tokens(self, text: str) -> int:
        return len(self._tokenizer.spans(text)) if text else 0


def _short_hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _usable(headings: Sequence[Heading], length: int) -> list[Heading]:
    """The headings in order, without any that lies outside the text or inside another."""
    kept: list[Heading] = []
    for heading in sorted(headings, key=lambda heading: heading.start):
        if (kept[-1].end if kept else 0) <= heading.start < heading.end <= length:
            kept.append(heading)
    return kept


def _top_level(headings: Sequence[Heading]) -> int:
    """The level of the paper's main sections; a single heading above all others is its title."""
    levels = sorted(heading.level for heading in headings)
    single = len(levels) > 1 and levels[0] < levels[1]
    return levels[1] if single else (levels[0] if levels else 1)


def _skip_space(text: str, start: int, end: int) -> int:
    while start < end and text[start].isspace():
        start += 1
    return start


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    start = _skip_space(text, start, end)
    return start, start + len(text[start:end].rstrip())


def _cuts_word(text: str, place: int) -> bool:
    return 0 < place < len(text) and not text[place - 1].isspace() and not text[place].isspace()


def _whole_character(text: str, start: int, place: int) -> int:
    """The last place at or before `place`, behind `start`, that does not part a letter from its accents. A run of marks
    that is longer than any letter's is parted at `place`."""
    first = max(start + 1, place - _MOST_ACCENTS)
    best = place
    while best > first and best < len(text) and unicodedata.combining(text[best]):
        best -= 1
    parted = 0 < best < len(text) and unicodedata.combining(text[best])
    return place if parted else best
