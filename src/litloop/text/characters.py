"""Characters as a reader means them: compatibility forms folded, with an exact map back.

NFKC is the right fold for ligatures, Arabic presentation forms, full-width letters and no-break spaces. It is
wrong for raised, lowered and circled signs and for fractions: 10⁶ would become 106, and 2½ would become 21⁄2, a
number nobody wrote. Those characters stay as they are (the lexical analyser folds its own copy). Spacing accents
(´ ¨) stay too, because NFKC turns them into a space and a stray mark.

Soft hyphens, zero-width and direction marks and control characters are dropped. Zero-width joiners stay where
they carry meaning: after letters beyond the Latin, Greek and Cyrillic blocks, as in Persian and in Indic scripts.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from typing import NamedTuple

from litloop.core.normal_forms import normal_form


class Piece(NamedTuple):
    """`text` stands for raw[start:end]. Equal lengths mean character by character."""

    text: str
    start: int
    end: int


# Tags of compatibility decompositions that change what is meant, not only how it looks.
_MEANINGFUL = ("<super>", "<sub>", "<fraction>", "<circle>")
_SPACES = re.compile(r"[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_NEWLINES = re.compile(r"\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_DROPPED = frozenset(
    [*map(chr, range(0x20)), *map(chr, range(0x7F, 0xA0)), "\u00ad", "\u061c", "\u180e", "\u200b", "\u200e", "\u200f",
     *map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2060, 0x2070)), "\ufe0e", "\ufe0f", "\ufeff",
     *map(chr, range(0xFFF9, 0xFFFC)), "\ufffe", "\uffff"]
) - {"\n", "\t"}  # fmt: skip
_JOINERS = "\u200c\u200d"
# Symbol-font bullets that word processors leave in the private use area, and what they look like.
_SYMBOL_FONT = {"\uf0b7": "•", "\uf0a7": "▪", "\uf0a8": "◦", "\uf0d8": "➢", "\uf0fc": "✓", "\uf0e0": "→", "\uf0b0": "°",
                "\uf0b1": "±", "\uf0b4": "×", "\uf0a3": "≤", "\uf0b3": "≥", "\uf06d": "μ", "\uf061": "α", "\uf062": "β",
                "\uf067": "γ", "\uf044": "Δ", "\uf02d": "−", "\uf02b": "+", "\uf03d": "="}  # fmt: skip
# Starters that may combine with what stands before them (Indic vowel signs, conjoining Hangul): never cut there.
_TRAILING = (
    "\u09be\u09d7\u0b3e\u0b56\u0b57\u0bbe\u0bd7\u0cc2\u0cd5\u0cd6\u0d3e\u0d57\u0dcf\u0ddf\u102e\u1161-\u1175\u11a8-\u11c2"
    "\u1b35\U00011127\U0001133e\U00011357\U000113b8\U000113bb\U000113c2\U000113c5\U000113c7-\U000113c9\U000114b0\U000114ba"
    "\U000114bd\U000115af\U00011930\U0001611e-\U00016129\U00016d67-\U00016d69\u3131-\u318e\uff9e-\uffdc"
)
_CLUSTER_TAIL = re.compile(f"[{_TRAILING}]")
# Characters that stand for themselves: folding changes nothing, unless a mark follows.
_PLAIN = re.compile(
    r"[\n\t\x20-\x7e\u00a1-\u00a7\u00a9\u00ab\u00ac\u00ae\u00b0\u00b1\u00b6\u00b7\u00bb\u00bf-\u0131\u0134-\u013e\u0141-\u0148"
    r"\u014a-\u017e\u0391-\u03a1\u03a3-\u03c9\u0400-\u045f\u05d0-\u05ea\u0620-\u063f\u0641-\u064a\u2010\u2012-\u2015\u2018-\u201e"
    r"\u2022\u2212\u3001-\u3029\u3041-\u3093\u30a1-\u30f4\u30fc\u4e00-\u9fff\uac00-\ud7a3]+"
)
_SUPERSCRIPTS = str.maketrans("0123456789+-−=()nabcdefgh", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿᵃᵇᶜᵈᵉᶠᵍʰ")
# Numbers, lists of them ("12, 13") and charges ("2+").
_RAISABLE = re.compile(
    r"[+\-−]?[0-9]+(?>\s?[,;]\s?[0-9]+|[–-][0-9]+)*\s?[,;–+\-−]?|[,;–]\s?[0-9]+(?>\s?[,;]\s?[0-9]+|[–-][0-9]+)*"
)
_FOOTNOTE_LETTERS = re.compile(r"[a-h](?>\s?[,;]\s?[a-h])*")


def normalise(raw: str) -> list[Piece]:
    """Fold `raw` into reading text, as pieces in order.

    The pieces' texts joined are the folded text. Their raw ranges rise and never overlap; what lies between two
    ranges was dropped. A piece of unequal lengths (a ligature, a composed accent) maps only as a whole.
    """
    pieces: list[Piece] = []
    same_from = at = 0  # raw[same_from:at] is unchanged and not yet a piece
    while at < len(raw):
        end = _plain_end(raw, at)
        if end == at:
            end = _cluster_end(raw, at)
            cluster = raw[at:end]
            text = _fold(cluster, raw[at - 1] if at else "")
            if text != cluster:
                if same_from < at:
                    pieces.append(Piece(raw[same_from:at], same_from, at))
                if text:
                    pieces.append(Piece(text, at, end))
                same_from = end
        at = end
    if same_from < at:
        pieces.append(Piece(raw[same_from:at], same_from, at))
    return pieces


def folded(raw: str) -> str:
    """The folded text alone, for titles and names, where no map is kept."""
    return "".join(piece.text for piece in normalise(raw))


def raised(text: str) -> str:
    """Superscript characters where the whole of `text` is a number, a list of numbers or a charge, else unchanged.

    Raised digits set in plain digits would join the number before them: 10 and a raised 6 are not 106.
    The result has the length of `text`.
    """
    stripped = text.strip()
    return text.translate(_SUPERSCRIPTS) if _RAISABLE.fullmatch(stripped) else text


def raised_mark(text: str) -> str:
    """As `raised`, and the single letters a to h that mark footnotes too: 10 and a raised "a" are not 10a."""
    is_letter = _FOOTNOTE_LETTERS.fullmatch(text.strip())
    return text.translate(_SUPERSCRIPTS) if is_letter else raised(text)


def one_line(raw: str) -> str:
    """`raw` folded, with every stretch of white space as one space."""
    return " ".join(folded(raw).split())


def _plain_end(raw: str, at: int) -> int:
    match = _PLAIN.match(raw, at)
    if match is None:
        return at
    end = match.end()
    return end - 1 if end < len(raw) and _attaches(raw[end]) else end


def _cluster_end(raw: str, at: int) -> int:
    """The end of the shortest stretch from `at` whose folding does not depend on what follows."""
    if raw.startswith("\r\n", at):
        return at + 2
    end = at + 1
    if raw[at].isspace() or raw[at] in _DROPPED:
        return end
    while end < len(raw) and _attaches(raw[end]):
        end += 1
    return end


def _attaches(char: str) -> bool:
    if char < "\u0300":
        return False
    return bool(unicodedata.combining(char)) or bool(_CLUSTER_TAIL.match(char)) or _is_spacing_mark(char)


def _is_spacing_mark(char: str) -> bool:
    """Arabic marks that carry a space of their own (U+FE70 …): they belong on the letter before."""
    if not "\ufc5e" <= char <= "\ufe7f":
        return False
    return unicodedata.decomposition(char).startswith("<isolated> 0020")


def _fold(cluster: str, before: str) -> str:
    if len(cluster) == 1:
        return _fold_alone(cluster) if cluster not in _JOINERS else _fold_one(cluster, before)
    if cluster == "\r\n":
        return "\n"
    kept = "".join(char for char in cluster if char not in _DROPPED)
    whole = "".join(_fold_one(char, before) if _is_exempt(char) else _without_space(char) for char in kept)
    return normal_form("NFC" if any(map(_is_exempt, kept)) else "NFKC", _mended(whole))


@functools.lru_cache(maxsize=4096)
def _fold_alone(char: str) -> str:
    """One character whose folding does not depend on what stands before it. A text repeats the few it has."""
    return _fold_one(char, "")


def _fold_one(char: str, before: str) -> str:
    if char in _DROPPED:
        return "\n" if _NEWLINES.match(char) else ""
    if char in _JOINERS:
        return char if before >= "\u0600" else ""
    if _NEWLINES.match(char):
        return "\n"
    if char in _SYMBOL_FONT:
        return _SYMBOL_FONT[char]
    if "\ud800" <= char <= "\udfff":
        return "\ufffd"
    if char == "\t":
        return char
    if _SPACES.match(char):
        return " "
    return char if _is_exempt(char) else normal_form("NFKC", _without_space(char))


def _is_exempt(char: str) -> bool:
    tag = unicodedata.decomposition(char)
    return tag.startswith(_MEANINGFUL) or (tag.startswith("<compat> 0020 ") and len(tag) > len("<compat> 0020"))


def _without_space(char: str) -> str:
    return normal_form("NFKC", char).lstrip(" ") if _is_spacing_mark(char) else char


def _mended(text: str) -> str:
    return re.sub("[\ud800-\udfff]", "\ufffd", text)
