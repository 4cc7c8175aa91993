"""What compression saves of the summary prompt, and whether the sentences that bear the answer are still in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

from benchmarks.material.prompt_cases import Case
from litloop.answer.extract import FORMS
from litloop.answer.summarise import PROMPT, SHAPE
from litloop.llm.chat import Message
from litloop.llm.extractive_compressor import ExtractiveCompressor, shortened_documents
from litloop.llm.prompt import PromptDocument
from litloop.llm.tokens import TokenCounter, count_messages


@dataclass(frozen=True)
class Kept:
    """One case. `saved` is of the whole prompt, `saved_text` of the documents alone, each a share."""

    saved: float
    saved_text: float
    sentences: int
    sentences_kept: int
    borne: bool  # one rationale, at least, is there whole


def summary_messages(question: str, documents: Sequence[PromptDocument]) -> tuple[Message, ...]:
    """The summary prompt as litloop sends it, with the documents under the names P1, P2, …"""
    shown = [
        PromptDocument(f"P{number}", document.text, document.title)
        for number, document in enumerate(documents, start=1)
    ]
    form = FORMS["summary"]
    return PROMPT.render(question=question, passages=shown, form=form, more="", wrong="", shape=SHAPE).messages


def measure(case: Case, compressor: ExtractiveCompressor, counter: TokenCounter, keeps: Sequence[float]) -> list[Kept]:
    """One case at several shares of tokens to keep; the sentences are scored once."""
    sentences = compressor.sentences(case.documents)
    scores = compressor.scores(sentences, case.question)
    tokens = sum(counter.count(document.text) for document in case.documents)
    return [
        _kept(
            case, shortened_documents(case.documents, sentences, scores, case.question, budget=keep * tokens), counter
        )
        for keep in keeps
    ]


def _kept(case: Case, short: Sequence[PromptDocument], counter: TokenCounter) -> Kept:
    before = count_messages(counter, summary_messages(case.question, case.documents))
    after = count_messages(counter, summary_messages(case.question, short))
    lengths = [sum(counter.count(document.text) for document in documents) for documents in (case.documents, short)]
    texts = ["".join(document.text.split()) for document in short]

    def there(pair: tuple[int, str]) -> bool:
        return "".join(pair[1].split()) in texts[pair[0]]

    sentences = {pair for rationale in case.rationales for pair in rationale}
    return Kept(
        1 - after / before,
        1 - lengths[1] / lengths[0],
        len(sentences),
        sum(map(there, sentences)),
        any(all(map(there, rationale)) for rationale in case.rationales),
    )


def summed(kept: Sequence[Kept]) -> dict[str, Any]:
    sentences = sum(row.sentences for row in kept)
    lost = sentences - sum(row.sentences_kept for row in kept)
    return {
        "cases": len(kept),
        "saved_of_prompt": round(mean(row.saved for row in kept), 4),
        "saved_of_text": round(mean(row.saved_text for row in kept), 4),
        "evidence_sentences": sentences,
        "evidence_lost": lost,
        "evidence_recall": round(1 - lost / sentences, 4),
        "cases_still_borne": round(mean(row.borne for row in kept), 4),
    }


def alone(case: Case) -> Case:
    """The same case with only the documents that bear it: the hardest setting, nothing irrelevant to leave out. (Most
    of these are below 512 tokens, where litloop does not compress; here they are compressed all the same.)"""
    bearing = sorted({number for rationale in case.rationales for number, _ in rationale})
    place = {number: new for new, number in enumerate(bearing)}
    rationales = tuple(tuple((place[number], text) for number, text in rationale) for rationale in case.rationales)
    return Case(case.source, case.question, tuple(case.documents[n] for n in bearing), rationales, case.decision)
