"""What keeps two records apart although they share an id or a title. One table of rules, read top to bottom.

A shared id alone joins nothing: a supplement gives one DOI to all its abstracts, a page shows the DOI of a data set
or of the article that it corrects, and databases mistake ids. So the titles have to agree, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from litloop.papers.people import same_first_author
from litloop.papers.record_facts import RecordFacts
from litloop.papers.titles import folded_words, is_latin

SIMILAR = 0.6  # share of the shorter title's content words that the other has, under which titles are different

# Of the languages most titles are in; `text.lexicon` knows those of English alone.
_FUNCTION_WORDS = frozenset(
    """a an and are as at be by can do does for from has have how in into is it its of on or our that the their this to
    was we were what when where which who why will with der die das und oder von zur zum le la les et des du un une de
    el los las y en del""".split()  # noqa: SIM905 - ninety words in quotes of their own could not be read
)
# Words of a title or subtitle that say which kind of study it is: another kind is another work.
_STUDY_KINDS: Mapping[str, re.Pattern[str]] = {
    kind: re.compile(pattern, re.IGNORECASE)
    for kind, pattern in {
        "review": r"\b(?:systematic|scoping|narrative|umbrella|rapid|literature|cochrane)\s+reviews?\b",
        "meta-analysis": r"\bmeta[- ]?analys[ie]s\b",
        "protocol": r"\bprotocols?\b(?=\s*(?:$|[.:;,(]|for\b|of\b))|\b(?:study|trial|review) protocol\b",
        "trial": r"\b(?:randomi[sz]ed|controlled|clinical|crossover|cross-over|phase \w+)\b[^.:;]{0,200}\btrial\b",
        "case report": r"\b(?:case (?:report|series|study)|report of \w+ cases?)\b",
        "cohort": r"\b(?:cohort|case-control|cross-sectional|longitudinal|follow-up|registry)[- ](?:study|analysis)\b",
        "guideline": r"\b(?:guidelines?|consensus statement|position (?:paper|statement)|recommendations)\b",
        "editorial": r"\b(?:editorial|commentary|viewpoint|perspective|letter|reply|response|comment)\b",
        "pilot": r"\b(?:pilot|feasibility)\b",
        "qualitative": r"\bqualitative (?:study|synthesis|analysis)\b",
        "animal": r"\bin (?:rats?|mice|mouse|dogs?|pigs?|rabbits?|sheep|primates?|zebrafish|vitro)\b",
    }.items()
}
_NUMBER = re.compile(
    r"(?<![\w.])(?:[a-z]{1,3}-?)?\d+(?:\.\d+)?\b|\b(?:part|phase|study|volume)\s+[ivx]+\b", re.IGNORECASE
)
_PLACEHOLDER = re.compile(r"\W*(?:untitled|unnamed|no title|title not available|document \d)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ApartRule:
    """`holds` for a pair keeps it apart, `why` says so in words."""

    name: str
    why: str
    holds: Callable[[RecordFacts, RecordFacts], bool]


def kept_apart(one: RecordFacts, other: RecordFacts) -> ApartRule | None:
    """The first rule that keeps two records apart although they share an id; None where none does."""
    return next((rule for rule in SHARED_ID if rule.holds(one, other)), None)


def subtitle_apart(one: RecordFacts, other: RecordFacts) -> bool:
    """Whether two titles of which one has a subtitle more name two kinds of study."""
    kinds = [_kinds(one.title), _kinds(other.title)]
    return kinds[0] != kinds[1]


def _notices(one: RecordFacts, other: RecordFacts) -> bool:
    return (one.form == "notice") != (other.form == "notice")


def _says_nothing(record: RecordFacts) -> bool:
    """A title that is missing or a placeholder names no work, so it speaks against none."""
    return not record.name.key or bool(_PLACEHOLDER.match(record.title))


def _other_kind(one: RecordFacts, other: RecordFacts) -> bool:
    kinds = _kinds(one.title), _kinds(other.title)
    return bool(kinds[0] and kinds[1]) and not kinds[0] & kinds[1]


def _other_numbers(one: RecordFacts, other: RecordFacts) -> bool:
    """ "P-101 …" and "P-102 …", "part 1" and "part 2": each has a number that the other has not."""
    numbers = [{n.casefold() for n in _NUMBER.findall(record.title)} for record in (one, other)]
    return bool(numbers[0] - numbers[1]) and bool(numbers[1] - numbers[0]) and not _alike(one.title, other.title, 0.9)


def _other_title(one: RecordFacts, other: RecordFacts) -> bool:
    if _says_nothing(one) or _says_nothing(other) or one.name.key == other.name.key:
        return False
    if is_latin(one.title) != is_latin(other.title) or _alike(one.title, other.title, SIMILAR):
        return False  # what is written in two scripts cannot be compared
    author = same_first_author(one.authors, other.authors)
    if min(len(_content(one.title)), len(_content(other.title))) < 2:
        return author is False  # a single word is easily another one in another language
    # A work that is called something else in another language, of one year and by nobody else.
    return author is False or not (_foreign(one, other) and _same_year(one, other))


def _other_people(one: RecordFacts, other: RecordFacts) -> bool:
    """Titles that only resemble each other, under other people: two abstracts, or an article and its comment."""
    if _says_nothing(one) or _says_nothing(other) or one.name.key == other.name.key or _nested(one, other):
        return False
    return same_first_author(one.authors, other.authors) is False


SHARED_ID: tuple[ApartRule, ...] = (
    ApartRule("notice", "one is a notice about the other", _notices),
    ApartRule("kind", "they are two kinds of study", _other_kind),
    ApartRule("number", "their titles are numbered differently", _other_numbers),
    ApartRule("title", "their titles say different things", _other_title),
    ApartRule("people", "their titles differ and so do their first authors", _other_people),
)


def _kinds(title: str) -> frozenset[str]:
    return frozenset(kind for kind, pattern in _STUDY_KINDS.items() if pattern.search(title))


def _content(title: str) -> set[str]:
    """The words that carry a title, British and American spelling alike."""
    words = (word.replace("ae", "e").replace("oe", "e") for word in folded_words(title))
    return {word for word in words if word not in _FUNCTION_WORDS and (len(word) > 1 or word.isdecimal())}


def _alike(one: str, other: str, share: float) -> bool:
    a, b = _content(one), _content(other)
    if not a or not b:
        return True
    if not is_latin(one):
        a, b = set("".join(folded_words(one))), set("".join(folded_words(other)))
    return len(a & b) / min(len(a), len(b)) >= share


def _nested(one: RecordFacts, other: RecordFacts) -> bool:
    a, b = _content(one.title), _content(other.title)
    return a <= b or b <= a


def _same_year(one: RecordFacts, other: RecordFacts) -> bool:
    return one.year is not None and one.year == other.year


def _foreign(one: RecordFacts, other: RecordFacts) -> bool:
    """Whether the titles seem to be in two languages: hardly a function word in common."""
    english = [bool({"the", "of", "and", "in", "for", "with", "a"} & set(folded_words(r.title))) for r in (one, other)]
    return english[0] != english[1]
