"""The row of a question: form, type, parts, and the rules that decided."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litloop.core.errors import UsageError
from litloop.question import parse

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("When does policy HO-4471 take effect?", "single"),
        ("How many patients were randomised?", "single"),
        ("Is wear and tear excluded?", "single"),
        ("Which enzyme catalyses the first step of glycolysis?", "single"),
        ("What are the odds of recurrence at five years?", "single"),
        ("What was revenue in Q3?", "single"),
        ("S355 steel yield strength", "single"),
        ("What are the side effects of amiodarone?", "listing"),
        ("Which clauses survive termination?", "listing"),
        ("List every interlock on the reactor feed line.", "listing"),
        ("Are there any exclusions for roof damage?", "listing"),
        ("What must be disclosed before the policy is issued?", "listing"),
        ("For each pump, list flow rate, head and motor power.", "table"),
        ("Show revenue by region.", "table"),
        ("Tabulate the three quotes.", "table"),
        ("What is the difference between a warranty and a representation?", "comparison"),
        ("laparoscopic versus open appendectomy outcomes", "comparison"),
        ("Is our premium higher than last year?", "comparison"),
        ("How has net debt developed between 2019 and 2023?", "comparison"),
        ("Why do metals expand on heating?", "summary"),
        ("How does anti-windup work in a PID controller?", "summary"),
        ("Give me an overview of treatment options.", "summary"),
        ("What is reported about scalp angiosarcoma?", "summary"),
        ("What is reported in the annual return?", "listing"),
        ("How do I calibrate the load cell?", "procedure"),
        ("Walk me through appealing a denied claim.", "procedure"),
        ("What is the procedure for serving a statutory demand?", "procedure"),
        ("What could explain isolated elevated alkaline phosphatase?", "differential"),
        ("Root causes of premature bearing failure", "differential"),
        ("A 28-year-old man has haematuria and haemoptysis. What is the differential diagnosis?", "differential"),
    ],
)
def test_the_form_of_the_answer_is_read_from_the_question(text: str, shape: str) -> None:
    assert parse(text).shape == shape


@pytest.mark.parametrize(
    ("text", "answer_type"),
    [
        ("mild cognitive impairment demyelination MRI", "text"),
        ("hearing loss in Meniere disease", "text"),
        ("balance in Parkinson disease", "text"),
        ("What is the balance impairment in PSP?", "text"),
        ("What was the loss of consciousness?", "text"),
        ("prevalence of hearing loss", "percentage"),
        ("loss of consciousness duration", "duration"),
        ("goodwill impairment 2023", "amount"),
        ("What was the closing balance?", "amount"),
        ("net loss 2022", "amount"),
    ],
)
def test_what_a_body_loses_or_balances_is_no_sum_of_money(text: str, answer_type: str) -> None:
    assert parse(text).answer_type == answer_type


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("What is the list price of the windshield?", "single"),
        ("What is the differential pressure across the filter?", "single"),
        ("How many exclusions does the form contain?", "single"),
        ("When was summary judgment granted?", "single"),
        ("Does the manual describe a procedure for purging the line?", "single"),
        ("In which table are the lease liabilities shown?", "single"),
        ("Which step follows the leak test?", "single"),
        ("What was the p-value for the comparison between arms?", "single"),
        ("Which trials compared aspirin with placebo?", "listing"),
        ("Which alloys are harder than steel?", "listing"),
    ],
)
def test_a_word_that_names_a_form_does_not_decide_when_something_else_is_asked(text: str, shape: str) -> None:
    assert parse(text).shape == shape


@pytest.mark.parametrize(
    ("text", "answer_type"),
    [
        ("When was the lease signed?", "date"),
        ("How long is the waiting period?", "duration"),
        ("What is the deductible?", "amount"),
        ("What percentage of patients relapsed?", "percentage"),
        ("How many bolts are required?", "number"),
        ("Who audited the accounts?", "entity"),
        ("Is the enclosure rated IP67?", "boolean"),
        ("What does error code E-47 mean?", "text"),
        ("What is the boiling point of ethanol?", "number"),
        ("What was the sampling rate?", "number"),
        ("What interest rate does the loan carry?", "percentage"),
    ],
)
def test_the_type_of_the_value_follows_the_noun_and_the_question_word(text: str, answer_type: str) -> None:
    assert parse(text).answer_type == answer_type


@pytest.mark.parametrize(
    ("text", "decomposition", "parts"),
    [
        ("What is the deductible?", "single", 0),
        ("What is the premium, and who is the broker of record?", "independent", 2),
        ("When and where was the contract signed?", "independent", 2),
        ("Which drug was given, and what is its half-life?", "sequential", 2),
        ("Is there a non-compete, and if so how long does it last?", "sequential", 2),
        ("How do FlexRay and CAN differ?", "unified", 0),
        ("What was the total paid across all three hail events?", "unified", 0),
        ("If the insured moves abroad, is the cover kept?", "conditional", 0),
        ("Can you tell me if paracetamol interacts with warfarin?", "single", 0),
        ("Explain what anti-windup is and how it works.", "single", 0),
        ("What are the premium and the deductible?", "independent", 2),
    ],
)
def test_questions_inside_a_text_are_counted_and_related(text: str, decomposition: str, parts: int) -> None:
    question = parse(text)
    assert (question.decomposition, len(question.sub_questions)) == (decomposition, parts)


def test_every_part_has_a_row_of_its_own() -> None:
    first, second = parse("Who is the insured, and which perils are excluded?").sub_questions
    assert (first.shape, first.answer_type) == ("single", "entity")
    assert second.shape == "listing"


def test_the_whole_takes_the_form_that_asks_for_most() -> None:
    assert parse("Who is the insured, and which perils are excluded?").shape == "listing"


def test_a_sentence_about_the_form_of_the_answer_is_no_question_of_its_own() -> None:
    question = parse("How is free cash flow derived from EBITDA? Show the steps.")
    assert (question.shape, question.decomposition) == ("procedure", "single")


def test_sentences_that_ask_nothing_are_context() -> None:
    question = parse("The motor trips a few seconds after start. What are the possible causes?")
    assert (question.shape, question.decomposition) == ("differential", "single")


@pytest.mark.parametrize("wrap", ["Hi, {}", "Could you please tell me {}", "I was wondering {}", "{} Thanks!"])
def test_courtesies_do_not_change_the_row(wrap: str) -> None:
    plain = parse("what are the contraindications to thrombolysis?")
    polite = parse(wrap.format("what are the contraindications to thrombolysis?"))
    assert (polite.shape, polite.answer_type, polite.decomposition) == (
        plain.shape,
        plain.answer_type,
        plain.decomposition,
    )


def test_every_column_names_the_rule_that_decided() -> None:
    rules = parse("Which clauses survive termination?").rules
    columns = {"shape", "answer_type", "decomposition", "intent", "query_kind", "clarification_needed"}
    assert set(rules) == columns
    assert rules["shape"] == "plural-noun-asked-for"


def test_the_parser_says_when_it_did_not_recognise_the_form() -> None:
    assert not parse("糖尿病は治療できますか").sure or parse("糖尿病は治療できますか").shape == "summary"
    assert not parse("it keeps looping again and again").sure
    assert parse("Who signed the lease?").sure


@pytest.mark.parametrize("text", ["", "   ", "\0\0", "?!", "\u200b"])
def test_an_empty_question_is_wrong_use(text: str) -> None:
    with pytest.raises(UsageError, match="empty"):
        parse(text)


def test_nul_bytes_are_taken_out() -> None:
    question = parse("Who\0 signed the lease?")
    assert "\0" not in question.text
    assert question.corrected == "Who signed the lease?"


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "unit",
    [
        "what is the limit and who signed it, ",
        "vs. ",
        "1/",
        "§1 ",
        "x((((",
        "a. ",
        "and who ",
        '"q ',
        "each and their ",
    ],
)
def test_forty_thousand_characters_are_read_without_hanging(unit: str) -> None:
    assert parse("x" + unit * (40_000 // len(unit))).corrected


@settings(deadline=None, max_examples=150)
@given(st.text(alphabet=st.characters(codec="utf-8"), min_size=1, max_size=200))
def test_any_text_gives_a_row_or_is_called_empty(text: str) -> None:
    try:
        question = parse(text)
    except UsageError:
        assert not any(char.isalnum() for char in text)
    else:
        assert question == parse(text)
        assert "\0" not in question.corrected


def test_the_same_text_gives_the_same_row_a_thousand_times() -> None:
    text = "Which subsidiary issued the notes, and where is it incorporated?"
    first = parse(text)
    assert all(parse(text) == first for _ in range(1000))


def test_another_process_with_another_hash_seed_gives_the_same_row() -> None:
    questions = [
        "Which subsidiary issued the notes, and where is it incorporated?",
        "Compare fatigue life of welded and bolted joints.",
        "metformin maximum daily dose elderly",
    ]
    script = (
        "import sys; from litloop.question import parse\n"
        "print([repr(parse(text, vocabulary={'bolted'}, topics=['fatigue'])) for text in sys.argv[1:]])"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script, *questions],
            capture_output=True,
            check=True,
            text=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT / "src"), "PYTHONUTF8": "1"},
        ).stdout
        for seed in ("1", "2", "77")
    }
    assert len(outputs) == 1
