"""Sequential or batch: the table and its rows."""

from __future__ import annotations

import pytest

from litloop.answer.dispatch import DefaultNumbers, default_table, dispatch, is_tie, parse_table, passage_scores
from litloop.core.errors import SettingsError
from litloop.core.records import Anchor, Candidate, Hit, Paper, Passage
from litloop.core.settings import DispatchSettings
from litloop.question import parse


@pytest.mark.parametrize(
    ("text", "mode", "rule"),
    [
        ("When does the policy take effect?", "sequential", "typed-value"),
        ("What does error code E-47 mean?", "sequential", "fact"),
        ("If the insured moves abroad, is the cover kept?", "sequential", "typed-value-under-a-condition"),
        ("Which clauses survive termination?", "batch", "listing"),
        ("What are the exclusions?", "batch", "concept-scattered-by-nature"),
        ("Show revenue by region.", "batch", "table"),
        ("What is the difference between fission and fusion?", "batch", "value-over-several-sources"),
        ("What was the total paid across all three hail events?", "batch", "value-over-several-sources"),
        ("Why is the sky blue?", "batch", "summary"),
        ("How do I replace the fuse?", "batch", "procedure"),
        ("What could explain the high potassium?", "batch", "differential"),
    ],
)
def test_each_form_goes_its_way_by_a_named_row(text: str, mode: str, rule: str) -> None:
    decision = dispatch(parse(text))
    assert (decision.mode, decision.rule) == (mode, rule)
    assert decision.reason


def test_parts_are_decided_one_by_one() -> None:
    decision = dispatch(parse("What is the premium, and which perils are excluded?"))
    assert [part.mode for part in decision.parts] == ["sequential", "batch"]
    assert (decision.mode, decision.rule) == ("batch", "parts")


def test_the_whole_is_sequential_when_every_part_is() -> None:
    decision = dispatch(parse("Which drug was given, and what is its half-life?"))
    assert decision.mode == "sequential"
    assert [part.rule for part in decision.parts] == ["typed-value", "typed-value"]


def test_equal_scores_send_a_look_up_to_batch() -> None:
    question = parse("When does the policy take effect?")
    assert dispatch(question, [0.9, 0.86, 0.88]).rule == "tie"
    assert dispatch(question, [0.9, 0.5, 0.88]).mode == "sequential"


@pytest.mark.parametrize(
    ("scores", "tie"),
    [(None, False), ([], False), ([0.9], False), ([0.0, 0.0], False), ([1.0, 0.95], True), ([1.0, 0.949], False)],
)
def test_a_tie_needs_two_scores_within_five_percent(scores: list[float] | None, tie: bool) -> None:
    assert is_tie(scores, 0.05) is tie


def test_passages_of_one_paper_tie_as_those_of_several_do() -> None:
    def candidate(paper: str, *scores: float) -> Candidate:
        anchor = Anchor(paper, "v", 0, 1)
        hits = [Hit(Passage(f"{paper}-{at}", paper, anchor, "x"), score, at + 1) for at, score in enumerate(scores)]
        return Candidate(Paper(paper, paper), tuple(hits), max(scores), 1)

    question = parse("When does the policy take effect?")
    assert dispatch(question, passage_scores([candidate("a", 0.9, 0.88, 0.87)])).rule == "tie"
    assert dispatch(question, passage_scores([candidate("a", 0.9, 0.4), candidate("b", 0.6)])).rule != "tie"
    assert passage_scores([candidate("a", 0.3, 0.2), candidate("b", 0.9)], k=2) == [0.9, 0.3]


def test_a_question_the_parser_did_not_recognise_goes_to_batch() -> None:
    assert dispatch(parse("Statins decrease blood cholesterol.")).rule == "parser-unsure"


def test_the_row_decides_context_and_budget() -> None:
    numbers = DispatchSettings(sequential_tokens=100, batch_tokens=900)
    look_up = dispatch(parse("When does the policy take effect?"), numbers=numbers, k=7)
    listing = dispatch(parse("Which clauses survive termination?"), numbers=numbers, k=7)
    assert (look_up.context, look_up.budget_tokens, look_up.k) == ("window", 100, 7)
    assert (listing.context, listing.budget_tokens) == ("passage", 900)


def test_the_default_numbers_are_those_of_the_settings() -> None:
    assert (DefaultNumbers().tie, DefaultNumbers().sequential_tokens, DefaultNumbers().batch_tokens) == (
        DispatchSettings().tie,
        DispatchSettings().sequential_tokens,
        DispatchSettings().batch_tokens,
    )


def test_the_same_question_and_relevance_give_the_same_decision() -> None:
    question = parse("Which drug was given, and what is its half-life?")
    assert len({dispatch(question, [0.9, 0.2]) for _ in range(1000)}) == 1


def test_a_concept_row_beats_a_shape_row() -> None:
    rows = parse_table(
        '[[row]]\nname = "parties"\nterms = ["parties"]\nmode = "sequential"\ncontext = "passage"\n'
        '[[row]]\nname = "listing"\nshape = ["listing"]\nmode = "batch"\ncontext = "passage"\n'
        '[[row]]\nname = "default"\nmode = "batch"\ncontext = "passage"\n',
        "mine.toml",
    )
    assert dispatch(parse("Which contracting parties signed?"), table=rows).rule == "parties"
    assert dispatch(parse("Which clauses survive termination?"), table=rows).rule == "listing"
    assert dispatch(parse("Who signed?"), table=rows).rule == "default"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[row]]\nname = "a"\nmode = "batch"\ncontext = "passage"\nshap = ["listing"]\n', "unknown key: shap"),
        ('[[row]]\nname = "a"\nmode = "both"\ncontext = "passage"\n', "needs mode"),
        ('[[row]]\nname = "a"\nmode = "batch"\n', "needs context"),
        ('[[row]]\nname = "a"\nmode = "batch"\ncontext = "passage"\nshape = ["listing"]\n', "no conditions"),
        ('[[row]]\nname = "a"\nmode = "parts"\ncontext = "passage"\n', "sequential or batch"),
        ("", "no conditions"),
        ("[[row", "cannot be read"),
    ],
)
def test_a_wrong_table_is_refused_with_the_row_that_is_wrong(text: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        parse_table(text, "mine.toml")


def test_every_row_of_the_default_table_has_a_reason() -> None:
    assert all(row.reason for row in default_table())
