"""Which paragraphs of a DOCX are headings, by style, by outline level, or by the styles theirs is based on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from litloop.reading.docx_package import W

_HEADING_NAME = re.compile(r"heading\s*([1-9])", re.IGNORECASE)
_TITLE_NAMES = frozenset({"title", "titel", "titre", "título", "titolo", "book title", "document title"})
_LIST_NAME = re.compile(r"list\b", re.IGNORECASE)
_BODY_OUTLINE = 9  # the outline level that means body text
_RAISED_HALF_POINTS = 4  # a run moved up by two points
_MAX_CHAIN = 20  # styles based on each other; a loop would never end


class Styles:
    """Answers about the style of a paragraph, given its `w:pPr`."""

    def __init__(self, root: Any) -> None:
        elements = root.iterfind(f"{W}style") if root is not None else ()
        self._styles = {element.get(f"{W}styleId"): element for element in elements}

    def heading_level(self, properties: Any) -> int:
        """From 1; 0 for body text. A title is level 1."""
        outline = _outline(properties)
        if outline is not None:
            return outline + 1 if outline < _BODY_OUTLINE else 0
        for style in self._chain(properties):
            if self._own_name(style).lower() in _TITLE_NAMES:
                return 1
            if match := _HEADING_NAME.match(self._own_name(style)):
                return int(match.group(1))
            outline = _outline(self._styles[style].find(f"{W}pPr"))
            if outline is not None:
                return outline + 1 if outline < _BODY_OUTLINE else 0
        return 0

    def is_title(self, properties: Any) -> bool:
        return any(self._own_name(style).lower() in _TITLE_NAMES for style in self._chain(properties)[:1])

    def is_list_item(self, properties: Any) -> bool:
        if properties is not None and properties.find(f"{W}numPr") is not None:
            return True
        return any(_LIST_NAME.match(self._own_name(style)) for style in self._chain(properties)[:1])

    def properties_of(self, run: Any) -> list[Any]:
        """The run properties that hold for a run, nearest first: its own, its style's, its paragraph's style's."""
        own = run.find(f"{W}rPr")
        paragraph = next(run.iterancestors(f"{W}p"), None)
        of_paragraph = paragraph.find(f"{W}pPr") if paragraph is not None else None
        found = [] if own is None else [own, *self._run_properties(own, "rStyle")]
        return [*found, *self._run_properties(of_paragraph, "pStyle")]

    def is_raised(self, run: Any) -> bool:
        """Whether a run is a superscript, or is moved up by so much that it looks like one."""
        sources = self.properties_of(run)
        if aligned := nearest_value(sources, "vertAlign"):
            return aligned == "superscript"
        moved = nearest_value(sources, "position")
        return moved.isdecimal() and int(moved[:6]) >= _RAISED_HALF_POINTS

    def _run_properties(self, properties: Any, kind: str) -> Iterator[Any]:
        """The `w:rPr` of the style that `properties` name (`kind` is pStyle or rStyle) and of those it is based on."""
        for style in self._chain(properties, kind):
            found = self._styles[style].find(f"{W}rPr")
            if found is not None:
                yield found

    def _chain(self, properties: Any, kind: str = "pStyle") -> list[str]:
        """The style of a paragraph or run and those it is based on, nearest first."""
        style = _value(properties, kind)
        chain: list[str] = []
        while style in self._styles and style not in chain and len(chain) < _MAX_CHAIN:
            chain.append(style)
            style = _value(self._styles[style], "basedOn")
        return chain

    def _own_name(self, style: str) -> str:
        return _value(self._styles[style], "name") or style


def nearest_value(sources: list[Any], name: str) -> str:
    """The value of the property `name` where it is first found, or nothing."""
    element = next((found for source in sources if (found := source.find(f"{W}{name}")) is not None), None)
    return str(element.get(f"{W}val", "")) if element is not None else ""


def _value(parent: Any, name: str) -> str:
    element = parent.find(f"{W}{name}") if parent is not None else None
    return str(element.get(f"{W}val", "")) if element is not None else ""


def _outline(properties: Any) -> int | None:
    value = _value(properties, "outlineLvl")
    return int(value) if value.isdecimal() else None
