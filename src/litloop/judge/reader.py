"""Reading without a model: the sentences that answer a question, chosen, never written.

Every item is a sentence of a passage as it stands there. A question for a typed value (a date, an amount) needs a
sentence that holds such a value. What scores too low is not an answer: better none than a wrong one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from litloop.evidence.dates import find_dates
from litloop.evidence.numbers import find_quantities
from litloop.evidence.sentences import sentence_spans
from litloop.judge.contract import Bound, evidence_span
from litloop.judge.sentence_scores import SentenceScorer
from litloop.question import ParsedQuestion
from litloop.records import AnswerItem, AnswerWithEvidence, Hit

MIN_CHARACTERS = 15  # shorter "sentences" are headings, list marks and crumbs
KINDS = {
    "number": ("number", "fraction", "ratio", "measure", "percentage", "p_value"),
    "amount": ("amount",),
    "percentage": ("percentage", "fraction"),
    "date": ("date", "year"),
    "duration": ("duration",),
}


@dataclass(frozen=True, slots=True)
class ReaderRules:
    """Thresholds on the sentence score (0-1) and sizes of answers. Measured in `benchmarks/answering`."""

    found: float = 0.45  # a sentence that answers at all
    complete: float = 0.58  # a sentence that answers a look-up by itself
    typed: float = 0.06  # what a value of the wanted type adds
    near_best: float = 0.82  # of the best score: what belongs to the same list
    most_items: int = 8
    summary_sentences: int = 5
    per_paper: int = 2  # in a summary
    same_sentence: float = 0.8  # share of words at which two sentences say the same


@dataclass(frozen=True, slots=True)
class _Sentence:
    hit: Hit
    place: int  # of its hit in the ranking
    start: int
    end: int
    text: str
    score: float
    value: str | None  # of the wanted type, normalised


class SentenceReader:
    """Answers from passages by choosing sentences."""

    def __init__(self, scorer: SentenceScorer, rules: ReaderRules | None = None) -> None:
        self._scorer = scorer
        self._rules = rules or ReaderRules()

    def read(self, question: ParsedQuestion, hits: Sequence[Hit], partial: AnswerWithEvidence | None) -> Bound:
        sentences = self._scored(question, hits)
        typed = question.answer_type in KINDS and question.shape == "single"
        answering = [s for s in sentences if s.score >= self._rules.found and (s.value or not typed)]
        if not answering:
            return Bound(AnswerWithEvidence(None, (), answer_found=False, complete_answer_found=False), ())
        chosen = self._chosen(question, answering)
        best = max(sentence.score for sentence in chosen)
        complete = question.shape != "single" or best >= self._rules.complete or bool(partial)
        items = tuple(_item(sentence, question) for sentence in chosen)
        return Bound(
            AnswerWithEvidence(
                items[0].value, items, answer_found=True, complete_answer_found=complete, confidence=best
            ),
            (),
        )

    def window(self, question: ParsedQuestion, hit: Hit, *, around: int = 1) -> str:
        """The sentences around the passage's best match: what a look-up needs to be shown."""
        sentences = self._scored(question, [hit])
        if not sentences:
            return hit.passage.text
        best = max(range(len(sentences)), key=lambda n: (sentences[n].score, -n))
        first, last = max(0, best - around), min(len(sentences) - 1, best + around)
        return hit.passage.text[sentences[first].start : sentences[last].end]

    def _scored(self, question: ParsedQuestion, hits: Sequence[Hit]) -> list[_Sentence]:
        found = []
        for place, hit in enumerate(hits):
            text = hit.passage.text
            spans = [(a, b) for a, b in sentence_spans(text) if b - a >= MIN_CHARACTERS]
            found += [(hit, place, start, end, text[start:end]) for start, end in spans or [(0, len(text))]]
        scores = self._scorer.scores(
            question.corrected, [text for *_, text in found], [1 / (1 + place) for _, place, *_ in found]
        )
        sentences = []
        for (hit, place, start, end, text), score in zip(found, scores.tolist(), strict=True):
            value = typed_value(text, question.answer_type)
            bonus = self._rules.typed if value else 0.0
            sentences.append(_Sentence(hit, place, start, end, text, score + bonus, value))
        return sentences

    def _chosen(self, question: ParsedQuestion, answering: Sequence[_Sentence]) -> list[_Sentence]:
        ranked = sorted(answering, key=lambda s: (-s.score, s.place, s.start))
        if question.shape == "single":
            return ranked[:1]
        if question.shape in ("summary", "differential"):
            return self._spread(ranked, self._rules.summary_sentences, self._rules.per_paper)
        near = [s for s in ranked if s.score >= self._rules.near_best * ranked[0].score]
        kept = self._spread(near, self._rules.most_items, self._rules.most_items)
        return sorted(kept, key=lambda s: (s.place, s.start))

    def _spread(self, ranked: Sequence[_Sentence], most: int, per_paper: int) -> list[_Sentence]:
        """The best, none saying what an earlier one said, and not too many of one paper."""
        kept: list[_Sentence] = []
        papers: dict[str, int] = {}
        for sentence in ranked:
            paper = sentence.hit.passage.paper_id
            if papers.get(paper, 0) >= per_paper or any(self._same(sentence, other) for other in kept):
                continue
            kept.append(sentence)
            papers[paper] = papers.get(paper, 0) + 1
            if len(kept) == most:
                break
        return kept

    def _same(self, one: _Sentence, other: _Sentence) -> bool:
        a, b = set(one.text.casefold().split()), set(other.text.casefold().split())
        return len(a & b) >= self._rules.same_sentence * min(len(a), len(b))


def typed_value(text: str, answer_type: str) -> str | None:
    """The first value of the wanted type in a sentence: a date in ISO form, else as it is written."""
    if answer_type == "date":
        dates = find_dates(text)
        if dates:
            return dates[0].iso
    kinds = KINDS.get(answer_type)
    if kinds is None:
        return None
    quantity = next((q for q in find_quantities(text) if q.kind in kinds), None)
    return text[quantity.span[0] : quantity.span[1]] if quantity else None


def _item(sentence: _Sentence, question: ParsedQuestion) -> AnswerItem:
    span = evidence_span(sentence.hit, sentence.start, sentence.end)
    if sentence.value and question.shape == "single":
        return AnswerItem(sentence.value, question.answer_type, (span,))
    return AnswerItem(sentence.text, "text", (span,))
