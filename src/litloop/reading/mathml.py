"""MathML becomes a line of text: fractions with a slash, powers raised where Unicode can, signs with space around."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from litloop.reading.formula_notation import fraction, grouped, index, power, root

_MOST_NESTED = 60  # levels; deeper ones are read as plain text, so that no nesting exhausts the stack
_SPACED = re.compile(r"[=<>≤≥≈≠≡≪≫∼±∓×÷∈→↔⇒∝]|\+|-|−")
_INVISIBLE = str.maketrans("", "", "\u2061\u2062\u2063\u2064\u200b")
_SKIPPED = frozenset({"annotation", "annotation-xml", "maligngroup", "malignmark", "mphantom"})
_PREFIXES = "=<>≤≥≈≠±×÷+-−([{,;/"


def mathml_text(element: Any) -> str:
    """The formula of a `math` element, read by local names, on one line."""
    return " ".join(_text(element, 0).translate(_INVISIBLE).split())


def _text(element: Any, depth: int) -> str:
    if not isinstance(element.tag, str):
        return ""
    name = element.tag.rpartition("}")[2].rpartition(":")[2]
    if name in _SKIPPED:
        return ""
    if depth > _MOST_NESTED:
        return "".join(element.itertext())
    if name == "mspace":
        return " "
    if name == "mo":
        return _sign(element)
    if not len(element):
        return element.text or ""
    if name == "mfenced":
        return _fenced(element, depth)
    if name == "mtable":
        rows = (", ".join(_text(cell, depth + 1).strip() for cell in row) for row in element)
        return f"[{'; '.join(rows)}]" if len(element) > 1 else " ".join(rows)
    parts = [_text(child, depth + 1) for child in element if isinstance(child.tag, str)]
    if name in _SHAPES and len(parts) >= _LEAST_PARTS.get(name, 2):
        return _SHAPES[name](parts)
    return "".join(parts)


def _sign(element: Any) -> str:
    """A relation or operation with space around it; as a prefix ("-1") without."""
    sign = (element.text or "").strip()
    before = element.getprevious()
    if not _SPACED.fullmatch(sign) or element.get("form") == "prefix":
        return sign
    if before is None or ((before.tag or "").endswith("mo") and (before.text or "").strip()[-1:] in _PREFIXES):
        return sign if sign in "+-−±" else f"{sign} "
    return f" {sign} "


def _fenced(element: Any, depth: int) -> str:
    separator = (element.get("separators", ",").strip() or " ")[0]
    inner = f"{separator} ".join(_text(child, depth + 1).strip() for child in element)
    return f"{element.get('open', '(')}{inner}{element.get('close', ')')}"


def _over(parts: list[str]) -> str:
    mark = _ACCENTS.get(parts[1].strip())
    return parts[0] + (mark if mark and len(parts[0].strip()) == 1 else "" if mark else power(parts[1]))


_ACCENTS = {"¯": "\u0304", "‾": "\u0304", "̄": "\u0304", "_": "\u0304", "^": "\u0302", "ˆ": "\u0302", "~": "\u0303",
            "˜": "\u0303", "˙": "\u0307", ".": "\u0307", "→": "\u20d7", "⃗": "\u20d7"}  # fmt: skip
_LEAST_PARTS = {"msqrt": 1, "msubsup": 3, "munderover": 3}
_SHAPES: dict[str, Callable[[list[str]], str]] = {
    "mfrac": lambda p: fraction(p[0], p[1]),
    "msup": lambda p: p[0] + power(p[1]),
    "msub": lambda p: p[0] + index(p[1]),
    "msubsup": lambda p: p[0] + index(p[1]) + power(p[2]),
    "munder": lambda p: p[0] + index(p[1]),
    "mover": _over,
    "munderover": lambda p: f"{p[0]}{index(p[1])}{power(p[2])} ",
    "mmultiscripts": lambda p: p[0] + "".join(map(index, p[1::2])) + "".join(map(power, p[2::2])),
    "msqrt": lambda p: root("".join(p)),
    "mroot": lambda p: root(p[0], p[1]),
    "menclose": lambda p: grouped("".join(p)),
}
