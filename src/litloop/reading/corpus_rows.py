"""The rows of a corpus file, one at a time: JSON lists, `{"papers": […]}`, JSON lines, plain or gzipped."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from litloop.core.errors import SourceError
from litloop.reading.reading_limits import MEGABYTE, ReadingLimits
from litloop.text.encodings import decode

ENDINGS = (".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz", ".ndjson.gz")
# The keys under which files keep their list of papers.
_LISTS = ("papers", "documents", "docs", "corpus", "articles", "records", "results", "data", "items")
_SPACE = re.compile(r"\s*")
_GZIP = b"\x1f\x8b"
_HEAD = 65_536  # bytes looked at to tell lines from one document


class CorpusRow(NamedTuple):
    """`value` is what the row holds, or None with `fault` saying why it cannot be read."""

    number: int  # from 1; the line in a file of lines
    value: Any
    fault: str = ""


def rows_of(path: Path, limits: ReadingLimits) -> Iterator[CorpusRow]:
    """The rows in order. Raises SourceError: broken, too_large, unsupported (JSON without a list of papers)."""
    head = _head(path)
    if _is_lines(head):
        yield from _line_rows(path, limits)
    else:
        yield from _document_rows(path, limits)


def starts_like_json(path: Path) -> bool:
    """Whether the file begins as JSON does, seen through gzip."""
    try:
        return _head(path).lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")
    except (SourceError, OSError):
        return False


def _opened(path: Path) -> IO[bytes]:
    with path.open("rb") as file:
        packed = file.read(2) == _GZIP
    return gzip.open(path, "rb") if packed else path.open("rb")  # type: ignore[return-value]


def _head(path: Path) -> bytes:
    try:
        with _opened(path) as stream:
            return stream.read(_HEAD)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise _broken_archive(path) from error


def _broken_archive(path: Path) -> SourceError:
    return SourceError("broken", f"{path.name} is broken: it is cut short or damaged and cannot be unpacked.")


def _is_lines(head: bytes) -> bool:
    """Whether the file holds one JSON object per line: the first line is an object, and more follow."""
    first, _, rest = head.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")
    if not first.startswith(b"{") or not rest.strip():
        return False
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return rest.lstrip()[:1] == b"{"  # a first row that is broken, and more rows
    return True


def _line_rows(path: Path, limits: ReadingLimits) -> Iterator[CorpusRow]:
    limit = int(limits.max_unpacked_mb * MEGABYTE)
    taken = 0
    try:
        with _opened(path) as stream:
            number = 0
            while line := stream.readline(limit - taken + 1):
                number += 1
                taken += len(line)
                if taken > limit and isinstance(stream, gzip.GzipFile):
                    raise SourceError(
                        "too_large",
                        f"{path.name} unpacks to more than reading.max_unpacked_mb ({limits.max_unpacked_mb:g} MB).",
                    )
                if line.strip():
                    yield _row(number, line.removeprefix(b"\xef\xbb\xbf"))
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise _broken_archive(path) from error


def _row(number: int, line: bytes) -> CorpusRow:
    try:
        return CorpusRow(number, json.loads(line))
    except RecursionError:
        return CorpusRow(number, None, "nests brackets too deep to be read")
    except ValueError:
        return CorpusRow(number, None, "is not valid JSON")


def _document_rows(path: Path, limits: ReadingLimits) -> Iterator[CorpusRow]:
    limit = int(limits.max_unpacked_mb * MEGABYTE)
    try:
        with _opened(path) as stream:
            data = stream.read(limit + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise _broken_archive(path) from error
    if len(data) > limit:
        raise SourceError(
            "too_large", f"{path.name} holds more than reading.max_unpacked_mb ({limits.max_unpacked_mb:g} MB) of JSON."
        )
    text, _ = decode(data)
    del data
    start = _skip(text, 0)
    if text[start : start + 1] == "[":
        yield from _list_rows(path, text, start)
    elif text[start : start + 1] == "{":
        yield from _object_rows(path, text, start, limits)
    else:
        raise SourceError("broken", f"{path.name} is broken: it does not hold JSON.")


def _list_rows(path: Path, text: str, start: int) -> Iterator[CorpusRow]:
    """The items of the list that begins at `start`, decoded one by one."""
    decoder = json.JSONDecoder()
    at = _skip(text, start + 1)
    number = 0
    while text[at : at + 1] != "]":
        number += 1
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            if number == 1:
                raise _broken(path, error) from error
            why = "nests brackets too deep" if isinstance(error, RecursionError) else "is cut short or not valid JSON"
            yield CorpusRow(number, None, f"{why}, and nothing after it can be read")
            return
        yield CorpusRow(number, value)
        at = _skip(text, at)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
        elif text[at : at + 1] != "]":
            yield CorpusRow(number + 1, None, "is cut short or not valid JSON, and nothing after it can be read")
            return


def _object_rows(path: Path, text: str, start: int, limits: ReadingLimits) -> Iterator[CorpusRow]:
    """The list of papers inside an object, else the object itself as one paper."""
    decoder = json.JSONDecoder()
    at = _skip(text, start + 1)
    whole: dict[str, Any] = {}
    try:
        while text[at : at + 1] == '"':
            key, at = decoder.raw_decode(text, at)
            at = _skip(text, at)
            if text[at : at + 1] != ":":
                raise ValueError("a key without a value")
            at = _skip(text, at + 1)
            if key in _LISTS and text[at : at + 1] == "[" and text[_skip(text, at + 1)] in "{]":
                yield from _list_rows(path, text, at)
                return
            whole[key], at = decoder.raw_decode(text, at)
            at = _skip(text, at)
            at = _skip(text, at + 1) if text[at : at + 1] == "," else at
        if text[at : at + 1] != "}":
            raise ValueError("an object without an end")
        if (
            text[_skip(text, at + 1) : _skip(text, at + 1) + 1] == "{"
        ):  # lines after all, the first longer than what was looked at
            yield from _line_rows(path, limits)
            return
    except (ValueError, IndexError, RecursionError) as error:
        raise _broken(path, error) from error
    yield CorpusRow(1, whole)


def _broken(path: Path, error: Exception) -> SourceError:
    if isinstance(error, RecursionError):
        return SourceError("broken", f"{path.name} cannot be read: its JSON nests brackets too deep.")
    return SourceError("broken", f"{path.name} is broken: it is not valid JSON.")


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at
