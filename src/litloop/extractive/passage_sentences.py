"""The sentences of some passages, each with what stands around it: its headings, its place, the words before it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from litloop.core.records import Hit
from litloop.text.sentences import sentence_spans

MIN_CHARACTERS = 15  # shorter "sentences" are list marks and crumbs, unless they are a row of a table
HEADING_WORDS = 12
_NUMBERED = re.compile(r"#{1,6}\s|(?:\d{1,3}(?:\.\d{1,3}){0,4}|[A-Z])[.)]?\s+(?=[A-Z])")
_ENDED = re.compile(r"[.!?:;][\"')\]”]*$")
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class PassageSentence:
    """A sentence at [start, end) of the text of `hit`. What is no sentence (a heading) is kept as context only."""

    hit: Hit
    place: int  # of the hit in the ranking, from 0
    start: int
    end: int
    text: str
    under: str  # title and headings
    heading: str  # the nearest of them, "" when there is none
    before: str  # the sentence before it in the same section
    position: float  # 0 the first, 1 the last of its passage


def passage_sentences(hits: Sequence[Hit]) -> list[PassageSentence]:
    """Every sentence of `hits` in order. A passage that holds no sentence, but words, is one."""
    return [sentence for place, hit in enumerate(hits) for sentence in _of(hit, place)]


def _of(hit: Hit, place: int) -> list[PassageSentence]:
    passage = hit.passage
    spans = sentence_spans(passage.text)
    texts = [passage.text[start:end] for start, end in spans]
    kinds = [_kind(texts, number) for number in range(len(texts))]
    count = kinds.count("sentence")
    if not passage.text.strip():
        return []
    if not count:
        whole = passage.text
        under = " ".join(part for part in (passage.title, passage.heading) if part)
        return [PassageSentence(hit, place, 0, len(whole), whole, under, passage.heading, "", 0.0)]
    found: list[PassageSentence] = []
    headings: list[str] = []
    before, opened = "", True
    for (start, end), text, kind in zip(spans, texts, kinds, strict=True):
        if kind == "heading":
            headings = [*headings, text][-2:] if opened else [text]
            before, opened = "", True
        elif kind == "sentence":
            under = " ".join(part for part in (passage.title, passage.heading, *headings) if part)
            heading = headings[-1] if headings else passage.heading
            position = len(found) / max(1, count - 1)
            found.append(PassageSentence(hit, place, start, end, text, under, heading, before, position))
            before, opened = text, False
    return found


def _kind(texts: Sequence[str], number: int) -> Literal["heading", "sentence", "crumb"]:
    text = texts[number]
    if _is_row(text) and _heads_a_table(texts, number):
        return "heading"
    if not _is_open(text):
        return "sentence" if len(text) >= MIN_CHARACTERS or "\t" in text else "crumb"
    # Items of a list are short and open too, but stand together; a heading stands before a sentence.
    alone = not any(0 <= near < len(texts) and _is_open(texts[near]) for near in (number - 1, number + 1))
    if _NUMBERED.match(text) or (alone and number + 1 < len(texts)):
        return "heading"
    return "sentence" if len(text) >= MIN_CHARACTERS else "crumb"


def _is_row(text: str) -> bool:
    return "\t" in text or " | " in text


def _heads_a_table(texts: Sequence[str], number: int) -> bool:
    """The first row of a table that says what its columns are: no figure but a year, and figures in the next row."""
    first = number == 0 or not _is_row(texts[number - 1])
    below = texts[number + 1] if number + 1 < len(texts) else ""
    figures = re.search(r"\d", re.sub(r"\b(?:19|20)\d\d(?:/\d\d)?\b", "", texts[number]))
    return first and not figures and _is_row(below) and any(character.isdecimal() for character in below)


def _is_open(text: str) -> bool:
    """Whether a line is short, on one line and without an end, and no row of a table."""
    if "\t" in text or "|" in text or "\n" in text or _ENDED.search(text) or not _LETTER.search(text):
        return False
    return len(text.split()) <= HEADING_WORDS


_LABEL = re.compile(r"([A-Z][A-Za-z]*(?:(?:, | ?[/&] ?| )[A-Za-z]+){0,5}):\s")
_WORD = re.compile(r"[a-z]+")
# What a study set out to do, where, on whom and how. The labels are those of the structured abstracts of MEDLINE.
_ASIDE = re.compile(
    r"aims?|analysis|background|context|data|design|eligibility|evidence|exposures?|funding|goals?|hypothesis|importance|"
    r"interventions?|introduction|level|materials?|measure(?:s|ments?)?|method(?:s|ology)?|objectives?|outcomes?|"
    r"participants?|patients?|population|purpose|question|rationale|registration|sample|selection|settings?|sources?|"
    r"subjects?|trial|type"
)
_FOUND = re.compile(
    r"conclusions?|discussion|findings?|implications|interpretation|messages?|points|relevance|results?|significance|"
    r"summary|synthesis"
)
_JOINING = re.compile(r"and|of|the|main|key|study")


def tell_findings(sentences: Sequence[PassageSentence]) -> list[bool]:
    """Whether each sentence stands outside the parts that tell no finding. Takes sentences in their order.

    A label holds until the next one of its passage; text without labels is all taken for findings.
    """
    told: list[bool] = []
    place, finding = -1, True
    for sentence in sentences:
        if sentence.place != place:
            place, finding = sentence.place, True
        if label := _LABEL.match(sentence.text):
            finding = names_findings(label[1], before=finding)
        told.append(finding)
    return told


def names_findings(label: str, *, before: bool = True) -> bool:
    """Whether a part of that label tells findings. One that is no label leaves it at what was told `before`."""
    words = [word for word in _WORD.findall(label.lower()) if not _JOINING.fullmatch(word)]
    known = [word for word in words if _ASIDE.fullmatch(word) or _FOUND.fullmatch(word)]
    if words and len(known) == len(words):
        return any(_FOUND.fullmatch(word) for word in words)  # "METHODS AND RESULTS" tells findings too
    return label.isupper() or before  # capitals that are not known begin something new
