"""Opposites: words that turn a statement round without a "not", and statements that oppose each other.

"Increased" against "reduced", "benign" against "malignant", "hypertension" against "hypotension", "unaffected"
against "affected": where a sentence says one and its evidence only the other, one of them is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from litloop.text.lexicon import FUNCTION_WORDS, NEGATIONS
from litloop.text.negation import NegationScope, negation_scopes
from litloop.text.sentences import Span

# One axis per line: words of one side | words of the other. A final "~" stands for any ending of that stem.
_AXES = (
    (
        "increas~ elevat~ rais~ rise rises rising risen rose higher upregulat~ up-regulat~ greater more grew expand~ "
        "amplif~ surge surges surged gain gains gained escalat~ accumulat~ overexpress~ larger",
        "decreas~ reduc~ lower lowers lowered lowering declin~ falls fell downregulat~ down-regulat~ diminish~ less "
        "fewer drop drops dropped shrink~ shrank deplet~ lessen~ smaller underexpress~ attenuat~",
    ),
    (
        "promot~ stimulat~ activat~ accelerat~ induc~ facilitat~ enhanc~ augment~ boost~",
        "suppress~ inhibit~ block~ imped~ abrogat~ prevent~ impair~ abolish~ silenc~ hinder~ "
        "repress~ attenuat~ deactivat~ inactivat~",
    ),
    (
        "improv~ better benefi~ ameliorat~ favo~ protect~ effective efficac~ superior",
        "worse~ deteriorat~ harm~ detriment~ aggravat~ exacerbat~ ineffective inferior poor~ damag~",
    ),
    ("cause causes caused causing trigger~", "prevent~ protect~ cure cures cured"),
    ("benign", "malignan~"),
    ("presence present", "absence absent lack~ missing"),
    ("positive~", "negative~"),
    ("early earlier", "late later delayed"),
    ("acute~", "chronic~"),
    ("shorter shorten~ shortest", "longer prolong~ longest lengthen~"),
    ("before prior preceding", "after following subsequent~"),
    ("high", "low"),
    ("strong~", "weak~"),
    ("left", "right"),
    ("anterior", "posterior"),
    ("proximal", "distal"),
    ("ipsilateral", "contralateral"),
    ("unilateral~", "bilateral~"),
    ("dominant", "recessive"),
    ("heterozygo~", "homozygo~"),
    ("agonist~", "antagonist~"),
    ("sensitiv~ susceptib~", "resistan~ insensitiv~ refractory"),
    ("common~ frequent~ prevalent", "rare~ uncommon~ infrequent~"),
    ("safe safely safety", "unsafe toxic toxicity dangerous"),
    ("thick~", "thin thinner thinning thinned"),
    ("above exceed~ over", "below under"),
    ("most majority", "few minority"),
    ("all every always", "none never"),
    ("sufficient~ adequate~", "insufficient~ inadequate~"),
    ("dependen~", "independen~"),
    ("complete~", "incomplete~ partial~"),
    ("active~", "inactive~"),
    ("normal~", "abnormal~"),
    ("direct~", "indirect~ inverse~"),
    ("possible", "impossible"),
    ("surviv~", "die died dies death~ mortality"),
    ("similar~ same equal~ comparable identical", "differ~ distinct~ unlike"),
    ("linear~", "nonlinear~ non-linear~"),
    ("upstream", "downstream"),
    ("aerobic", "anaerobic"),
    ("hyperpolari~", "depolari~"),
    ("methylat~", "demethylat~"),
    ("phosphorylat~", "dephosphorylat~"),
    ("stabili~ stable", "destabili~ unstable"),
    ("intracellular~", "extracellular~"),
    ("primary", "secondary"),
)
_PREFIXES = ("un", "non-", "non", "dis", "dys", "mis", "im", "in", "ir", "il")
# "in" and its like also mean "into": only these stems take them as a denial.
_IN_STEMS = re.compile(
    r"(?:active|accurate|adequate|appropriate|complete|consistent|correct|dependent|direct|effective|efficient|frequent|sensitive"
    r"|significant|sufficient|tolerant|valid|variable|visible|ability|curable|balance|competent|mature|mobile|perfect|possible|probable"
    r"|proper|pure|regular|relevant|reversible|responsive|rational|legal|logical|capable|stability)\w{0,3}"
)
_WORD = re.compile(r"[^\W\d_]+(?:[-'][^\W\d_]+)*")
_HYPER = re.compile(r"(hyper|hypo)-?(\w{4,})")


_MOST_WORDS = 400  # of either side that are read
_NEIGHBOURS = 8  # words around two antonyms among which they must share one: what goes up must be what goes down
_NEAR_CUE = 2  # content words between a cue and the word it is taken to deny


Kind = Literal["antonym", "negation", "prefix"]


@dataclass(frozen=True, slots=True)
class Opposition:
    """`word` at `span` of one sentence against `other` at `other_span` of the other one."""

    kind: Kind
    word: str
    other: str
    span: Span
    other_span: Span


def oppositions(sentence: str, evidence: str) -> list[Opposition]:
    """Where `evidence` says the opposite of `sentence` and nowhere the same, in the order of the sentence.

    Three kinds: antonyms about the same thing, one word affirmed here and only negated there (or the other way
    round), and one word with a denying prefix on one side ("affected", "unaffected").

    Both are sentences: of a longer text the first 400 words are read.

    Measured on SciFact's training claims against their evidence sentences: something is found for 35 % of the
    contradicted and 9 % of the supported claims (HealthVer: 19 % and 8 %).
    """
    here, there = _Statement(sentence), _Statement(evidence)
    found: list[Opposition] = []
    for word in here.words:
        for kind, find in _FINDERS:
            other = find(word, here, there)
            if other:
                found.append(Opposition(kind, word.text, other.text, word.span, other.span))
                break
    return found


@dataclass(frozen=True, slots=True)
class _Word:
    text: str  # lower case
    stem: str
    place: int
    span: Span
    negated: bool
    from_cue: int  # content words between it and the nearest cue that negates it
    sides: tuple[tuple[int, bool], ...]  # (axis, is it the first side)

    @property
    def has_content(self) -> bool:
        return len(self.text) > 2 and self.text not in FUNCTION_WORDS and self.text not in NEGATIONS


class _Statement:
    """The words of a text with their polarity, and ways to look them up."""

    def __init__(self, text: str) -> None:
        found = list(islice(_WORD.finditer(text), _MOST_WORDS))
        text = text[: found[-1].end()] if found else ""
        scopes = negation_scopes(text)
        self.words = [_word(text, place, match, scopes) for place, match in enumerate(found)]
        self.by_stem: dict[str, list[_Word]] = {}
        self.by_side: dict[tuple[int, bool], list[_Word]] = {}
        for word in self.words:
            self.by_stem.setdefault(word.stem, []).append(word)
            for side in word.sides:
                self.by_side.setdefault(side, []).append(word)

    def near(self, word: _Word) -> set[str]:
        around = self.words[max(0, word.place - _NEIGHBOURS) : word.place + _NEIGHBOURS + 1]
        return {other.stem for other in around if other.has_content and other.stem != word.stem}


def _word(text: str, place: int, match: re.Match[str], scopes: Sequence[NegationScope]) -> _Word:
    lower, (start, end) = match[0].lower(), match.span()
    over = [scope for scope in scopes if scope.start <= start and end <= scope.end]
    from_cue = min((_content_between(text, scope.cue, start, end) for scope in over), default=0)
    return _Word(lower, _stem(lower), place, (start, end), len(over) % 2 == 1, from_cue, _sides(lower))


def _content_between(text: str, cue: Span, start: int, end: int) -> int:
    between = text[cue[1] : start] if start >= cue[1] else text[end : cue[0]]
    return sum(word.lower() not in FUNCTION_WORDS for word in _WORD.findall(between))


def _antonym(word: _Word, here: _Statement, there: _Statement) -> _Word | None:
    same = (other for side in word.sides for other in there.by_side.get(side, ()))
    if any(other.negated == word.negated for other in same):
        return None
    for axis, first in word.sides:
        for other in there.by_side.get((axis, not first), ()):
            if other.negated == word.negated and here.near(word) & there.near(other):
                return other
    return None


def _negation(word: _Word, here: _Statement, there: _Statement) -> _Word | None:
    others = there.by_stem.get(word.stem, ())
    if not word.has_content or not others or any(other.negated == word.negated for other in others):
        return None
    nearest = min(others, key=lambda other: other.from_cue)
    return nearest if max(word.from_cue, nearest.from_cue) <= _NEAR_CUE else None


def _prefixed(word: _Word, here: _Statement, there: _Statement) -> _Word | None:
    if word.stem in there.by_stem:
        return None
    for variant in _denials(word.text):
        for other in there.by_stem.get(_stem(variant), ()):
            if other.negated == word.negated:
                return other
    return None


_FINDERS: tuple[tuple[Kind, Callable[[_Word, _Statement, _Statement], _Word | None]], ...] = (
    ("antonym", _antonym),
    ("negation", _negation),
    ("prefix", _prefixed),
)


def _denials(word: str) -> Iterator[str]:
    """The word with a denying prefix put on or taken off."""
    swapped = _HYPER.match(word)
    if swapped:
        yield ("hypo" if swapped[1] == "hyper" else "hyper") + swapped[2]
    for prefix in _PREFIXES:
        bare = word.removeprefix(prefix)
        if bare != word and _takes(prefix, bare):
            yield bare
        if _takes(prefix, word):
            yield prefix + word


def _takes(prefix: str, stem: str) -> bool:
    if prefix in ("in", "im", "ir", "il"):
        return _IN_STEMS.fullmatch(stem) is not None
    return len(stem) >= 5 and stem[0] not in "-'"


def _stem(word: str) -> str:
    """Without the commonest endings: enough to bring "affects" and "affected" together."""
    for ending in (
        "ations",
        "ation",
        "ingly",
        "edly",
        "ings",
        "ing",
        "ions",
        "ion",
        "ies",
        "ed",
        "es",
        "ly",
        "s",
        "e",
        "y",
    ):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


def _tables() -> tuple[Mapping[str, Sequence[tuple[int, bool]]], Mapping[str, Sequence[tuple[int, bool]]]]:
    exact: dict[str, list[tuple[int, bool]]] = {}
    stems: dict[str, list[tuple[int, bool]]] = {}
    for axis, sides in enumerate(_AXES):
        for first, side in zip((True, False), sides, strict=True):
            for entry in side.split():
                table = stems if entry.endswith("~") else exact
                table.setdefault(entry.rstrip("~"), []).append((axis, first))
    return exact, stems


_EXACT, _STEMS = _tables()
_AGENTS = ("or", "ors", "er", "ers")
_LONGEST_ENDING = 6  # of a stem's word: "increas" takes "increasingly", not a compound


def _sides(word: str) -> tuple[tuple[int, bool], ...]:
    found = list(_EXACT.get(word, ()))
    if word.endswith(_AGENTS):  # an inhibitor need not inhibit what the sentence is about
        return tuple(found)
    for length in range(max(3, len(word) - _LONGEST_ENDING), len(word) + 1):
        found += _STEMS.get(word[:length], ())
    return tuple(dict.fromkeys(found))
