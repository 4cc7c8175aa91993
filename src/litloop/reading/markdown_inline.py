"""What stands inside a Markdown line: emphasis, links, code, formulas, escapes, entities and stray HTML.

In time linear in the text: no pattern looks further than the next sign of its own kind, and which backticks close a
stretch of code is found out once for all of them.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from litloop.reading.assembly import TextBuilder
from litloop.text.characters import raised_mark

_TOKEN = re.compile(
    r"""
      (?P<ticks>`+)
    | (?P<math>\$\$.+?\$\$|\$(?!\s)(?:[^$\n]|\n(?!\s*\n))+?(?<!\s)\$(?!\d))
    | (?P<hard>(?:[ \t]{2,}|\\)(?:\r\n|\r|\n)[ \t]*(?:>[ \t]?)*)
    | (?P<soft>[ \t]*(?:\r\n|\r|\n)[ \t]*(?:>[ \t]?)*)
    | (?P<spaces>[ \t]{2,})
    | (?P<escape>\\[!-/:-@\[-`{-~])
    | (?P<autolink><(?P<address>(?:https?|ftp|mailto):[^\s<>]+|[\w.+-]+@[\w.-]+\w)>)
    | (?P<raised><sup>(?P<up>[^<]*)</sup>)
    | (?P<break><br\s*/?>)
    | (?P<tag></?[a-zA-Z][^<>]*>)
    | (?P<image>!\[(?P<alt>(?:[^\[\]]|\[[^\[\]]*\])*)\]
        (?:\([^()\s]*(?:\([^()]*\)[^()\s]*)*(?:\s+"[^"]*")?\)|\[[^\]]*\]))
    | (?P<link>\[(?P<label>(?:[^\[\]\\]|\\.|\[[^\[\]]*\])*)\]
        (?:\((?:[^()\s]|\([^()]*\))*(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)|\[[^\]\n]*\](?!\()))
    | (?P<note>\[\^[^\[\]\s]+\])
    | (?P<entity>&(?:\#\d{1,7}|\#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,30});)
    | (?P<marks>\*+|_+|~~)
    """,
    re.VERBOSE | re.DOTALL,
)


def add_inline(builder: TextBuilder, raw: str, start: int, end: int) -> None:
    """Append the reading text of raw[start:end]."""
    tokens, dropped = list(_tokens(raw, start, end)), set[int]()
    _emphasis(raw, start, end, tokens, dropped)
    at = start
    for token in tokens:
        if token.kind == "marks" and token.start not in dropped:
            continue  # an asterisk that is only an asterisk
        builder.add_folded(raw[at : token.start], at)
        _add_token(builder, raw, token)
        at = token.end
    builder.add_folded(raw[at:end], at)


class _Token(NamedTuple):
    kind: str
    start: int
    end: int
    inner: tuple[int, int]  # the part that is read: of a link its label


def _tokens(raw: str, start: int, end: int) -> Iterator[_Token]:
    """What is not plain text, in order, none inside another."""
    closing = _closing_ticks(raw, start, end)
    at = start
    while match := _TOKEN.search(raw, at, end):
        kind = next(name for name, value in match.groupdict().items() if value is not None and name not in _INNER)
        inner = match.span(_INNER_OF.get(kind, kind))
        first, at = match.span()
        if kind == "ticks":
            last = closing.get(first)
            if last is None:
                continue  # ticks that nothing closes are ticks
            kind, inner, at = "code", (at, last), last + at - first
        yield _Token(kind, first, at, inner)


def _closing_ticks(raw: str, start: int, end: int) -> dict[int, int]:
    """Where the run of as many backticks begins that closes each run, from the end to the beginning."""
    closing: dict[int, int] = {}
    nearest: dict[int, int] = {}
    for run in reversed([match.span() for match in _TICKS.finditer(raw, start, end)]):
        length = run[1] - run[0]
        if length in nearest:
            closing[run[0]] = nearest[length]
        nearest[length] = run[0]
    return closing


_TICKS = re.compile("`+")
_INNER_OF = {"autolink": "address", "image": "alt", "link": "label", "raised": "up"}
_INNER = frozenset(_INNER_OF.values())


def _add_token(builder: TextBuilder, raw: str, token: _Token) -> None:
    first, last = token.start, token.end
    inner = raw[slice(*token.inner)]
    if token.kind in {"code", "autolink", "image"}:
        builder.add_folded(inner, token.inner[0])
    elif token.kind == "link":
        add_inline(builder, raw, *token.inner)
    elif token.kind == "math":
        at = first
        for escape in re.finditer(r"\\(?=[_*])", inner):
            builder.add_folded(raw[at : first + escape.start()], at)
            at = first + escape.end()
        builder.add_folded(raw[at:last], at)
    elif token.kind in {"hard", "break"}:
        builder.add("\n", first, last)
    elif token.kind in {"soft", "spaces"}:
        builder.add(" ", first, last)
    elif token.kind == "escape":
        builder.add(raw[first + 1], first, last)
    elif token.kind == "raised":
        builder.add(raised_mark(inner), *token.inner)
    elif token.kind == "entity":
        builder.add(html.unescape(inner).replace("\xa0", " "), first, last)


def _emphasis(raw: str, start: int, end: int, tokens: Sequence[_Token], dropped: set[int]) -> None:
    """Add to `dropped` where marks stand that open or close emphasis. A mark opens before a letter and closes after
    one; an underscore only at the edge of a word, so that file_names stay whole."""
    open_marks: list[_Token] = []
    places: dict[str, list[int]] = {}  # of each kind of mark among the open ones
    for token in tokens:
        if token.kind != "marks":
            continue
        marks = raw[token.start : token.end]
        before = raw[token.start - 1] if token.start > start else " "
        after = raw[token.end] if token.end < end else " "
        opens, closes = not after.isspace(), not before.isspace()
        if marks[0] == "_":
            opens, closes = opens and not before.isalnum(), closes and not after.isalnum()
        if closes and places.get(marks):
            partner = places[marks][-1]
            dropped |= {open_marks[partner].start, token.start}
            for one in open_marks[partner:]:  # what was opened inside is never closed
                places[raw[one.start : one.end]].pop()
            del open_marks[partner:]
        elif opens:
            places.setdefault(marks, []).append(len(open_marks))
            open_marks.append(token)
