"""A second look at papers that their signals reject: does a sentence of the best passage answer?

A passage of a long document speaks of many things, so its cosine with a question is low even where one of its
sentences answers it outright. The signals were fitted on abstracts and call such a passage irrelevant; the reader's
own chance of an answer tells it from a passage about something else: of the best of five passages of the insurance
demo it is .00 for nine in ten questions of another field, under .23 for nine in ten that the documents do not answer,
and over .27 for three in four that they do (`benchmarks/second_look.py`). So a paper is kept where the reader would
answer from it; none is ever dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from litloop.core.records import Candidate, Judged, Relevance
from litloop.extractive.reader import SentenceReader
from litloop.question import ParsedQuestion


def recheck_by_sentence(
    judged: Judged[tuple[Relevance, ...]],
    candidates: Sequence[Candidate],
    question: ParsedQuestion,
    reader: SentenceReader,
) -> Judged[tuple[Relevance, ...]]:
    """The verdicts, with those papers kept whose best passage answers. Verdicts and candidates are in one order."""
    verdicts = [_looked_at(*pair, question, reader) for pair in zip(judged.value, candidates, strict=True)]
    return replace(judged, value=tuple(verdicts))


def _looked_at(verdict: Relevance, candidate: Candidate, question: ParsedQuestion, reader: SentenceReader) -> Relevance:
    if verdict.verdict != "irrelevant" or not candidate.hits:
        return verdict
    chance = reader.chance(question, candidate.hits[0])
    if chance < reader.found_from(question):
        return verdict
    return replace(verdict, verdict="relevant", confidence=chance, why=f"one of its sentences answers: {chance:.2f}")
