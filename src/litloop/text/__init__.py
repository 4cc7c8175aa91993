"""What text bears: sentences, quotes and their places, numbers, units, negations, entities, markers.

Pure functions over strings; offsets are code points of the text given. The names below are imported when first
used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from litloop.text.acronyms import find_acronyms as find_acronyms
    from litloop.text.clean import clean_text as clean_text
    from litloop.text.clean import one_line as one_line
    from litloop.text.dates import find_dates as find_dates
    from litloop.text.dates import to_iso as to_iso
    from litloop.text.entities import Entity as Entity
    from litloop.text.entities import find_entities as find_entities
    from litloop.text.entities import missing_entities as missing_entities
    from litloop.text.markers import CitedSentence as CitedSentence
    from litloop.text.markers import Marker as Marker
    from litloop.text.markers import MarkerStream as MarkerStream
    from litloop.text.markers import cited_sentences as cited_sentences
    from litloop.text.markers import find_markers as find_markers
    from litloop.text.markers import strip_markers as strip_markers
    from litloop.text.negation import polarity as polarity
    from litloop.text.numbers import Quantity as Quantity
    from litloop.text.numbers import find_quantities as find_quantities
    from litloop.text.opposites import Opposition as Opposition
    from litloop.text.opposites import oppositions as oppositions
    from litloop.text.quotes import QuotedText as QuotedText
    from litloop.text.quotes import find_quote as find_quote
    from litloop.text.quotes import locate_all as locate_all
    from litloop.text.quotes import reanchor as reanchor
    from litloop.text.sentences import Span as Span
    from litloop.text.sentences import sentence_spans as sentence_spans
    from litloop.text.supported_quantities import same_quantity as same_quantity
    from litloop.text.supported_quantities import unsupported_quantities as unsupported_quantities

_HOMES = {
    "acronyms": ("find_acronyms",),
    "supported_quantities": ("same_quantity", "unsupported_quantities"),
    "clean": ("clean_text", "one_line"),
    "dates": ("find_dates", "to_iso"),
    "entities": ("Entity", "find_entities", "missing_entities"),
    "markers": ("CitedSentence", "Marker", "MarkerStream", "cited_sentences", "find_markers", "strip_markers"),
    "negation": ("polarity",),
    "numbers": ("Quantity", "find_quantities"),
    "opposites": ("Opposition", "oppositions"),
    "quotes": ("QuotedText", "find_quote", "locate_all", "reanchor"),
    "sentences": ("Span", "sentence_spans"),
}
_PUBLIC = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: what only cuts sentences need not build the tables of units."""
    if name not in _PUBLIC:
        raise AttributeError(f"module 'litloop.text' has no attribute {name!r}")
    return getattr(import_module(f"litloop.text.{_PUBLIC[name]}"), name)


def __dir__() -> list[str]:
    return sorted(_PUBLIC)
