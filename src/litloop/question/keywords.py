"""What to search for: anchors, words and concepts, each with its source and weight."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import islice

from litloop.question.lexicon import lexicon
from litloop.question.morphology import is_ambiguous, verb_form
from litloop.question.record import Keyword

# Relative to an ordinary content word. An anchor is written for no other reason than to name one thing.
ANCHOR_WEIGHT, QUOTE_WEIGHT, WORD_WEIGHT, GENERAL_WEIGHT, DICTIONARY_WEIGHT = 2.0, 1.6, 1.0, 0.4, 0.6
_MOST_KEYWORDS, _MOST_CONCEPTS, _LONGEST_CONCEPT = 64, 24, 6  # the last in words
_SHORTEST_NUMBER = 3  # digits: shorter ones count pages and items
_LONGEST_TERM = 4  # of the dictionary, in words

_ANCHORS = (
    ("doi", re.compile(r"\b10\.\d{4,9}/[^\s\"<>()]*[^\s\"<>().,;:?!]")),
    ("pmid", re.compile(r"\bPM(?:ID:? ?|C)\d{4,9}\b", re.IGNORECASE)),
    ("arxiv", re.compile(r"\barXiv:? ?\d{4}\.\d{4,5}(?:v\d+)?\b", re.IGNORECASE)),
    ("standard", re.compile(
        r"\b(?:ISO(?:/(?:IEC|TS|TR|PAS|SAE))?|IEC|IEEE|EN|DIN|ASTM|ASME|API|ANSI|SAE|NFPA|NIST|MIL-STD|AUTOSAR|UL|IFRS|IAS|"
        r"ASC|FAS|SFAS|ICH|CFR|USC|GDPR|RFC|CISPR|UNECE|BS|JIS|VDE|VDI|NORSOK)(?: (?:EN|ISO|IEC|[A-Z]{1,2})){0,4}+"
        r"[ -]?[A-Z]?\d[\w.:/-]*\w|\b(?:IFRS|IAS|UL|API|ISO) ?\d+\b")),
    ("section", re.compile(
        r"§§? ?\d[\w.()-]*|\b(?:section|clause|article|art\.|chapter|paragraph|para\.?|schedule|annex|appendix|exhibit|"
        r"rule|regulation|endorsement|recital|item) (?:[A-Z]{1,3}[-.]?)?\d[\w.()-]*|\b[LRD]\.? ?\d{3,4}-\d+(?:-\d+)*\b",
        re.IGNORECASE)),
    ("code", re.compile(r"(?<![\w./-])(?=[A-Z./_-]{0,40}\d)(?=[0-9./_-]{0,40}[A-Z])[A-Z0-9]+(?:[./_-][A-Z0-9]+)*\b")),
)  # fmt: skip
_QUOTED = re.compile(r"\"([^\"]{2,120})\"")
_WORD = re.compile(r"[^\W_]+(?:[-'./][^\W_]+)*%?")
_PIECE = re.compile(r"[^\W_]+(?:[-'./][^\W_]+)*%?|[^\w\s]")
_NEGATIVE = re.compile(
    r"\b(?:not|no|never|without|except(?: for)?|excluding|excludes?|excluded|other than|apart from|unless|neither|nor|"
    r"none|isn't|aren't|wasn't|weren't|doesn't|don't|didn't|cannot|can't|won't|hasn't|haven't|lack(?:s|ing)?|non-\w+|"
    r"rather than|instead of|outside of|barring|save for)\b(?: [^\W_][\w'-]*){0,4}",
    re.IGNORECASE,
)


def anchors(text: str) -> list[str]:
    """Identifiers and quoted phrases, as written, in order, without repeats and without parts of one another."""
    found: list[tuple[int, int, str]] = []
    for _, pattern in _ANCHORS:
        for match in islice(pattern.finditer(text), _MOST_KEYWORDS):
            if not any(start <= match.start() < end for start, end, _ in found):
                found.append((match.start(), match.end(), match[0].rstrip(".-")))
    return list(dict.fromkeys(term for _, _, term in sorted(found)))[:_MOST_KEYWORDS]


def keywords(text: str, rewritten: Sequence[str], dictionary: Mapping[str, Sequence[str]]) -> tuple[Keyword, ...]:
    """The terms of a question. Anchors first, then words in the order of the text, then the dictionary's."""
    terms: dict[str, Keyword] = {}

    def add(term: str, keyword: Keyword) -> None:
        if len(terms) < _MOST_KEYWORDS:
            terms.setdefault(term.lower(), keyword)

    for anchor in anchors(text):
        add(anchor, Keyword(anchor, "anchor", ANCHOR_WEIGHT))
    for quote in _QUOTED.findall(text):
        add(quote, Keyword(quote.strip(), "anchor", QUOTE_WEIGHT))
    corrected = {word.lower() for word in rewritten}
    inside = {word.lower() for anchor in [*anchors(text), *_QUOTED.findall(text)] for word in _WORD.findall(anchor)}
    for word in _WORD.findall(text):
        lower = _stripped(word.lower())
        if not is_content(lower) or lower in inside or (lower.isdecimal() and len(lower) < _SHORTEST_NUMBER):
            continue
        weight = GENERAL_WEIGHT if lower in lexicon().general else WORD_WEIGHT
        add(lower, Keyword(_stripped(word), "rewritten" if lower in corrected else "direct", weight))
    for expansion in _expansions(text, dictionary):
        add(expansion, Keyword(expansion, "dictionary", DICTIONARY_WEIGHT))
    return tuple(terms.values())


