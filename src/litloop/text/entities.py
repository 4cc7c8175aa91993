"""Entities: the names, codes and substances of a sentence, and which of them a text does not hold.

A name-like token is recognised by its form (IL-6, [18F]FDG, BRCA1, mTOR, PSP, Parkinson, rituximab), compared
without hyphens and case and with Greek letters spelled out, and an acronym counts as held by its long form.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from litloop.text.acronyms import expanded, find_acronyms, initials_of, spelled_in
from litloop.text.folding import fold
from litloop.text.lexicon import CAPITALISED_WORDS, FUNCTION_WORDS, STARTERS
from litloop.text.sentences import Span, sentence_spans
from litloop.text.units import read_unit, unit_named

Kind = Literal["code", "acronym", "substance", "name"]

_GREEK_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma sigma tau upsilon phi chi "
    "psi omega"
)
_GREEK = dict(zip("αβγδεζηθικλμνξπρσςτυφχψω", _GREEK_NAMES.split(), strict=True))
_SPELL_GREEK = str.maketrans(_GREEK | {letter.upper(): name for letter, name in _GREEK.items() if letter != "ς"})
_TOKEN = re.compile(r"\[\d{1,3}[A-Z][a-z]?\][\w-]+|[^\W_](?:[^\W_]|[-‐‑–−/'’.+](?=[^\W_]))*\+?")
# Endings of international non-proprietary names (WHO stem list) and of enzymes.
_SUBSTANCE = re.compile(
    r"[a-z-]{2,}(?:mab|nib|vir|statin|pril|sartan|olol|azole|cillin|mycin|floxacin|gliptin|gliflozin|tidine|dipine"
    r"|caine|zepam|zolam|barbital|ciclib|parib|lukast|triptan|setron|glutide|semide|thiazide|cycline|oxetine|platin"
    r"|rubicin|taxel|dronate|parin|xaban|gatran|formin|profen|dopa|tropin|relin|vastatin|cept|kinra|limus|xetine|azepine"
    r"|kinase|synthase|transferase|reductase|protease|polymerase|phosphatase|hydrolase|oxidase|peptidase|ligase)s?"
)
_TRAILING_WORD = re.compile(r"(?:[-‐‑–][a-z]{4,})+\Z")
_LEADING_WORD = re.compile(
    r"\A(?:anti|non|pre|post|pro|co|sub|intra|inter|extra|trans|multi|mid|ex)[-‐‑–](?=\S)", re.IGNORECASE
)
_PLURAL_ACRONYM = re.compile(r"(?<=[A-Z0-9]{2})s\Z")
_NOT_WORD = re.compile(r"[\W_]+")
_SHORT_NAMES = {"interleukin": "il", "interferon": "ifn"}
_LONG_NAMES = re.compile("|".join(_SHORT_NAMES))
_GREEK_NAME = re.compile("alpha|beta|gamma|delta|epsilon|kappa|omega")
_LONGEST_COMPOUND = 200  # characters: a longer token is no name, whatever it ends in
_MOST_NAMES = 200  # of one sentence that are looked for
_POSSESSIVE = re.compile(r"['’]s?\Z")


@dataclass(frozen=True, slots=True)
class Entity:
    """A name as written at `span`, and the key under which its spellings are the same."""

    text: str
    key: str
    kind: Kind
    span: Span


def entity_key(text: str) -> str:
    """One spelling for all of a name: "TNF-α", "TNFα" and "tnf alpha" are "tnfalpha"."""
    level = fold(text).translate(_SPELL_GREEK)
    level = _PLURAL_ACRONYM.sub("", _POSSESSIVE.sub("", level))
    return _LONG_NAMES.sub(lambda match: _SHORT_NAMES[match[0]], _NOT_WORD.sub("", level).casefold())


def find_entities(text: str) -> list[Entity]:
    """The entities of `text` in the order they stand. A word that is capitalised only because it begins a
    sentence is none."""
    return [entity for start, end in sentence_spans(text) for entity in _in_sentence(text, start, end)]


def missing_entities(sentence: str, evidence: str, *, acronyms: Mapping[str, str] | None = None) -> list[Entity]:
    """The entities of `sentence` that `evidence` does not hold, each once.

    Acronyms are expanded as `evidence`, the sentence or `acronyms` (of the whole paper, say) define them, both
    ways, and by the initials of successive words. Of a sentence with more than 200 names the first 200 are looked for.
    """
    named: dict[str, Entity] = {}
    for entity in find_entities(sentence):
        named.setdefault(entity.key, entity)
    tables = (find_acronyms(evidence), find_acronyms(sentence), acronyms or {})
    there = _Evidence(evidence, tables)
    return [entity for entity in list(named.values())[:_MOST_NAMES] if not there.holds(entity)]


def _in_sentence(text: str, start: int, end: int) -> Iterator[Entity]:
    sentence = text[start:end]
    letters = [char for char in sentence if char.isalpha()]
    shouted = sum(map(str.isupper, letters)) > 0.6 * len(letters)
    begins = True
    for match in _TOKEN.finditer(sentence):
        colon_before = sentence[max(0, match.start() - 2) : match.start()].strip() in (":", '"', "“")
        for word, place in _parts(match[0]):
            kind = _kind(word, begins or colon_before, shouted)
            if kind:
                at = start + match.start() + place
                yield Entity(word, entity_key(word), kind, (at, at + len(word)))
        begins = False


def _parts(token: str) -> Iterator[tuple[str, int]]:
    """The names in a token and where they begin: PD-1/PD-L1 has two, IL-6-induced and anti-PD-1 have one each."""
    place = 0
    pieces = token.split("/")
    if not all(len(piece) > 1 and any(char.isalpha() for char in piece) for piece in pieces):
        pieces = [token]  # C57BL/6, BRCA1/2
    for piece in pieces:
        lead = _LEADING_WORD.match(piece)
        skipped = lead.end() if lead else 0
        name = _POSSESSIVE.sub("", piece[skipped:])
        bare = _TRAILING_WORD.sub("", name) if len(name) <= _LONGEST_COMPOUND else name
        yield (bare if len(bare) > 1 else name), place + skipped
        place += len(piece) + 1


def _kind(word: str, begins: bool, shouted: bool) -> Kind | None:
    lower = word.lower()
    if not 2 <= len(word) <= _MAX_CHARS or lower in STARTERS or lower in FUNCTION_WORDS or lower in CAPITALISED_WORDS:
        return None
    if any(char.isdigit() for char in word):
        return "code" if _is_code(word) else None
    if any(char in _GREEK for char in lower):
        return "code"
    capitals = sum(map(str.isupper, word))
    if capitals >= 2 or (capitals and not word[0].isupper()):
        return None if shouted or _ROMAN.fullmatch(word) else "acronym"
    if _SUBSTANCE.fullmatch(lower) and len(word) >= 6:
        return "substance"
    return "name" if capitals and len(word) >= 3 and not begins and not shouted else None


_MAX_CHARS = 60  # longer runs are sequences and addresses
_ROMAN = re.compile(r"[IVX]+")
_MEASURED = re.compile(r"\d[\d.,]*[-‐‑–]?(?P<unit>[^\W\d_].*)")


def _is_code(word: str) -> bool:
    """Letters and digits, but no number with its unit (5mg, 24-month, 10Hz) and no ordinal."""
    if not any(char.isalpha() for char in word):
        return False
    measured = _MEASURED.fullmatch(word)
    if measured:
        return measured["unit"][0].isupper() and read_unit(measured["unit"], 0) is None
    return unit_named(word) is None


def _keys(text: str) -> dict[str, bool]:
    """The keys of a text's words, of their parts and of pairs of neighbours: key -> is it written with a capital."""
    keys: dict[str, bool] = {}
    before, before_end = "", -1
    for match in _TOKEN.finditer(text):
        parts = [part for part in re.split(r"[-‐‑–−/'’.+\[\]]", match[0]) if part]
        for first in range(len(parts)):
            for last in range(first + 1, min(first + 4, len(parts)) + 1):
                _enter(keys, "".join(parts[first:last]))
        _enter(keys, match[0])
        if match.start() == before_end + 1:
            _enter(keys, before + match[0])
        before, before_end = match[0], match.end()
    return keys


