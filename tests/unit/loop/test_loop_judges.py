"""The judgements of the search loop: what is asked, what a reply may be, and what stands in when there is none."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest

from litloop.core.records import Anchor, Candidate, Hit, Paper, Passage
from litloop.loop.hyde import HydeJudge
from litloop.loop.paraphrase import ParaphraseJudge
from litloop.loop.refine import RefineJudge
from litloop.loop.relevance import (
    LogisticRelevance,
    RelevanceJudge,
    Verdicts,
    align,
    relevance_model,
    relevance_signals,
)
from litloop.retrieval.plan import WeightedQuery
from support.scripted_model import ScriptedModel

MODEL = LogisticRelevance(-2.0, {"cosine": 4.0}, relevant_at=0.4)


def candidate(paper_id: str, text: str = "text", **signals: float) -> Candidate:
    passage = Passage(f"{paper_id}::1", paper_id, Anchor(paper_id, "v", 0, 4), text, title=f"About {paper_id}")
    paper = Paper(paper_id, f"About {paper_id}", labels={"condition": "Secret condition"})
    return Candidate(paper, (Hit(passage, 1.0, 1),), 1.0, 1, signals)


async def moved(query: str) -> WeightedQuery:
    return WeightedQuery(f"{query} borrowed words", role="feedback")


async def no_words(query: str) -> tuple[str, ...]:
    return ()


async def nothing(query: str) -> None:
    return None


def run(coroutine):
    return asyncio.run(coroutine)


PAPERS = [candidate("a"), candidate("b"), candidate("c")]


def verdicts(*rows: dict) -> str:
    return json.dumps({"results": list(rows)})


def test_relevance_is_asked_in_one_call_and_aligned_by_id():
    model = ScriptedModel(verdicts({"id": "2", "relevant": True, "confidence": 0.8, "why": "yes"},
                                   {"id": "1", "relevant": False}, {"id": 3, "relevant": True}))  # fmt: skip
    judged = run(RelevanceJudge(model, MODEL).judge("q", PAPERS))
    assert judged.by == "model"
    assert [(v.paper_id, v.verdict) for v in judged.value] == [
        ("a", "irrelevant"), ("b", "relevant"), ("c", "relevant")
    ]  # fmt: skip
    assert len(model.requests) == 1


def test_a_condition_label_is_never_shown_to_the_relevance_judge():
    model = ScriptedModel(verdicts())
    run(RelevanceJudge(model, MODEL).judge("q", PAPERS))
    assert "Secret condition" not in " ".join(m.content for m in model.requests[0].messages)


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [{"id": "9", "relevant": True}],
        [{"id": "1", "relevant": True}, {"id": "1", "relevant": False}],
    ],
)
def test_a_paper_left_out_or_spoken_of_twice_differently_is_unknown(rows):
    aligned = align(Verdicts.model_validate({"results": rows}), PAPERS[:1])
    assert [v.verdict for v in aligned] == ["unknown"]


@pytest.mark.parametrize("name", ["1", "[1]", "doc 1", "#1", "01", 1])
def test_an_id_is_read_however_it_is_written(name):
    aligned = align(Verdicts.model_validate({"results": [{"id": name, "relevant": True}]}), PAPERS[:1])
    assert [v.verdict for v in aligned] == ["relevant"]


def test_a_judge_that_fails_marks_every_paper_unknown():
    judged = run(
        RelevanceJudge(ScriptedModel("no json at all", "nor here", "nor here", "nor here"), MODEL).judge("q", PAPERS)
    )
    assert judged.degraded
    assert {v.verdict for v in judged.value} == {"unknown"}


def test_without_a_model_signals_decide_and_say_how_likely():
    judged = run(RelevanceJudge(None, MODEL).judge("q", [candidate("a", cosine=0.9), candidate("b", cosine=0.1)]))
    assert judged.by == "offline"
    assert [v.verdict for v in judged.value] == ["relevant", "irrelevant"]
    assert judged.value[0].confidence > judged.value[1].confidence


def test_signals_need_no_list_to_be_scaled_by():
    signals = relevance_signals({"a": 2.0, "b": 1.0}, {"a"}, cosine=0.7, nearest=0.8, confidence=0.5)
    assert signals == pytest.approx({"coverage": 2 / 3, "confidence_logit": 0.0, "cosine": 0.7, "behind": 0.1})
    assert relevance_signals({}, set(), cosine=None, nearest=None, confidence=None) == {"coverage": 0.0}


def test_an_unknown_embedder_is_judged_without_its_cosines():
    assert "cosine" not in relevance_model("somebody/elses-model").weights
    assert "cosine" not in relevance_model(None).weights
    assert "cosine" in relevance_model("bge-small-en-v1.5").weights


def test_hyde_searches_with_what_the_model_wrote_and_carries_the_reason():
    model = ScriptedModel("A made-up\n abstract.")
    expanded = run(HydeJudge(model, nothing).expand("q", "iteration 1 flagged: 0/5"))
    assert expanded.by == "model"
    assert expanded.value.text == "A made-up abstract."
    assert expanded.value.queries[0].role == "hyde"
    assert "iteration 1 flagged: 0/5" in model.requests[0].messages[-1].content


def test_hyde_without_a_model_borrows_from_the_first_hits():
    expanded = run(HydeJudge(None, moved).expand("q", None))
    assert (expanded.by, expanded.value.queries[0].role) == ("offline", "feedback")
    assert run(HydeJudge(None, nothing).expand("q", None)) is None


def test_hyde_falls_back_when_the_model_writes_nothing():
    expanded = run(HydeJudge(ScriptedModel("  "), moved).expand("q", None))
    assert expanded.by == "offline"
    assert expanded.degraded


def test_paraphrases_that_say_the_same_words_are_left_out():
    model = ScriptedModel(json.dumps({"phrases": ["Q", "other words", "third", "fourth"]}))
    expanded = run(ParaphraseJudge(model, no_words).expand("q", None))
    assert [query.text for query in expanded.value.queries] == ["other words", "third"]


def test_without_a_usable_model_paraphrases_are_made_of_the_first_hits():
    async def lent(query: str) -> list[str]:
        return [query.upper(), "gaze palsy", "gaze palsy midbrain"]

    for model in (ScriptedModel("no", "no", "no", "no"), None):
        expanded = run(ParaphraseJudge(model, lent).expand("q", None))
        assert (expanded.by, expanded.degraded is None) == ("offline", model is None)
        assert expanded.value.form == "paraphrase"
        assert [query.text for query in expanded.value.queries] == ["gaze palsy", "gaze palsy midbrain"]
    assert run(ParaphraseJudge(None, no_words).expand("q", None)) is None


def test_refinement_asks_with_the_reason_and_the_titles():
    model = ScriptedModel(json.dumps({"query": "  a better   query "}))
    refined = run(RefineJudge(model, ("core",), lambda *_: []).refine("q", "q", "too few", PAPERS))
    assert (refined.value, refined.by) == ("a better query", "model")
    asked = model.requests[0].messages[-1].content
    assert "too few" in asked
    assert "About a" in asked


def test_refinement_without_a_model_keeps_the_core_and_borrows_words():
    judge = RefineJudge(None, ("gaze palsy",), lambda query, papers, count: ["midbrain", "tau"])
    assert run(judge.refine("what about gaze palsy?", "q", "r", PAPERS)).value == "gaze palsy midbrain tau"
    empty = RefineJudge(ScriptedModel('{"query": "?!"}', '{"query": ""}', "x", "x"), (), lambda *_: ["w"])
    refined = run(empty.refine("the question", "q", "r", PAPERS))
    assert (refined.value, refined.by) == ("the question w", "offline")
    assert refined.degraded


ROWS = [{"id": "1", "relevant": True, "confidence": 0.9}, {"id": "2", "relevant": False, "confidence": "80 %"}]


@pytest.mark.parametrize(
    "reply",
    [
        {"results": json.dumps(ROWS)},
        {"results": [json.dumps(row) for row in ROWS]},
        {"results": {row["id"]: row for row in ROWS}},
        {"results": {"1": True, "2": "no"}},
        ROWS,
        {"output": {"results": ROWS}},
        {"results": [{**ROWS[0], "confidence": "high"}, {**ROWS[1], "confidence": 250}]},
    ],
)
def test_verdicts_on_papers_in_odd_but_plain_shapes_are_read(reply):
    judge = RelevanceJudge(ScriptedModel(reply), relevance_model(None))
    judged = run(judge.judge("q", [candidate("a"), candidate("b")]))
    assert [verdict.verdict for verdict in judged.value] == ["relevant", "irrelevant"]
    assert judged.degraded is None


@pytest.mark.parametrize(
    "reply", [{"results": []}, {"results": [{"id": "1"}]}, {"results": [{"id": "7", "relevant": True}]}]
)
def test_a_judge_whose_verdicts_are_of_no_use_is_degraded_and_no_paper_is_irrelevant(reply):
    judge = RelevanceJudge(ScriptedModel(reply), relevance_model(None))
    judged = run(judge.judge("q", [candidate("a"), candidate("b")]))
    assert {verdict.verdict for verdict in judged.value} == {"unknown"}
    assert judged.degraded


class ReadInPart(ScriptedModel):
    """A model that was shown only a part of its prompt, and says so."""

    async def complete(self, request, check=None):
        return replace(await super().complete(request, check), notice="It read only a part.")


def test_a_judge_that_read_a_part_keeps_its_verdicts_and_says_so():
    judged = run(RelevanceJudge(ReadInPart({"results": ROWS}), MODEL).judge("q", [candidate("a"), candidate("b")]))
    assert [verdict.verdict for verdict in judged.value] == ["relevant", "irrelevant"]
    assert judged.degraded == "It read only a part."
