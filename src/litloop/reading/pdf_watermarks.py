"""Words stamped across a page: they belong to no line of it, and "RETRACTED" among them says what the paper is."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from litloop.reading.pdf_glyphs import GlyphRun
from litloop.text.retractions import is_banner

_TALL = 20.0  # points: slanting type as tall as that is a stamp, smaller may name the columns of a figure
_LARGER = 1.8  # times the usual height: type so large across or over the text


def without_watermarks(segments: Sequence[GlyphRun]) -> tuple[list[GlyphRun], list[str]]:
    """The segments of a page without its stamps, and what those say."""
    usual = statistics.median_low([segment.height for segment in segments]) if segments else 0.0
    kept: list[GlyphRun] = []
    stamps: list[str] = []
    for segment in segments:
        if _is_stamp(segment, usual):
            stamps.append(" ".join(segment.text.split()))
        else:
            kept.append(segment)
    return kept, stamps


def _is_stamp(segment: GlyphRun, usual: float) -> bool:
    if segment.slanting and segment.height > _TALL:
        return True
    return is_banner(segment.text) and (segment.slanting or segment.height > _LARGER * usual)
