"""Where the question itself says to look: a document, a section, a page, years, a known topic."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from litloop.question.record import Scope

_FILE = re.compile(r"(?<![\w/])[\w][\w .()-]{0,80}?\.(?:pdf|docx?|xlsx?|html?|md|txt|xml|json|csv)\b", re.IGNORECASE)
_QUOTED_SOURCE = re.compile(
    r"\b(?:in|according to|from|per|of) (?:the )?(?:document|paper|article|report|file|study|book)? ?"
    r"[\"“]([^\"”]{3,120})[\"”]",
    re.IGNORECASE,
)
_KIND = (
    r"(?:policy|contract|agreement|lease|report|amendment|addendum|endorsement|schedule|prospectus|manual|datasheet|"
    r"data sheet|standard|guideline|protocol|judgment|judgement|statute|regulation|directive|act|deed|will|memo|"
    r"memorandum|paper|article|study|trial|thesis|review|specification|spec|filing|10-K|10-Q|annual report|NDA|MSA|SLA|"
    r"wording|form|certificate|handbook|bulletin|letter|invoice|quote|offer|draft|version|accounts)"
)
_NAMED_SOURCE = re.compile(
    rf"\b(?:in|according to|under|per|from|within) (?:the |our |this |that )?((?:[\w&.'/-]+ ){{1,4}}?{_KIND})\b",
    re.IGNORECASE,
)
_SPEAKING_SOURCE = re.compile(
    rf"\b(?:does|do|did|is|are) (?:the |our |this |that )?((?:[\w&.'/-]+ ){{1,4}}?{_KIND}) "
    r"(?:say|state|provide|require|define|list|specify|report|mention|conclude|recommend|cover|exclude|contain)\b",
    re.IGNORECASE,
)
_SECTION = re.compile(
    r"(?:\b(?i:sections?|sec\.|clauses?|cl\.|articles?|art\.|chapters?|ch\.|paragraphs?|para\.?|schedule|annex|appendix|"
    r"exhibit|table|figure|fig\.|rule|regulation|endorsement|part|item|note|recital|title|subsection)\s+|§§?\s*)"
    r"((?:[A-Za-z]{1,3}[-. ]?)?\d[\w.()-]*|[IVXLC]+\b|[A-Z]\b)",
)
_NAMED_SECTION = re.compile(
    r"\b(?:in|from|of|under) the (abstract|introduction|background|methods?|materials and methods|results|discussion|"
    r"conclusions?|limitations|references|appendix|preamble|recitals|definitions|declarations|declarations page|"
    r"footnotes?|notes|executive summary|supplement|supplementary material)(?: section| part)?\b",
    re.IGNORECASE,
)
_PAGE = re.compile(r"\b(?:pages?|pp?\.)\s*(\d{1,5})(?:\s*(?:-|–|to|and|through)\s*(\d{1,5}))?", re.IGNORECASE)
_YEAR = r"(?:FY ?)?((?:19|20)\d\d)"
_TO = r"(?:-|–|—|to|and|until|till|through|versus|vs\.?)"
_BETWEEN = re.compile(rf"\b{_YEAR}(?:/\d\d)? ?{_TO} ?(?:\w+ )?{_YEAR}\b", re.IGNORECASE)
_SINCE = re.compile(
    rf"\b(?:since|after|from|starting(?: in)?|published after|later than) (?:\w+ )?{_YEAR}\b", re.IGNORECASE
)
_UNTIL = re.compile(
    rf"\b(?:until|before|up to|through|prior to|by|earlier than|till) (?:\w+ )?{_YEAR}\b", re.IGNORECASE
)
_SINGLE = re.compile(rf"(?<![\w.:/-]){_YEAR}(?![\w:/-]|\.\d)")
_NOT_IN_NAMES = frozenset(
    {
        "in",
        "of",
        "from",
        "to",
        "under",
        "per",
        "does",
        "do",
        "is",
        "see",
        "the",
        "a",
        "an",
        "this",
        "that",
        "with",
        "for",
        "on",
        "and",
        "or",
        "by",
        "patients",
        "people",
        "their",
        "its",
        "our",
        "which",
    }
)
_TITLE_WORD = re.compile(r"[^\W_]+")


def find_scope(text: str, topics: Sequence[str] = ()) -> Scope:
    """The scope named in `text`. `topics` are the names that `condition` may take."""
    head = text[:4000]  # a scope is named beside the question; a pasted document is not one
    scope = Scope(document=_document(head), section=_section(head), condition=_topic(head, tuple(topics)))
    page = _PAGE.search(head)
    if page:
        scope = replace(scope, page=int(page[1]), page_to=int(page[2]) if page[2] else None)
    first, last = _years(head)
    return replace(scope, year_from=first, year_to=last)


def _document(text: str) -> str | None:
    file = _FILE.search(text)
    if file:
        return _without_lead(file[0])
    quoted = _QUOTED_SOURCE.search(text)
    if quoted:
        return quoted[1].strip()
    named = _NAMED_SOURCE.search(text) or _SPEAKING_SOURCE.search(text)
    return _specific(named[1]) if named else None


def _without_lead(name: str) -> str:
    """A file name may hold spaces, so the match may begin too early: what does report 3.pdf say."""
    words = name.split(" ")
    last_closed = max((i for i, word in enumerate(words) if word.lower() in _NOT_IN_NAMES), default=-1)
    return " ".join(words[last_closed + 1 :])


def _specific(name: str) -> str | None:
    """The words that single a document out ("2021 amendment"); a bare "policy" names none."""
    name = _without_lead(name)
    return name if " " in name else None


def _section(text: str) -> str | None:
    match = _SECTION.search(text) or _NAMED_SECTION.search(text)
    if match is None:
        return None
    return match[0].strip().rstrip(".") if match.re is not _NAMED_SECTION else match[1]


def _years(text: str) -> tuple[int | None, int | None]:
    between = _BETWEEN.search(text)
    if between:
        first, last = sorted((int(between[1]), int(between[2])))
        return first, last
    since, until = _SINCE.search(text), _UNTIL.search(text)
    if since or until:
        shift_since = 1 if since and since[0].lower().startswith(("after", "published after", "later")) else 0
        shift_until = 1 if until and until[0].lower().startswith(("before", "prior", "earlier")) else 0
        return (int(since[1]) + shift_since if since else None), (int(until[1]) - shift_until if until else None)
    years = [int(year) for year in _SINGLE.findall(text)]
    return (min(years), max(years)) if years else (None, None)


@lru_cache(maxsize=8)
def _topic_index(topics: tuple[str, ...]) -> dict[str, list[tuple[tuple[str, ...], str]]]:
    """Topic names by their first word, longest first."""
    index: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for name in topics:
        words = tuple(_TITLE_WORD.findall(name.lower()))
        if words:
            index.setdefault(words[0], []).append((words, name))
    for entries in index.values():
        entries.sort(key=lambda entry: (-len(entry[0]), entry[1]))
    return index


def _topic(text: str, topics: tuple[str, ...]) -> str | None:
    """The longest topic name that stands in the text, word for word; of equals the first."""
    index = _topic_index(topics)
    words = _TITLE_WORD.findall(text.lower())
    best: tuple[int, str] | None = None
    for position, word in enumerate(words):
        for name_words, name in index.get(word, ()):
            if best and len(name_words) <= best[0]:
                break
            if tuple(words[position : position + len(name_words)]) == name_words:
                best = (len(name_words), name)
                break
    return best[1] if best else None
