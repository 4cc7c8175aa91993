"""What is said beside a question that got no answer: what was searched and read, how sure that is, what might help."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from litloop.core.records import Answer, Hit
from litloop.loop.search_loop import LoopResult
from litloop.question import ParsedQuestion, naming_words
from litloop.text.languages import foreign_language

RULES_READ = (
    "Rules read them, not a model: the answer may stand there in other words, or in a passage that was not read."
)
MODEL_READ = "The answer may stand in a passage that was not read."
LANGUAGE = (
    "The question seems to be in {language}. Without a model litloop reads English only: ask in English, or set up a "
    "model."
)
NO_WORD = "“{word}” stands nowhere in this collection. Did you mean “{better}”?"
BEARING = "All the words asked about stand in {places}, which was not taken for an answer."
BEARING_MORE = "All the words asked about stand in {places}, which were not taken for an answer."
_BEARING_SHOWN = 3  # passages
_PREFIX = 4  # letters of a word that its other forms share
_WORD = re.compile(r"[^\W_]+")


def declined_notes(
    question: ParsedQuestion,
    answer: Answer,
    result: LoopResult,
    facts: Mapping[str, Any] | None,
    suggestions: Mapping[str, str],
) -> tuple[str, ...]:
    """The notes of an answer that holds no sentence although nothing failed; none for any other.

    `facts` are those of the collection that was searched, None where more than one was; `suggestions` the words of the
    question that it lacks, with those it has instead.
    """
    if answer.sentences or answer.status not in ("not_found", "out_of_scope", "passages_only") or result.excluded:
        return ()
    language = foreign_language(question.text)
    if language is None:
        notes = [NO_WORD.format(word=word, better=better) for word, better in suggestions.items()]
    else:
        notes = [] if result.judged_by_model else [LANGUAGE.format(language=language)]
    if facts is None:
        return tuple(notes)
    if answer.status == "not_found":
        notes.append(_read(answer, facts))
        notes += _bearing(question, result)
    else:
        notes.append(_searched(result, facts))
    return tuple(notes)


def _read(answer: Answer, facts: Mapping[str, Any]) -> str:
    read = sum(step.get("read", 0) for step in answer.dispatch.get("steps", ()))
    by_model = answer.dispatch.get("read_by") == "model"
    them = MODEL_READ if by_model else RULES_READ
    return f"Read: {_counted(read, 'passage')} of {_held(facts)}. {them}"


def _searched(result: LoopResult, facts: Mapping[str, Any]) -> str:
    judged = len({verdict.paper_id for entry in result.rounds for verdict in entry.verdicts})
    by = "a model" if result.judged_by_model else f"{'its' if judged == 1 else 'their'} signals, without a model"
    searched = f"this collection's {_counted(facts.get('papers', 0), 'paper')}"
    if not judged:
        return f"Searched: {searched}."
    nearest = "the nearest paper was" if judged == 1 else f"the {judged} nearest papers were"
    return f"Searched: {searched}; {nearest} judged by {by}."


def _held(facts: Mapping[str, Any]) -> str:
    """ "the 512 in this collection's 7 papers", or its papers alone where traces of 0.1 do not tell its passages."""
    papers = f"this collection's {_counted(facts.get('papers', 0), 'paper')}"
    return f"the {facts['passages']:,} in {papers}" if facts.get("passages") else papers


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _bearing(question: ParsedQuestion, result: LoopResult) -> Iterator[str]:
    """Where all the words that name what is asked for stand together among what was found."""
    asked = [word[: max(_PREFIX, len(word) - 3)] for word in naming_words(question.corrected)]
    if not asked:
        return
    hits = [hit for candidate, _ in result.relevant for hit in candidate.hits]
    places = list(dict.fromkeys(_place(hit) for hit in hits if _bears(hit, asked)))[:_BEARING_SHOWN]
    if places:
        text = BEARING if len(places) == 1 else BEARING_MORE
        yield text.format(places=", ".join(places))


def _bears(hit: Hit, asked: Sequence[str]) -> bool:
    words = {word.casefold() for word in _WORD.findall(hit.passage.text)}
    return all(any(word.startswith(start) for word in words) for start in asked)


def _place(hit: Hit) -> str:
    passage = hit.passage
    page = f", page {passage.page}" if passage.page else ""
    title = hit.paper.display_title if hit.paper is not None else passage.title or passage.paper_id
    return f"“{title}”{page}"
