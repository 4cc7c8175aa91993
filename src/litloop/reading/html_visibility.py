"""Which elements of a web page a person does not see, by their attributes, inline styles and the page's own style
sheet.

Sheets that a page only links to are not fetched, and rules inside @media and the like are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_ZERO = r"[-+]?0*(?:\.0*)?"
_LEAST_SIZE = re.compile(rf"(?:{_ZERO}(?:px|pt|em|rem|%|ex|vw|vh)?|0*\.\d+\s*(?:px|pt)|0*\.0\d*\s*r?em)", re.IGNORECASE)
_NOTHING = re.compile(rf"{_ZERO}(?:px|pt|em|rem|%)?", re.IGNORECASE)
_FAR_AWAY = re.compile(r"-\s*\d{3,}(?:\.\d*)?\s*(?:px|pt)|-\s*\d{3,}\s*r?em", re.IGNORECASE)
_NO_CLIP = re.compile(r"rect\(\s*(?:[01](?:px)?[\s,]+){3}[01](?:px)?\s*\)|inset\(\s*(?:50|100)%\s*\)", re.IGNORECASE)
_WHITE = re.compile(
    r"(?:white|#fff(?:fff)?f?f?|#f[a-f]f[a-f]f[a-f]|rgba?\((?:\s*+25[0-5](?:\s*+,|\s++)){2}\s*+25[0-5]\s*+(?:[,/][^)]*)?\)|"
    r"transparent|rgba\([^)]{0,40}[,/]\s*0(?:\.0*)?\s*\))",
    re.IGNORECASE,
)
_SELECTOR = re.compile(r"(?P<tag>[a-z][a-z0-9]*)?(?:(?P<sign>[.#])(?P<name>[\w-]+))?", re.IGNORECASE)
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_MOST_RULES = 20_000


class Visibility:
    """Answers for the elements of one page."""

    def __init__(self, page: Any) -> None:
        sheet = "".join("".join(style.itertext()) for style in page.iter("style"))
        self._coloured = "background" in sheet or any("background" in (e.get("style") or "") for e in page.iter())
        self._coloured = self._coloured or any(e.get("bgcolor") for e in page.iter("body", "table", "tr", "td", "th"))
        linked = any("stylesheet" in (link.get("rel") or "").lower() for link in page.iter("link"))
        self._coloured = self._coloured or linked  # white may be meant for a ground that we do not know
        self._hidden: set[tuple[str, str]] = set()  # (tag or "", ".name", "#name" or "")
        for selectors, declarations in _rules(sheet):
            if self._hides(declarations):
                for selector in selectors.split(","):
                    match = _SELECTOR.fullmatch(selector.strip())
                    if match and (match["tag"] or match["name"]):
                        self._hidden.add(((match["tag"] or "").lower(), (match["sign"] or "") + (match["name"] or "")))

    def is_hidden(self, element: Any) -> bool:
        """Whether the element itself is hidden; what stands in a hidden element is hidden with it."""
        if element.get("hidden") is not None or element.get("aria-hidden") == "true":
            return True
        style = element.get("style")
        return bool(style and self._hides(style)) or bool(self._hidden and self._is_named(element))

    def _is_named(self, element: Any) -> bool:
        names = ["", *(f".{name}" for name in (element.get("class") or "").split()), f"#{element.get('id') or ''}"]
        return any((tag, name) in self._hidden for name in names for tag in ("", str(element.tag).lower()))

    def _hides(self, declarations: str) -> bool:
        told = dict(_declarations(declarations))
        if told.get("display") == "none" or told.get("visibility") in {"hidden", "collapse"}:
            return True
        if _LEAST_SIZE.fullmatch(told.get("font-size", "1")) or _NOTHING.fullmatch(told.get("opacity", "1")):
            return True
        placed = told.get("position") in {"absolute", "fixed"}
        if placed and any(_FAR_AWAY.fullmatch(told.get(side, "")) for side in ("left", "top", "right", "bottom")):
            return True
        if _FAR_AWAY.fullmatch(told.get("text-indent", "")) or (placed and _NO_CLIP.search(_clip(told))):
            return True
        no_area = any(_NOTHING.fullmatch(told.get(side, "1")) for side in ("width", "height"))
        shut = told.get("overflow") == "hidden" and no_area
        return shut or (not self._coloured and bool(_WHITE.fullmatch(told.get("color", ""))))


def _clip(told: dict[str, str]) -> str:
    return f"{told.get('clip', '')} {told.get('clip-path', '')}"


def _declarations(style: str) -> Iterator[tuple[str, str]]:
    for declaration in style.split(";"):
        name, _, value = declaration.partition(":")
        yield name.strip().lower(), value.replace("!important", "").strip().lower()


def _rules(sheet: str) -> Iterator[tuple[str, str]]:
    """(selectors, declarations) of the rules that stand at the top of a sheet."""
    depth = count = 0
    before = selectors = ""
    for piece in re.split(r"([{}])", _COMMENT.sub("", sheet)):
        if piece == "{":
            selectors = before if depth == 0 else ""
            depth += 1
        elif piece == "}":
            if depth == 1 and selectors and not selectors.lstrip().startswith("@"):
                yield selectors, before
                count += 1
            depth = max(0, depth - 1)
            selectors = ""
        if count >= _MOST_RULES:
            return
        before = piece
