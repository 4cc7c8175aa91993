"""Reading without a model: the sentences that answer a question, chosen, never written.

Every item is a sentence of a passage as it stands there. A question for a typed value (a date, an amount) needs a
sentence that holds such a value. What is unlikely to be an answer is none: better none than a wrong one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from litloop.core.records import (
    RELEVANCE,
    AnswerItem,
    AnswerWithEvidence,
    BoundContract,
    Candidate,
    Hit,
    Judged,
    Relevance,
    evidence_span,
)
from litloop.extractive.answer_noun import AnswerNounMatcher
from litloop.extractive.passage_sentences import PassageSentence, passage_sentences, tell_findings
from litloop.extractive.sentence_scores import SentenceScorer, is_anaphoric, states_aim_or_method
from litloop.extractive.typed_values import TypedValue, is_typed, nearest_value, typed_values
from litloop.question import ParsedQuestion, compared_sides

_WRITTEN = ("summary", "differential", "procedure")  # answered in sentences, whatever their type
_ACCOUNTS = ("summary", "differential")
_SEVERAL = ("listing", "table", "comparison", "procedure")
# Of these there are many kinds of which a text names each: fines and fees; who wrote it and who signed it.
_NAMED_TYPES = ("amount", "percentage", "entity")
UNNAMED = "The quoted passage does not contain '{word}': it may be about something else."
ONE_SIDED = "No quote is about {side}, so the answer covers only one side of the comparison."
_WORD = re.compile(r"[^\W_]+")
GAP = "\n…\n"  # between the stretches of a window
NOTHING = BoundContract(AnswerWithEvidence(None, (), answer_found=False, complete_answer_found=False), ())


@dataclass(frozen=True, slots=True)
class ReaderRules:
    """Thresholds on the probability that a sentence answers, and sizes of answers.

    Chosen with `benchmarks/quality/answering`.
    """

    found: float = 0.25  # a sentence that answers with a value
    found_statement: float = 0.15  # one that answers in words: its judge, relevance, has already spoken
    # The same in a paper that is likely relevant: that a sentence has other forms of the question's words ("epileptic",
    # "epilepsy") is no sign against it there, and it is answered with, as a part only. Chosen on half of PubMedQA:
    # of the other half's 16 questions that were read and refused 12 are answered, all from their own paper;
    # of 200 whose paper was taken out 3 instead of 2.
    found_in_likely: float = 0.05
    likely: float = 0.4
    found_member: float = 0.03  # one of several: a member says less of the question than a value does
    complete: float = 0.3  # a sentence that answers a look-up by itself
    statements: int = 3  # sentences that answer an untyped look-up
    statement_near: float = 3.0  # rank below the best at which a further statement is still told
    side_near: float = 2.5  # the same for a comparison
    sides: int = 6
    list_near: float = 4.0  # the same for the members of a list
    section_near: float = 5.0  # and for those that stand in the section of one of the three best
    list_items: int = 10
    summary_sentences: int = 5
    per_paper: int = 2  # in a summary
    # Of an evidence window. On the insurance demo a perfect reader needs 1.4 calls a look-up with these, 1.7 with one
    # match in 480 characters: what a wider window costs is less than reading on.
    window_matches: int = 5
    window_characters: int = 240  # of the best match and its neighbours; a longer match is shown whole
    same_sentence: float = 0.8  # share of their words that two sentences have in common when they say the same


@dataclass(frozen=True, slots=True)
class _Scored:
    sentence: PassageSentence
    rank: float
    chance: float
    values: tuple[TypedValue, ...]
    finding: bool  # not of a part of an abstract that says only what was studied, where and how


class SentenceReader:
    """Answers from passages by choosing sentences."""

    def __init__(self, scorer: SentenceScorer, rules: ReaderRules | None = None) -> None:
        self._scorer = scorer
        self._rules = rules or ReaderRules()

    def read(self, question: ParsedQuestion, hits: Sequence[Hit], partial: AnswerWithEvidence | None) -> BoundContract:
        ranked = self._ranked(question, hits)
        rules = self._rules
        if not ranked or ranked[0].chance < self.found_from(question, ranked[0].sentence.hit):
            return NOTHING
        chosen = self._chosen(question, self._telling(question, ranked))
        best = max(scored.chance for scored in chosen)
        complete = question.shape != "single" or best >= rules.complete
        items = tuple(self._item(scored, question) for scored in chosen)
        caveats = (*self._unnamed(question, chosen), *self._one_sided(question, chosen))
        return BoundContract(
            AnswerWithEvidence(
                items[0].value,
                items,
                answer_found=True,
                complete_answer_found=complete and not caveats,
                confidence=best,
                caveats=caveats,
            ),
            (),
        )

    def chance(self, question: ParsedQuestion, hit: Hit) -> float:
        """The probability, 0-1, that the passage's best sentence answers the question."""
        ranked = self._ranked(question, [hit])
        return ranked[0].chance if ranked else 0.0

    def _unnamed(self, question: ParsedQuestion, chosen: Sequence[_Scored]) -> tuple[str, ...]:
        """What is said of a sum, a share or a deed when the passage it was taken from nowhere names it."""
        asked = AnswerNounMatcher(question.corrected, self._scorer.held)
        named = question.shape == "single" and question.answer_type in _NAMED_TYPES
        if not named or any(asked.named_in(scored.sentence.hit.passage) for scored in chosen):
            return ()
        return (UNNAMED.format(word=asked.word),)

    def _one_sided(self, question: ParsedQuestion, chosen: Sequence[_Scored]) -> list[str]:
        """What is said of a thing that is compared when no sentence, with its title and headings, names it."""
        if question.shape != "comparison":
            return []
        return [ONE_SIDED.format(side=side) for side in self._missing_sides(question, chosen)]

    def _missing_sides(self, question: ParsedQuestion, chosen: Sequence[_Scored]) -> dict[str, str]:
        """The compared things that nothing of `chosen` names, each with its most telling word."""
        sides = compared_sides(question.corrected) or ()
        terms = {side: self._scorer.held(side) for side in sides}
        own = {
            side: self._scorer.rarest(terms[side] - terms[other])
            for side, other in zip(sides, reversed(sides), strict=True)
        }
        return {side: word for side, word in own.items() if word and not any(self._names(s, word) for s in chosen)}

    def _names(self, scored: _Scored, word: str) -> bool:
        return word in self._scorer.held(f"{scored.sentence.under} {scored.sentence.text}")

    def window(self, question: ParsedQuestion, hit: Hit) -> str:
        """The passage's best matches, the first with its neighbours where they are short: what a look-up is shown.

        Verbatim stretches of the passage in its order, one a line, so that what is quoted from them is found there.
        """
        rules = self._rules
        ranked = self._ranked(question, [hit])
        if len(hit.passage.text) <= rules.window_characters or not ranked:
            return hit.passage.text
        ordered = sorted((scored.sentence for scored in ranked), key=lambda sentence: sentence.start)
        spans: list[tuple[int, int]] = []
        for number, scored in enumerate(ranked[: rules.window_matches]):
            room = rules.window_characters if number == 0 else 0
            spans.append(_around(ordered, ordered.index(scored.sentence), room))
        return GAP.join(hit.passage.text[start:end] for start, end in _joined(spans))

    def found_from(self, question: ParsedQuestion, hit: Hit | None = None) -> float:
        """The probability from which a sentence is taken for an answer; lower in a `hit` of a likely relevant paper."""
        if question.shape in _SEVERAL:
            return self._rules.found_member
        if wants_value(question):
            return self._rules.found
        if hit is not None and hit.signals.get(RELEVANCE, 0.0) >= self._rules.likely:
            return min(self._rules.found_in_likely, self._rules.found_statement)
        return self._rules.found_statement

    def _ranked(self, question: ParsedQuestion, hits: Sequence[Hit]) -> list[_Scored]:
        """Every sentence that may answer, best first; one without the wanted type of value may not."""
        sentences = passage_sentences(hits)
        typed = wants_value(question)
        values = [_values(question, sentence) if typed else () for sentence in sentences]
        lookup = question.shape == "single"
        fitting = fits(question, sentences)
        ranks, chances = self._scorer.scores(question.corrected, sentences, fitting, lookup=lookup)
        if fitting and lookup:
            asked = AnswerNounMatcher(question.corrected, self._scorer.held)
            ranks, chances = asked.first(sentences, fitting, ranks, chances)
        rows = zip(sentences, ranks.tolist(), chances.tolist(), values, tell_findings(sentences), strict=True)
        scored = [_Scored(*row) for row in rows]
        return sorted(scored, key=lambda s: (-s.rank, s.sentence.place, s.sentence.start))

    def _telling(self, question: ParsedQuestion, ranked: list[_Scored]) -> list[_Scored]:
        """For an account, or a yes or no: the findings alone, unless what is best said is far from any of them. No
        title is told, which stands beside the answer anyway."""
        if question.shape not in _ACCOUNTS and question.intent != "verify":
            return ranked
        ranked = [scored for scored in ranked if not _is_title(scored.sentence)] or ranked
        account = question.shape in _ACCOUNTS
        findings = [s for s in ranked if s.finding and not (account and _says_little_alone(s.sentence.text))]
        near = findings and findings[0].rank >= ranked[0].rank - self._rules.statement_near
        return findings if near else ranked

    def _chosen(self, question: ParsedQuestion, ranked: list[_Scored]) -> list[_Scored]:
        rules = self._rules
        best = ranked[0].rank
        if question.shape == "single":
            near = [s for s in ranked if s.rank >= best - rules.statement_near]
            return ranked[:1] if wants_value(question) else self._spread(near, rules.statements, rules.statements)
        if question.shape in _ACCOUNTS:
            return _paper_by_paper(self._account(ranked))
        if question.shape == "comparison":
            near, most = [s for s in ranked if s.rank >= best - rules.side_near], rules.sides
            for word in self._missing_sides(question, near).values():  # one side may be nearer to the question by far
                near[:0] = [s for s in ranked if self._names(s, word)][:1]
        else:
            sections = {_section(scored) for scored in ranked[:3]}
            near, most = [s for s in ranked if s.rank >= best - self._reach(s, sections)], rules.list_items
        kept = self._spread(near, most, most)
        return sorted(kept, key=lambda s: (s.sentence.place, s.sentence.start))

    def _account(self, ranked: list[_Scored]) -> list[_Scored]:
        """Sentences of several papers. Where there are fewer papers than that takes, the best fill up.

        Only what is near the best and likely an answer by itself fills up: an account of one paper recites no abstract.
        """
        rules = self._rules
        spread = self._spread(ranked, rules.summary_sentences, rules.per_paper)
        if len(spread) == rules.summary_sentences:
            return spread
        least = ranked[0].rank - rules.statement_near
        more = [s for s in ranked if s.rank >= least and s.chance >= rules.found_statement and s not in spread]
        return self._spread([*spread, *more], rules.summary_sentences, rules.summary_sentences)

    def _reach(self, scored: _Scored, sections: set[tuple[str, str]]) -> float:
        """Members of a list stand together: one in the section of the best may be further from the question."""
        return self._rules.section_near if _section(scored) in sections else self._rules.list_near

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
        a, b = _words(one.sentence.text), _words(other.sentence.text)
        return len(a & b) >= self._rules.same_sentence * len(a | b)

    def _item(self, scored: _Scored, question: ParsedQuestion) -> AnswerItem:
        sentence = scored.sentence
        span = evidence_span(sentence.hit, sentence.start, sentence.end)
        if not scored.values or question.shape != "single":
            return AnswerItem(sentence.text, "text", (span,))
        places = self._scorer.asked_places(question.corrected, sentence.text)
        value = nearest_value(sentence.text, scored.values, places)
        return AnswerItem(value.value, question.answer_type if value.exact else "text", (span,))


