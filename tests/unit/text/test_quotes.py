"""Quotes are found where they stand, or not at all."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litloop.text.quotes import QuotedText

TEXT = (
    "Progressive supranuclear palsy (PSP) is rare. Midbrain  atrophy was\nseen in 12 of 14 patients with PSP, but not in "
    "those with Parkinson’s disease. The midbrain-to-pons ratio was ≤ 0.52 – a “hummingbird” sign."
)


def quoted(quote: str, text: str = TEXT) -> str | None:
    span = QuotedText(text).find(quote)
    return text[slice(*span)] if span else None


def test_quote_is_found_across_white_space_and_its_span_is_of_the_original() -> None:
    assert quoted("Midbrain atrophy was seen") == "Midbrain  atrophy was\nseen"


def test_typographic_quotes_and_dashes_do_not_hide_a_quote() -> None:
    assert quoted("with Parkinson's disease") == "with Parkinson’s disease"
    assert quoted('0.52 - a "hummingbird" sign') == "0.52 – a “hummingbird” sign"
    assert quoted("midbrain‑to‑pons") == "midbrain-to-pons"


def test_ligatures_and_soft_hyphens_do_not_hide_a_quote() -> None:
    assert quoted("the first efficient", "It is the ﬁrst eﬃ\u00adcient way.") == "the ﬁrst eﬃ\u00adcient"


def test_quotation_marks_put_around_a_quote_are_left_out() -> None:
    assert quoted("“Midbrain atrophy was seen”") == "Midbrain  atrophy was\nseen"


@pytest.mark.parametrize("quote", ["midbrain atrophy was seen", "12 of 15 patients", "but in those", "", "  ", "“”"])
def test_what_the_text_does_not_say_is_not_found(quote: str) -> None:
    assert quoted(quote) is None


def test_line_breaks_inside_chinese_do_not_hide_a_quote() -> None:
    assert quoted("中脳萎縮が見られた", "患者では中脳\n萎縮が見られた。") == "中脳\n萎縮が見られた"


@given(st.text(st.sampled_from("ab \n\u00a0ﬁ…“–\u00ad脳e\u0301"), max_size=60), st.data())
def test_every_stretch_of_a_text_is_found_in_it(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    stretch = text[start : start + data.draw(st.integers(1, 20))]
    span = QuotedText(text).find(stretch)
    if span:
        assert QuotedText(text[slice(*span)]).find(stretch)
    elif stretch.strip("\u00ad \n\u00a0") and "\u0301" not in text:
        # A quote cut between two CJK characters can differ from the text only by the space it starts or ends with.
        pytest.fail(f"{stretch!r} is not found in {text!r}")


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("a" * 5_000 + "b", "a" * 1_000_000),
        ("a " * 3_000 + "b", "a  " * 300_000),
        ('"' * 20_000, '"' * 200_000),
        ("…" * 9000, "." * 500_000),
        ('"' * 100_000 + "a", '"' * 200_000),
        ("“a " * 50_000, "no such words"),
        ('"' + "a " * 50_000 + '"' * 50_000 + " " * 50_000 + "b", "no such words"),
    ],
)
def test_hostile_quotes_take_linear_time(quote: str, text: str) -> None:
    """These take hours when each place of the text is tried anew; the suite's time limit is the watch."""
    QuotedText(text).find(quote)
    QuotedText(text).reanchor(quote)


@pytest.mark.parametrize("quote", ['"was small"', " “was small” ", "«was small»\n", "''was small''", '"was small\'"'])
def test_quotation_marks_around_a_quote_are_not_part_of_it(quote: str) -> None:
    assert QuotedText("The tumour was small.").find(quote) == (11, 20)


@pytest.mark.parametrize("quote", ['"', '""', ' " ', "“”", '"was small', 'was "large"'])
def test_quotation_marks_around_nothing_or_at_one_end_only_enclose_no_quote(quote: str) -> None:
    assert QuotedText("The tumour was small.").find(quote) is None


ORIGINAL = (
    "Progressive supranuclear palsy is a rare disease. In this large cohort, midbrain atrophy was, as expected, "
    "observed in 12 of 14 patients with the disease. It was not observed in any of the 20 healthy volunteers. "
    "Follow-up imaging after 24 months showed progression of midbrain atrophy."
)


def reanchored(quote: str) -> str | None:
    span = QuotedText(ORIGINAL).reanchor(quote)
    return ORIGINAL[slice(*span)] if span else None


def test_quote_with_missing_words_is_given_back_as_its_whole_sentence() -> None:
    sentence = (
        "In this large cohort, midbrain atrophy was, as expected, observed in 12 of 14 patients with the disease."
    )
    assert reanchored("cohort midbrain atrophy observed 12 of 14 patients disease") == sentence
    assert reanchored("midbrain atrophy … observed in 12 of 14 patients") == sentence


def test_verbatim_quote_is_given_back_as_it_stands() -> None:
    assert reanchored("midbrain atrophy was, as") == "midbrain atrophy was, as"


def test_quote_shortened_over_two_sentences_spans_both() -> None:
    found = reanchored("midbrain atrophy observed 12 of 14 patients. not observed any of 20 healthy volunteers")
    assert found is not None
    assert found.startswith("In this large")
    assert found.endswith("healthy volunteers.")


@pytest.mark.parametrize(
    "quote",
    [
        "midbrain atrophy observed 13 of 14 patients disease",  # another number
        "midbrain atrophy not expected 12 of 14 patients disease",  # a negation that is not there
        "patients disease 14 12 observed atrophy midbrain cohort",  # another order
        "cerebellar atrophy observed patients ataxia",  # other words
        "midbrain disease",  # too few words
    ],
)
def test_quote_that_cannot_be_placed_for_sure_stays_unplaced(quote: str) -> None:
    assert reanchored(quote) is None


def test_half_of_the_words_dropped_at_random_still_find_their_sentence(test_data: Path) -> None:
    """Compression drops words; what is left must lead back to the sentence it came from."""
    rng = random.Random(7)
    tried = right = wrong = 0
    with gzip.open(
        test_data / "verification" / "scifact" / "corpus_sentences_0.jsonl.gz", "rt", encoding="utf-8"
    ) as lines:
        for line, _ in zip(lines, range(60), strict=False):
            record = json.loads(line)
            quotable = QuotedText(record["text"])
            for sentence in record["sentences"]:
                kept = [word for word in sentence.split() if rng.random() < 0.5]
                if len(kept) < 8:
                    continue
                tried += 1
                span = quotable.reanchor(" ".join(kept))
                inside = span is not None and sentence[:40] in record["text"][slice(*span)]
                right += inside
                wrong += span is not None and not inside
    assert tried > 200
    assert right / tried > 0.9
    assert wrong / tried < 0.02
