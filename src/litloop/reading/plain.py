"""Plain text becomes a document. Source offsets are into the file's decoded text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from litloop.core.errors import SourceError
from litloop.core.records import Document, Text
from litloop.reading.assembly import TextBuilder, keeps_hyphen, vocabulary_of
from litloop.reading.line_numbers import numbered_lines
from litloop.reading.metadata import described_document
from litloop.reading.reference_marks import with_reference_marks
from litloop.reading.result import ReadResult
from litloop.text.encodings import decode

PARSER = "plain/1"
MEDIA_TYPE = "text/plain"

_MAX_CONTROLS = 0.05  # share of control characters beyond which bytes are not text
_LONGEST_WORD = 200  # characters looked at on either side of a line end
_DIVIDED = re.compile(
    rf"(?<=[^\W\d_])[-\u2010](?P<break>[ \t]*+(?:\r\n|\r|\n)[ \t]*+)(?=(?P<after>[^\W_]\w{{0,{_LONGEST_WORD}}}))"
)


def read_plain(path: Path) -> ReadResult:
    """Read a text file in any common encoding. Raises SourceError: empty, unsupported (not text), garbled."""
    raw, warnings = text_of_file(path)
    text = plain_text(raw)
    if not text.content.strip():
        raise SourceError("empty", f"{path.name} is empty: there is no text in it.")
    return ReadResult((Document(described_document(path, text), text),), warnings, MEDIA_TYPE)


def text_of_file(path: Path) -> tuple[str, tuple[str, ...]]:
    """The decoded text of a file, and a warning where characters were lost."""
    raw, encoding = decode(path.read_bytes())
    controls = sum(char < " " and char not in "\t\n\r\f\x1b\0" for char in raw[:100_000])
    if controls > _MAX_CONTROLS * max(len(raw[:100_000]), 1):
        raise SourceError("unsupported", f"{path.name} is not a text file: it holds binary data.")
    lost = raw.count("\ufffd")
    if lost > _MAX_CONTROLS * max(len(raw), 1):
        raise SourceError("garbled", f"{path.name} cannot be read as text in any known encoding.")
    warnings = (f"{path.name}: {lost} characters could not be read as {encoding}.",) if lost else ()
    return raw, warnings


def plain_text(raw: str) -> Text:
    """`raw` with compatibility forms folded and words divided at line ends made whole; lines stay lines. The numbers of
    its lines, as manuscripts have them, go."""
    lines = raw.splitlines(keepends=True)
    rests = numbered_lines([line.rstrip("\r\n\f\v") for line in lines])
    if rests is None:
        return _without_divisions(raw, range(len(raw)))
    kept: list[int] = []
    start = 0
    for line, (first, last) in zip(lines, rests, strict=True):
        end = len(line.rstrip("\r\n\f\v"))
        kept += [*range(start + first, start + last), *range(start + end, start + len(line))]
        start += len(line)
    return _without_divisions("".join(raw[at] for at in kept), kept)


def _without_divisions(raw: str, places: Sequence[int]) -> Text:
    """The text of `raw`, whose character i stands at `places[i]` of the file."""
    builder = TextBuilder(PARSER)
    vocabulary: set[str] | None = None

    def add(start: int, end: int) -> None:
        if isinstance(places, range):
            builder.add_folded(raw[start:end], start)
        else:
            builder.add_indexed(raw[start:end], places[start:end])

    at = 0
    for match in _DIVIDED.finditer(raw):
        vocabulary = vocabulary if vocabulary is not None else vocabulary_of(raw)
        before = raw[max(at, match.start() - _LONGEST_WORD) : match.start()]
        word = before[max(before.rfind(space) for space in " \t\n\r") + 1 :]
        keeps = keeps_hyphen(word, match["after"], vocabulary)
        add(at, match.start("break") if keeps else match.start())
        at = match.end("break")
    add(at, len(raw))
    return with_reference_marks(builder.build())