def _expansions(text: str, dictionary: Mapping[str, Sequence[str]]) -> list[str]:
    """What the dictionary gives for the words and phrases of the text, of up to four words."""
    if not dictionary:
        return []
    lowered = {key.lower(): value for key, value in dictionary.items()}
    words = [word.lower() for word in _WORD.findall(text)]
    found: list[str] = []
    for index in range(len(words)):
        for length in range(1, _LONGEST_TERM + 1):
            found.extend(lowered.get(" ".join(words[index : index + length]), ()))
    return list(dict.fromkeys(found))


def _stripped(word: str) -> str:
    return word.removesuffix("'s").removesuffix("'")


@lru_cache(maxsize=8192)
def is_content(word: str) -> bool:
    """Whether a lower-case word says what is sought, and not how it is asked for."""
    words = lexicon()
    if word in words.scaffold or word in words.wh or word in words.auxiliaries or word in words.be:
        return False
    if word in words.determiners or word in words.prepositions or word in words.conjunctions:
        return False
    if word in words.relatives or word in words.pronouns or word in words.adverbs:
        return False
    return len(word) > 1 or not word.isascii() or word.isdecimal()


def naming_words(text: str) -> tuple[str, ...]:
    """The words that name what is sought, lower case: no general ones, no verbs (contain, hold), no small numbers.

    A text about another thing seldom bears all of them; a verb it may bear or put in other words, and what a unit names
    (temperature) need not be said.
    """
    words = (_stripped(word.lower()) for word in _WORD.findall(text))
    return tuple(dict.fromkeys(word for word in words if is_content(word) and _is_telling(word)))


def _is_telling(word: str) -> bool:
    if (
        word in lexicon().general
        or word in lexicon().grammar["measured"]
        or (word.isdecimal() and len(word) < _SHORTEST_NUMBER)
    ):
        return False
    return not verb_form(word) or is_ambiguous(word)


def core_concepts(text: str) -> tuple[str, ...]:
    """Noun-phrase-like stretches without function words: "midbrain hypometabolism", "progressive supranuclear palsy".

    A stretch ends at function words, punctuation and verbs. Words that name no subject (result, study) make no
    concept of their own. In the order of the text, lower case unless the word is an abbreviation or a name.
    """
    found: dict[str, str] = {}
    stretch: list[str] = []
    previous = ""
    for quote in _QUOTED.findall(text[:4000]):
        found.setdefault(quote.lower().strip(), quote.strip())
    for piece in [*_PIECE.findall(text[:4000]), "."]:
        word = _stripped(piece)
        if _continues(word.lower(), previous):
            stretch.append(word)
        else:
            _keep(stretch, found)
            stretch = []
        if piece.endswith(("'s", "'")) and stretch and word.lower() in lexicon().general:
            stretch = []
        previous = word.lower()
    return tuple(found.values())[:_MOST_CONCEPTS]


def _continues(word: str, previous: str) -> bool:
    if not word or not (word[0].isalnum()) or not is_content(word):
        return False
    form = verb_form(word)
    if not form:
        return True
    words = lexicon()
    after_auxiliary = previous in words.auxiliaries or previous in words.pronouns or previous == "to"
    if form == "ing":
        return not after_auxiliary and previous not in words.prepositions
    if form == "past":
        return previous in words.determiners or previous in words.prepositions
    return is_ambiguous(word) and not after_auxiliary


def _keep(stretch: list[str], found: dict[str, str]) -> None:
    general = lexicon().general
    words = _without_counts(stretch)
    if len(words) == 1 and words[0].lower() in general:
        return
    while words and words[0].lower() in general and not all(word.lower() in general for word in words):
        words.pop(0)
    words = words[-_LONGEST_CONCEPT:]
    if not words or len(found) >= _MOST_CONCEPTS:
        return
    name = " ".join(word if _is_label(word) else word.lower() for word in words)
    found.setdefault(name.lower(), name)


def _without_counts(stretch: list[str]) -> list[str]:
    """Without years and counts; a number that belongs to a label (ISO 26262) stays."""
    kept: list[str] = []
    for index, word in enumerate(stretch):
        number = word.replace(".", "").replace("-", "").isdecimal()
        if not number or (index and stretch[index - 1].isupper()):
            kept.append(word)
    return kept


def _is_label(word: str) -> bool:
    """Abbreviations, codes and names within (APOE, S355, eGFR) keep their case."""
    return any(char.isupper() for char in word[1:]) or any(char.isdigit() for char in word)


def negative_cues(text: str) -> tuple[str, ...]:
    """Words that turn the meaning round, each with up to four words after it."""
    return tuple(dict.fromkeys(match[0].lower() for match in _NEGATIVE.finditer(text[:4000])))
