"""What stands inside a Markdown line: emphasis, links, code, formulas, escapes, entities and stray HTML."""

from __future__ import annotations

import html
import re

from litloop.reading.assembly import TextBuilder
from litloop.text.characters import raised

_TOKEN = re.compile(
    r"""
      (?P<code>(?P<ticks>`+)(?!`)(?P<inner>.+?)(?<!`)(?P=ticks)(?!`))
    | (?P<math>\$\$.+?\$\$|\$(?!\s)(?:[^$\n]|\n(?!\s*\n))+?(?<!\s)\$(?!\d))
    | (?P<hard>(?:[ \t]{2,}|\\)(?:\r\n|\r|\n)[ \t]*(?:>[ \t]?)*)
    | (?P<soft>[ \t]*(?:\r\n|\r|\n)[ \t]*(?:>[ \t]?)*)
    | (?P<spaces>[ \t]{2,})
    | (?P<escape>\\[!-/:-@\[-`{-~])
    | (?P<autolink><(?P<address>(?:https?|ftp|mailto):[^\s<>]+|[\w.+-]+@[\w.-]+\w)>)
    | (?P<raised><sup>(?P<up>[^<]*)</sup>)
    | (?P<break><br\s*/?>)
    | (?P<tag><(?:script|style)\b.*?</(?:script|style)\s*>|</?[a-zA-Z][^<>]*>|<!--.*?-->)
    | (?P<image>!\[(?P<alt>[^\]]*)\](?:\([^()\s]*(?:\([^()]*\)[^()\s]*)*(?:\s+"[^"]*")?\)|\[[^\]]*\]))
    | (?P<link>\[(?P<label>(?:[^\[\]\\]|\\.|\[[^\[\]]*\])*)\]
        (?:\((?:[^()\s]|\([^()]*\))*(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)|\[[^\]\n]*\](?!\()))
    | (?P<note>\[\^[^\]\s]+\])
    | (?P<entity>&(?:\#\d{1,7}|\#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,30});)
    | (?P<marks>\*+|_+|~~)
    """,
    re.VERBOSE | re.DOTALL,
)


def add_inline(builder: TextBuilder, raw: str, start: int, end: int) -> None:
    """Append the reading text of raw[start:end]."""
    dropped = _emphasis(raw, start, end)
    at = start
    for match in _TOKEN.finditer(raw, start, end):
        if match.start() < at:
            continue
        kind = match.lastgroup if match.lastgroup not in _INNER_GROUPS else _kind(match)
        if kind == "marks" and match.start() not in dropped:
            continue  # an asterisk that is only an asterisk
        builder.add_folded(raw[at : match.start()], at)
        _add_token(builder, raw, match, kind or "")
        at = match.end()
    builder.add_folded(raw[at:end], at)


_INNER_GROUPS = frozenset({"ticks", "inner", "address", "up", "alt", "label"})


def _kind(match: re.Match[str]) -> str:
    return next(name for name, value in match.groupdict().items() if value is not None and name not in _INNER_GROUPS)


def _add_token(builder: TextBuilder, raw: str, match: re.Match[str], kind: str) -> None:
    first, last = match.span()
    if kind in {"code", "autolink", "image"}:
        group = {"code": "inner", "autolink": "address", "image": "alt"}[kind]
        builder.add_folded(match[group], match.start(group))
    elif kind == "link":
        add_inline(builder, raw, match.start("label"), match.end("label"))
    elif kind == "math":
        at = first
        for escape in re.finditer(r"\\(?=[_*])", match.group()):
            builder.add_folded(raw[at : first + escape.start()], at)
            at = first + escape.end()
        builder.add_folded(raw[at:last], at)
    elif kind in {"hard", "break"}:
        builder.add("\n", first, last)
    elif kind in {"soft", "spaces"}:
        builder.add(" ", first, last)
    elif kind == "escape":
        builder.add(raw[first + 1], first, last)
    elif kind == "raised":
        builder.add(raised(match["up"]), match.start("up"), match.end("up"))
    elif kind == "entity":
        builder.add(html.unescape(match.group()).replace("\xa0", " "), first, last)


def _emphasis(raw: str, start: int, end: int) -> set[int]:
    """Where marks stand that open or close emphasis. A mark opens before a letter and closes after one; an
    underscore only at the edge of a word, so that file_names stay whole."""
    dropped: set[int] = set()
    open_marks: list[tuple[str, int]] = []
    for match in _TOKEN.finditer(raw, start, end):
        marks = match["marks"]
        if not marks:
            continue
        before = raw[match.start() - 1] if match.start() > start else " "
        after = raw[match.end()] if match.end() < end else " "
        opens, closes = not after.isspace(), not before.isspace()
        if marks[0] == "_":
            opens, closes = opens and not before.isalnum(), closes and not after.isalnum()
        partner = next((k for k in range(len(open_marks) - 1, -1, -1) if open_marks[k][0] == marks), None)
        if closes and partner is not None:
            dropped |= {open_marks[partner][1], match.start()}
            del open_marks[partner:]
        elif opens:
            open_marks.append((marks, match.start()))
    return dropped
