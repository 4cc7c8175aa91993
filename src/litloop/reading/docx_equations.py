"""Office formulas (OMML) as a line of text: fractions with a slash, powers raised where Unicode can."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from litloop.reading.formula_notation import fraction, index, power, root

_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"


def equation_text(element: Any) -> str:
    """The formula in reading order, spaces collapsed."""
    return re.sub(r"\s+", " ", _text(element)).strip(" ") + _trailing_space(element)


def _trailing_space(element: Any) -> str:
    last = element[-1] if len(element) else None
    text = "".join(t.text or "" for t in last.iter(f"{_M}t")) if last is not None else ""
    return " " if text.endswith(" ") else ""


def _text(element: Any) -> str:
    name = element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
    if element.tag == f"{_M}t":
        return element.text or ""
    if name.endswith("Pr") or name in {"rPr", "instrText", "delText", "del"}:
        return ""
    if name in _SHAPES and element.tag.startswith(_M):
        return _SHAPES[name](element)
    if element.tag == f"{_M}m":
        return (
            "[" + "; ".join(", ".join(map(_text, row.iterfind(f"{_M}e"))) for row in element.iterfind(f"{_M}mr")) + "]"
        )
    return "".join(map(_text, element))


def _part(element: Any, name: str) -> str:
    child = element.find(f"{_M}{name}")
    return _text(child) if child is not None else ""


def _n_ary(element: Any) -> str:
    sign = element.find(f"{_M}naryPr/{_M}chr")
    symbol = sign.get(f"{_M}val", "∫") if sign is not None else "∫"
    return f"{symbol}{index(_part(element, 'sub'))}{power(_part(element, 'sup'))} {_part(element, 'e')}"


def _delimited(element: Any) -> str:
    def sign(name: str, usual: str) -> str:
        found = element.find(f"{_M}dPr/{_M}{name}")
        return str(found.get(f"{_M}val", "")) if found is not None else usual

    inner = sign("sepChr", "|").join(map(_text, element.iterfind(f"{_M}e")))
    return f"{sign('begChr', '(')}{inner}{sign('endChr', ')')}"


_SHAPES: dict[str, Callable[[Any], str]] = {
    "f": lambda e: fraction(_part(e, "num"), _part(e, "den")),
    "sSup": lambda e: _part(e, "e") + power(_part(e, "sup")),
    "sSub": lambda e: _part(e, "e") + index(_part(e, "sub")),
    "sSubSup": lambda e: _part(e, "e") + index(_part(e, "sub")) + power(_part(e, "sup")),
    "rad": lambda e: root(_part(e, "e"), _part(e, "deg")),
    "nary": _n_ary,
    "d": _delimited,
    "func": lambda e: f"{_part(e, 'fName')} {_part(e, 'e')}",
    "limLow": lambda e: _part(e, "e") + index(_part(e, "lim")),
    "limUpp": lambda e: _part(e, "e") + power(_part(e, "lim")),
}
