"""Does a text layer hold language, or the numbers of glyphs?

A PDF whose fonts carry no map to Unicode yields characters that look like text and mean nothing. Indexed, they
would be found by nobody and quoted as evidence; so they are recognised and the file is set aside.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

_VOWELS = frozenset("aeiouyæøœıə")
_MOJIBAKE = frozenset("¢£¤¥¦§¨©ª¬¯²³´µ¶¸¹º¼½¾¿×÷ÃÂâ€‚ƒ„…†‡ˆ‰Š‹ŒŽ")
# Shares below come from the sample documents: readable ones stay under a fifth of each limit.
_MAX_UNREADABLE = 0.15  # private use, replacement, unassigned and control characters
_MAX_MOJIBAKE = 0.25
_MIN_VOWELS, _MAX_VOWELS = 0.22, 0.70  # of Latin letters; English has .38, Czech .41, Welsh .37
_STRETCHES, _STRETCH = 40, 1000  # characters
_ENOUGH_LETTERS = 60  # below this, letter statistics prove nothing
_MIN_MAPPED_LETTERS = 12  # enough when the font itself already gave no map


def is_garbled(text: str, *, unmapped: int = 0) -> bool:
    """Whether `text` cannot be read. `unmapped` of its characters come from fonts without a map to Unicode."""
    visible = [char for char in _sample(text) if not char.isspace()]
    if not visible:
        return False
    if _share(visible, _is_unreadable) > _MAX_UNREADABLE or _share(visible, _MOJIBAKE.__contains__) > _MAX_MOJIBAKE:
        return True
    suspicious = unmapped * 2 > len(text)
    return not _plausible(visible, _MIN_MAPPED_LETTERS if suspicious else _ENOUGH_LETTERS)


def _sample(text: str) -> str:
    """The whole of a short text; of a long one, stretches from beginning to end."""
    step = len(text) // _STRETCHES
    if step <= _STRETCH:
        return text
    return "".join(text[k * step : k * step + _STRETCH] for k in range(_STRETCHES))


def are_glyph_numbers(unmapped: str) -> bool:
    """Whether characters of fonts without a map are bare glyph numbers. Where such a font was set in ASCII they
    are readable as they stand."""
    visible = [char for char in unmapped if not char.isspace()]
    if not visible:
        return False
    foreign = sum(not char.isascii() or ord(char) < 0x20 for char in visible)
    return foreign * 2 > len(visible) or is_garbled(unmapped, unmapped=len(unmapped))


def _plausible(visible: Iterable[str], enough: int) -> bool:
    letters = [char for char in visible if char.isalpha()]
    latin = [base for base in map(_base_letter, letters) if base.isascii() or base in _VOWELS]
    if len(latin) < enough or len(latin) < 0.6 * len(letters):
        return True
    return _MIN_VOWELS <= _share(latin, _VOWELS.__contains__) <= _MAX_VOWELS


def _base_letter(char: str) -> str:
    return unicodedata.normalize("NFD", char)[0].lower()[0]


def _is_unreadable(char: str) -> bool:
    return char == "\ufffd" or unicodedata.category(char) in {"Co", "Cc", "Cn", "Cs"}


def _share(items: list[str], test: object) -> float:
    return sum(map(test, items)) / len(items)  # type: ignore[call-overload]