def _around(ordered: Sequence[PassageSentence], number: int, room: int) -> tuple[int, int]:
    """A sentence with the one before and the one after it, as far as `room` characters allow."""
    start, end = ordered[number].start, ordered[number].end
    if number and end - ordered[number - 1].start <= room:
        start = ordered[number - 1].start
    if number + 1 < len(ordered) and ordered[number + 1].end - start <= room:
        end = ordered[number + 1].end
    return start, end


def _joined(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans in order, those that touch made one."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def _paper_by_paper(account: Sequence[_Scored]) -> list[_Scored]:
    """The paper with the best sentence first, the sentences of each as they follow one another in it."""
    best: dict[str, float] = {}
    for scored in account:
        paper = scored.sentence.hit.passage.paper_id
        best[paper] = max(scored.rank, best.get(paper, scored.rank))

    def place(scored: _Scored) -> tuple[float, str, int]:
        passage = scored.sentence.hit.passage
        return -best[passage.paper_id], passage.paper_id, passage.anchor.start + scored.sentence.start

    return sorted(account, key=place)


def _says_little_alone(text: str) -> bool:
    return states_aim_or_method(text) or is_anaphoric(text)


def _is_title(sentence: PassageSentence) -> bool:
    return _words(sentence.text) == _words(sentence.hit.passage.title)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def _section(scored: _Scored) -> tuple[str, str]:
    return scored.sentence.hit.passage.id, scored.sentence.heading


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
