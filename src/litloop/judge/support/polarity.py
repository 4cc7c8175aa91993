"""Which way a sentence points: what it denies, what it says rises or falls, and where another says the opposite.

Negation is read by cue and scope: the content words after a cue, up to the end of the clause. Opposites are read from
axes, each with two poles of stems. Source of the scheme: NegEx (Chapman 2001), with scope in content words.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from litloop.evidence.lexicon import NEGATIONS, words
from litloop.judge.support.wording import Wording, is_content, stem

SCOPE = 4  # content words that a cue reaches
NEAR = 6  # words around a direction word in which its object stands

_CLAUSE_ENDS = words(", ; : ( ) but although though whereas while however because since except and which who if when")
_NOT_DENYING = words("only just merely simply solely doubt matter")  # "not only" denies nothing
_BOUNDING = words("more less fewer later longer greater higher lower")  # "no more than 5" bounds a number
_CUES = NEGATIONS | words("unlikely incorrect untrue false wrong myth hoax except unproven unfounded")

_AXES: tuple[tuple[str, str], ...] = (
    (
        "increase increased rise rose risen raise elevate elevation higher high highest more greater greatest enhance"
        " enhancement promote induce induction activate activation upregulate upregulation stimulate stimulation"
        " accelerate gain gained grow grew growth expand expansion strengthen longer larger largest faster warm warmer"
        " warming boost facilitate amplify excess surge overexpression overexpress augment maximum most strong stronger"
        " heavy above over exceed many hyper thicken widen deepen prolong extend intensify upward",
        "decrease decreased decline reduce reduction lower low lowest less fewer fewest smaller smallest shorter shortest"
        " inhibit inhibition inhibitory suppress suppression prevent prevention block blockade impair impairment attenuate"
        " attenuation diminish downregulate downregulation loss lose lost abolish abrogate ameliorate alleviate mitigate"
        " mitigation limit drop fall fell fallen shrink shrank cool cooler cooling weaken weak weaker slow slower deplete"
        " depletion deficiency deficient restrict hinder disrupt minimum least under below few hypo silence knockdown"
        " knockout underexpression thin narrow curb lessen shorten downward",
    ),
    ("positive positively", "negative negatively inverse inversely"),
    ("effective efficacious efficient success succeed successful", "ineffective inefficient failure unsuccessful"),
    ("improve improvement better best benefit beneficial favorable favourable", "worsen worse worst deteriorate"
     " deterioration harm harmful detrimental aggravate exacerbate unfavorable unfavourable adverse"),
    ("safe safely safety", "unsafe dangerous toxic hazardous harmful"),
    ("present presence", "absent absence"),
    ("before prior preceding previously", "after following subsequent subsequently"),
    ("early earlier", "late later"),
    ("sensitive sensitivity susceptible susceptibility", "resistant resistance insensitive"),
    ("dependent dependence", "independent independence"),
    ("same similar equal identical equivalent comparable", "different differ difference unequal distinct dissimilar"),
    ("significant significantly", "insignificant insignificantly nonsignificant"),
    ("agonist", "antagonist"),
    ("acute", "chronic"),
    ("benign", "malignant"),
    ("common commonly frequent frequently often usually", "rare rarely uncommon infrequent infrequently seldom"),
    ("always all every", "never none"),
    ("include included", "exclude excluded"),
    ("necessary essential required require", "dispensable unnecessary redundant"),
    ("sufficient", "insufficient"),
    ("possible", "impossible"),
    ("able ability", "unable inability"),
    ("stable", "unstable"),
    ("likely", "unlikely"),
    ("associated association associate correlate correlated correlation related linked",
     "unassociated uncorrelated unrelated unlinked"),
    ("affect affected alter altered change changed", "unaffected unaltered unchanged"),
    ("complete completely", "incomplete partial partially"),
    ("protect protective protection", "predispose"),
    ("survive survival survived alive", "die died death dead mortality"),
    ("gain", "loss"),
    ("proximal", "distal"),
    ("anterior", "posterior"),
    ("male men man boys", "female women woman girls"),
    ("upper", "lower"),
    ("left", "right"),
    ("maximum maximal", "minimum minimal"),
    ("accept accepted approve approved", "reject rejected refuse refused"),
    ("confirm confirmed support supported", "refute refuted disprove disproved contradict contradicted"),
    ("natural naturally", "artificial artificially anthropogenic"),
    ("true", "false"),
    ("permitted permit allow allowed covered include", "prohibited prohibit forbidden excluded"),
)  # fmt: skip
_PREFIXES = ("non", "un", "in", "im", "ir", "il", "dis", "anti", "mis")  # of a word that denies what follows
_SHORTEST_ROOT = 4  # "un" + "it" is no denial of "it"


@dataclass(frozen=True, slots=True)
class Denied:
    """A cue at `place` and the content stems it reaches."""

    place: int
    cue: str
    scope: frozenset[str]


def denials(wording: Wording) -> list[Denied]:
    """The negations of a sentence with their scopes, in order."""
    found = []
    for place, word in enumerate(wording.words):
        if is_cue(wording, place):
            scope = frozenset(_scope(wording, place))
            if scope:
                found.append(Denied(place, word, scope))
    return found


def _scope(wording: Wording, place: int) -> Iterator[str]:
    reached = 0
    for later in range(place + 1, len(wording.words)):
        word = wording.words[later]
        if reached == SCOPE or (word in _CLAUSE_ENDS and reached):
            return
        if is_content(word):
            reached += 1
            yield wording.stems[later]


def denial_conflict(claim: Wording, evidence: Wording) -> str | None:
    """The cue by which one denies what the other states, or None. Only words that both have can conflict."""
    asserted, denied = denials(claim), denials(evidence)
    reached_claim = frozenset().union(*(denial.scope for denial in asserted))
    reached_evidence = frozenset().union(*(denial.scope for denial in denied))
    for one, other, reached in ((asserted, evidence, reached_evidence), (denied, claim, reached_claim)):
        for denial in one:
            shared = denial.scope & other.content
            if 2 * len(shared) >= len(denial.scope) and not shared & reached:
                return denial.cue
    return None


def is_cue(wording: Wording, place: int) -> bool:
    """Whether the word at `place` denies what follows it."""
    if not denies(wording, place):
        return False
    one, two, three = (*wording.words[place + 1 : place + 4], "", "", "")[:3]
    return one not in _NOT_DENYING and not (one in _BOUNDING and two == "than" and three[:1].isdigit())


def denies(wording: Wording, place: int) -> bool:
    """Whether the word at `place` is a negation, whatever follows."""
    return wording.words[place] in _CUES


def is_emphatic(wording: Wording, place: int) -> bool:
    """Whether the word at `place` is the "only" of "not only"."""
    return wording.words[place] in _NOT_DENYING


def poles_of(stemmed: str) -> tuple[tuple[int, int], ...]:
    """The (axis, pole) entries of a stem; poles are 1 and -1."""
    return _pole_table().get(stemmed, ())


def opposites(claim: Wording, evidence: Wording) -> tuple[str, str] | None:
    """A word of the claim and one of the evidence that are opposites, where neither sentence has both; or None.

    A denied word counts as its opposite: "did not increase" and "decreased" do not conflict.
    """
    mine, theirs = _poles(claim), _poles(evidence)
    for axis, (poles, word) in mine.items():
        if axis in theirs and len(poles) == 1 and len(theirs[axis][0]) == 1 and poles != theirs[axis][0]:
            return word, theirs[axis][1]
    return _prefixed(claim, evidence) or _prefixed(evidence, claim)


def _poles(wording: Wording) -> dict[int, tuple[frozenset[int], str]]:
    """For each axis that a sentence touches: the poles it names, negation counted in, and the last such word."""
    denied = frozenset().union(*(denial.scope for denial in denials(wording)))
    table = _pole_table()
    found: dict[int, tuple[frozenset[int], str]] = {}
    for word, stemmed in zip(wording.words, wording.stems, strict=True):
        for axis, pole in table.get(stemmed, ()):
            turned = -pole if stemmed in denied else pole
            found[axis] = (found.get(axis, (frozenset(), ""))[0] | {turned}, word)
    return found


@lru_cache(maxsize=1)
def _pole_table() -> dict[str, tuple[tuple[int, int], ...]]:
    table: dict[str, tuple[tuple[int, int], ...]] = {}
    for axis, listings in enumerate(_AXES):
        for pole, listing in zip((1, -1), listings, strict=True):
            for word in listing.split():
                entry = (axis, pole)
                if entry not in table.get(stem(word), ()):
                    table[stem(word)] = (*table.get(stem(word), ()), entry)
    return table


def _prefixed(one: Wording, other: Wording) -> tuple[str, str] | None:
    """ "unstable" here and "stable" there, each without the other."""
    mine = set(one.words)
    for word in other.words:
        for prefix in _PREFIXES:
            root = word.removeprefix(prefix)
            if root != word and len(root) >= _SHORTEST_ROOT and root in mine and word not in mine:
                return (root, word) if root not in other.words else None
    return None


@dataclass(frozen=True, slots=True)
class Direction:
    """A word that says something rises (1) or falls (-1), negation counted in, and the stems near it."""

    sign: int
    near: frozenset[str]


def directions(wording: Wording) -> list[Direction]:
    """What a sentence says rises or falls, in order."""
    table = _pole_table()
    denied = [denial.place for denial in denials(wording)]
    found = []
    for place, stemmed in enumerate(wording.stems):
        pole = next((pole for axis, pole in table.get(stemmed, ()) if axis == 0), 0)
        if not pole:
            continue
        turned = any(0 < place - cue <= 3 for cue in denied)
        near = {s for i, s in wording.content_places if i != place and abs(i - place) <= NEAR and s not in table}
        found.append(Direction(-pole if turned else pole, frozenset(near)))
    return found
