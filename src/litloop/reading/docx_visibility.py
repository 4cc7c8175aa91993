"""Which runs of a DOCX a person does not see: hidden by a switch, white on the paper, or smaller than a point."""

from __future__ import annotations

from typing import Any

from litloop.reading.docx_package import W
from litloop.reading.docx_styles import Styles, nearest_value

_LIGHT = 0xF0  # of 255, in every channel: as light as the paper
_LEAST_HALF_POINTS = 2.0
_PLAIN_TABLES = frozenset({"", "TableGrid", "TableNormal", "Tabellenraster"})


def is_on(flag: Any) -> bool:
    """Whether a switch such as w:vanish is there and not turned off."""
    return flag is not None and flag.get(f"{W}val", "true") not in {"0", "false", "off"}


def is_hidden(run: Any, styles: Styles) -> bool:
    """Whether the text of a run cannot be seen, by its own properties or those of its styles."""
    sources = styles.properties_of(run)
    for name in ("vanish", "specVanish"):
        flag = next((found for source in sources if (found := source.find(f"{W}{name}")) is not None), None)
        if is_on(flag):
            return True
    size = nearest_value(sources, "sz")
    if size.replace(".", "", 1).isdecimal() and float(size) < _LEAST_HALF_POINTS:
        return True
    return _is_light(nearest_value(sources, "color")) and not _stands_on_colour(run, sources)


def _is_light(colour: str) -> bool:
    try:
        return len(colour) == 6 and min(bytes.fromhex(colour)) >= _LIGHT
    except ValueError:
        return False


def _stands_on_colour(run: Any, sources: list[Any]) -> bool:
    """Whether white may stand on a coloured ground: shading of the run, paragraph or cell, a table's style, a shape."""
    if any(_shades(source.find(f"{W}shd")) or source.find(f"{W}highlight") is not None for source in sources):
        return True
    for parent in run.iterancestors():
        if parent.tag == f"{W}txbxContent":
            return True
        if any(_shades(parent.find(f"{W}{kind}/{W}shd")) for kind in ("pPr", "tcPr", "tblPr")):
            return True
        style = parent.find(f"{W}tblPr/{W}tblStyle")
        if style is not None and style.get(f"{W}val", "") not in _PLAIN_TABLES:
            return True
    background = run.getroottree().getroot().find(f"{W}background")
    return background is not None and not _is_light(background.get(f"{W}color", "FFFFFF"))


def _shades(shading: Any) -> bool:
    fill = shading.get(f"{W}fill", "auto") if shading is not None else "auto"
    return fill.lower() not in {"auto", ""} and not _is_light(fill)