def _enter(keys: dict[str, bool], written: str) -> None:
    capital = any(char.isupper() for char in written)
    for key in _spellings(entity_key(written)):
        keys[key] = keys.get(key, False) or capital


def _spellings(key: str) -> set[str]:
    """The key, and as written with Latin letters for Greek ones: "nfkappab" is also "nfkb"."""
    return {key, _GREEK_NAME.sub(lambda match: match[0][0], key)}


class _Evidence:
    """What a text holds of names, in whatever spelling. Read once for all names that are looked for in it."""

    def __init__(self, text: str, tables: Sequence[Mapping[str, str]]) -> None:
        self._keys = _keys(text)
        self._sorted = sorted(self._keys)
        self._run = entity_key(text)
        self._initials = initials_of(text)
        self._tables = tables
        defined = (pair for table in tables for pair in table.items())
        # The long forms of the acronyms that stand there, one to a line.
        self._long_forms = "\n".join(entity_key(long) for short, long in defined if entity_key(short) in self._keys)

    def holds(self, entity: Entity) -> bool:
        return self._has(entity) or self._has_otherwise(entity)

    def _has(self, entity: Entity) -> bool:
        for key in (*_spellings(entity.key), entity.key + "s", entity.key.removesuffix("s")):
            # "AIDS" is not held by "aids": a short acronym must be written with a capital there too.
            capital = self._keys.get(key)
            if capital is not None and (entity.kind != "acronym" or capital or len(key) > 4 or not key.isalpha()):
                return True
        if entity.kind != "name" or len(entity.key) < 5:
            return False
        stem = entity.key[: max(5, len(entity.key) - 2)]  # Europe, European
        place = bisect.bisect_left(self._sorted, stem)
        return place < len(self._sorted) and self._sorted[place].startswith(stem)

    def _has_otherwise(self, entity: Entity) -> bool:
        long = expanded(entity.text, *self._tables)
        if long and entity_key(long).removesuffix("s") in self._run:
            return True
        if entity.key in self._long_forms:
            return True
        parts = re.split(r"\+|[-–](?=[^\W\d_]{3})", entity.text)
        if len(parts) > 1 and all(len(part) > 2 and entity_key(part) in self._keys for part in parts):
            return True
        return entity.kind == "acronym" and spelled_in(entity.text, self._initials)
