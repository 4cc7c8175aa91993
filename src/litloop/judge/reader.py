"""Reading without a model: the sentences that answer a question, chosen, never written.

Every item is a sentence of a passage as it stands there. A question for a typed value (a date, an amount) needs a
sentence that holds such a value. What is unlikely to be an answer is none: better none than a wrong one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from litloop.judge.contract import Bound, evidence_span
from litloop.judge.passage_sentences import PassageSentence, passage_sentences
from litloop.judge.sentence_scores import SentenceScorer
from litloop.judge.typed_values import TypedValue, is_typed, nearest_value, typed_values
from litloop.question import ParsedQuestion
from litloop.records import AnswerItem, AnswerWithEvidence, Hit

_WORD = re.compile(r"[^\W_]{4,}")
_WRITTEN = ("summary", "differential", "procedure")  # answered in sentences, whatever their type
NOTHING = Bound(AnswerWithEvidence(None, (), answer_found=False, complete_answer_found=False), ())


@dataclass(frozen=True, slots=True)
class ReaderRules:
    """Thresholds on the probability that a sentence answers, and sizes of answers. From `benchmarks/answering`."""

    found: float = 0.15  # a sentence that answers at all
    complete: float = 0.45  # a sentence that answers a look-up by itself
    statements: int = 2  # sentences that answer an untyped look-up
    statement_near: float = 1.0  # rank below the best at which a further statement is still told
    list_near: float = 3.0  # the same for the members of a list
    list_items: int = 10
    summary_sentences: int = 5
    per_paper: int = 2  # in a summary
    same_sentence: float = 0.8  # share of words at which two sentences say the same


@dataclass(frozen=True, slots=True)
class _Scored:
    sentence: PassageSentence
    rank: float
    chance: float
    values: tuple[TypedValue, ...]


class SentenceReader:
    """Answers from passages by choosing sentences."""

    def __init__(self, scorer: SentenceScorer, rules: ReaderRules | None = None) -> None:
        self._scorer = scorer
        self._rules = rules or ReaderRules()

    def read(self, question: ParsedQuestion, hits: Sequence[Hit], partial: AnswerWithEvidence | None) -> Bound:
        ranked = self._ranked(question, hits)
        if not ranked or ranked[0].chance < self._rules.found:
            return NOTHING
        chosen = self._chosen(question, ranked)
        best = max(scored.chance for scored in chosen)
        complete = question.shape != "single" or best >= self._rules.complete
        items = tuple(_item(scored, question) for scored in chosen)
        contract = AnswerWithEvidence(
            items[0].value, items, answer_found=True, complete_answer_found=complete, confidence=best
        )
        return Bound(contract, ())

    def window(self, question: ParsedQuestion, hit: Hit, *, around: int = 1) -> str:
        """The sentences around the passage's best match: what a look-up needs to be shown."""
        ranked = self._ranked(question, [hit])
        if not ranked:
            return hit.passage.text
        ordered = sorted(ranked, key=lambda scored: scored.sentence.start)
        best = ordered.index(ranked[0])
        first, last = max(0, best - around), min(len(ordered) - 1, best + around)
        return hit.passage.text[ordered[first].sentence.start : ordered[last].sentence.end]

    def _ranked(self, question: ParsedQuestion, hits: Sequence[Hit]) -> list[_Scored]:
        """Every sentence that may answer, best first; one without the wanted type of value may not."""
        sentences = passage_sentences(hits)
        typed = wants_value(question)
        values = [_values(question, sentence) if typed else () for sentence in sentences]
        ranks, chances = self._scorer.scores(question.corrected, sentences, fits(question, sentences))
        scored = [
            _Scored(*row) for row in zip(sentences, ranks.tolist(), chances.tolist(), values, strict=True)
        ]
        return sorted(scored, key=lambda s: (-s.rank, s.sentence.place, s.sentence.start))

    def _chosen(self, question: ParsedQuestion, ranked: Sequence[_Scored]) -> list[_Scored]:
        rules = self._rules
        best = ranked[0].rank
        if question.shape == "single":
            near = [s for s in ranked if s.rank >= best - rules.statement_near]
            return ranked[:1] if wants_value(question) else self._spread(near, rules.statements, rules.statements)
        if question.shape in ("summary", "differential"):
            return self._spread(ranked, rules.summary_sentences, rules.per_paper)
        near = [s for s in ranked if s.rank >= best - rules.list_near]
        kept = self._spread(near, rules.list_items, rules.list_items)
        return sorted(kept, key=lambda s: (s.sentence.place, s.sentence.start))

    def _spread(self, ranked: Sequence[_Scored], most: int, per_paper: int) -> list[_Scored]:
        """The best, none saying what an earlier one said, and not too many of one paper."""
        kept: list[_Scored] = []
        papers: dict[str, int] = {}
        for scored in ranked:
            paper = scored.sentence.hit.passage.paper_id
            if papers.get(paper, 0) >= per_paper or any(self._same(scored, other) for other in kept):
                continue
            kept.append(scored)
            papers[paper] = papers.get(paper, 0) + 1
            if len(kept) == most:
                break
        return kept

    def _same(self, one: _Scored, other: _Scored) -> bool:
        a, b = set(one.sentence.text.casefold().split()), set(other.sentence.text.casefold().split())
        return len(a & b) >= self._rules.same_sentence * min(len(a), len(b))


def wants_value(question: ParsedQuestion) -> bool:
    return question.shape not in _WRITTEN and is_typed(question.answer_type)


def fits(question: ParsedQuestion, sentences: Sequence[PassageSentence]) -> list[float] | None:
    """How well each sentence's values fit the wanted type (1, .5, 0); None when no value is wanted."""
    if not wants_value(question):
        return None
    found = [_values(question, sentence) for sentence in sentences]
    return [1.0 if any(v.exact for v in values) else 0.5 if values else 0.0 for values in found]


def _values(question: ParsedQuestion, sentence: PassageSentence) -> tuple[TypedValue, ...]:
    return tuple(typed_values(sentence.text, question.answer_type, question.corrected))


def _item(scored: _Scored, question: ParsedQuestion) -> AnswerItem:
    sentence = scored.sentence
    span = evidence_span(sentence.hit, sentence.start, sentence.end)
    if scored.values and question.shape == "single":
        asked = {word.casefold() for word in _WORD.findall(question.corrected)}
        places = [m.span() for m in _WORD.finditer(sentence.text) if m[0].casefold() in asked]
        value = nearest_value(sentence.text, scored.values, places)
        kind = question.answer_type if value.exact else "text"
        return AnswerItem(value.value, kind, (span,))
    return AnswerItem(sentence.text, "text", (span,))
