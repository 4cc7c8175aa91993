"""Sentences of scientific text, as exact spans."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litloop.text.sentences import MAX_CHARS, sentence_spans, sentences

# Each text is one sentence: no full stop inside it ends anything.
WHOLE = [
    "As shown by Smith et al. (2010), midbrain atrophy is frequent.",
    "The loss is shown in Fig. 3 and in Figs. 4 and 5.",
    "Some signs, e.g. the hummingbird sign, i.e. midbrain atrophy, are typical.",
    "PSP vs. Parkinson disease was examined by Dr. Miller and Prof. Weiss.",
    "The difference was significant (p < 0.05, OR 1.82).",
    "The difference was significant (P < 0. 05).",
    "The genome of S. cerevisiae and of E. coli is known.",
    "Uptake of [18F]FDG was 2.3 g/ml in the putamen.",
    "It was written by J. R. Smith and B. Jones.",
    "Doses of 5 mg i.v. Midazolam were given.",
    "See ref. 12 and eq. 4 for ca. 30 patients, approx. 12 of them women.",
    "The U.S. Food and Drug Administration approved it.",
    "Rats received 0.5 ml (i.p.) daily.",
    "Trial no. 12 enrolled 40 patients.",
    "The file was read from www.example.org/a.html on Sept. 3.",
]


@pytest.mark.parametrize("text", WHOLE)
def test_full_stop_inside_a_sentence_does_not_end_it(text: str) -> None:
    assert sentences(text) == [text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Atrophy was found [1]. It was mild.", ["Atrophy was found [1].", "It was mild."]),
        ("Atrophy was found.[1,2] It was mild.", ["Atrophy was found.[1,2]", "It was mild."]),
        ("Atrophy was found. [3] It was mild.", ["Atrophy was found. [3]", "It was mild."]),
        ("Atrophy was found.¹² It was mild.", ["Atrophy was found.¹²", "It was mild."]),
        ("Atrophy was found.12,13 It was mild.", ["Atrophy was found.12,13", "It was mild."]),
        ("Uptake fell. [18F]FDG was used.", ["Uptake fell.", "[18F]FDG was used."]),
        ("It depends on vitamin C. Levels vary.", ["It depends on vitamin C.", "Levels vary."]),
        ("As shown by Smith et al. The effect is small.", ["As shown by Smith et al.", "The effect is small."]),
        ("Cells died in culture. p53 was active.", ["Cells died in culture.", "p53 was active."]),
        ("Cells died in culture. α-Synuclein was found.", ["Cells died in culture.", "α-Synuclein was found."]),
        ("He was seen in the ED. Drs had left.", ["He was seen in the ED.", "Drs had left."]),
        ("Is it rare? Yes! It is (see below.) Rare.", ["Is it rare?", "Yes!", "It is (see below.)", "Rare."]),
        ('He said "it is rare." Then he left.', ['He said "it is rare."', "Then he left."]),
        ("The dose was 7.5 mg. 12 patients died.", ["The dose was 7.5 mg.", "12 patients died."]),
        ("It lasted 24 h. The mice survived.", ["It lasted 24 h.", "The mice survived."]),
        ("This was done in the U.S. The rest was not.", ["This was done in the U.S.", "The rest was not."]),
        ("It was a cohort of women.Results were clear.", ["It was a cohort of women.", "Results were clear."]),
        ("So it ended … Nobody knows.", ["So it ended …", "Nobody knows."]),
    ],
)
def test_sentence_ends_where_a_reader_would_end_it(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("脳萎縮が見られた。それは軽度！本当か？はい。", ["脳萎縮が見られた。", "それは軽度！", "本当か？", "はい。"]),
        ("他说“很少见。”然后走了。", ["他说“很少见。”", "然后走了。"]),
        ("هل هذا نادر؟ نعم. إنه نادر.", ["هل هذا نادر؟", "نعم.", "إنه نادر."]),
        ("यह दुर्लभ है। हाँ।", ["यह दुर्लभ है।", "हाँ।"]),
    ],
)
def test_other_scripts_end_sentences_with_their_own_stops(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_blank_line_always_ends_a_sentence() -> None:
    assert sentences("A heading without a stop\n \t\nthe text goes on") == [
        "A heading without a stop",
        "the text goes on",
    ]


def test_wrapped_lines_stay_one_sentence() -> None:
    text = "Midbrain atrophy was found in a cohort with a mean age of\n65. The atrophy was\nmild and bilateral."
    assert sentences(text) == [
        "Midbrain atrophy was found in a cohort with a mean age of\n65.",
        "The atrophy was\nmild and bilateral.",
    ]


def test_list_items_are_sentences_of_their_own() -> None:
    text = "Signs are:\n- hummingbird sign\n- morning glory sign\nwhich is rare"
    assert sentences(text) == ["Signs are:", "- hummingbird sign", "- morning glory sign\nwhich is rare"]
    assert sentences("Signs:\n1. Falls occur\n2. Gaze palsy") == ["Signs:", "1. Falls occur", "2. Gaze palsy"]
    assert sentences("Signs:\n(a) falls\n(b) gaze palsy\n(c) rigidity") == [
        "Signs:",
        "(a) falls",
        "(b) gaze palsy",
        "(c) rigidity",
    ]


def test_table_rows_are_sentences_of_their_own() -> None:
    text = "Table 1\n| age | n |\n| --- | --- |\n| 65 | 12 |\nThe table shows\ttwo columns"
    assert sentences(text) == ["Table 1", "| age | n |", "| --- | --- |", "| 65 | 12 |", "The table shows\ttwo columns"]


@pytest.mark.parametrize(
    "heading", ["Methods", "2.1 Image analysis", "RESULTS AND DISCUSSION", "## Findings", "3. Results:"]
)
def test_heading_on_its_own_line_is_not_joined_to_the_text(heading: str) -> None:
    assert sentences(f"{heading}\nWe scanned 12 patients.") == [heading, "We scanned 12 patients."]


def test_numbered_heading_keeps_its_number() -> None:
    assert sentences("1. Introduction\n\nAtaxia is rare.") == ["1. Introduction", "Ataxia is rare."]


def test_text_without_punctuation_is_cut_at_white_space() -> None:
    text = "word " * 2000
    spans = sentence_spans(text)
    assert len(spans) == 5
    assert all(end - start <= MAX_CHARS for start, end in spans)
    assert all(text[start:end].startswith("word ") and text[start:end].endswith(" word") for start, end in spans)


def test_word_longer_than_the_limit_is_cut_without_losing_a_character() -> None:
    text = "x" * 4500
    assert sentence_spans(text) == [(0, 2000), (2000, 4000), (4000, 4500)]


def test_empty_and_blank_texts_have_no_sentences() -> None:
    assert sentence_spans("") == []
    assert sentence_spans(" \n\n\t ") == []


PIECES = st.sampled_from(
    ["Dr", ".", ". ", "?", "!", "…", " ", "\n", "\n\n", "\t", "[1]", "(", ")", '"', "”", "a", "The", "p53", "0", "5", "|",
     "- ", "。", "？", "؟", "1. ", "#", "\u2029", "\r", "α", "et al", "+/-", "😀", "\u0301"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=60).map("".join) | st.text(), st.integers(2, 40))
def test_spans_are_ordered_and_leave_out_white_space_only(text: str, max_chars: int) -> None:
    position = 0
    for start, end in sentence_spans(text, max_chars=max_chars):
        assert position <= start < end <= len(text)
        assert not text[position:start].strip()
        assert text[start:end] == text[start:end].strip()
        assert end - start <= max_chars
        position = end
    assert not text[position:].strip()


@pytest.mark.parametrize(
    "unit", [".", ". ", ").", "[1", "\n", "\n ", "\n\t| ", "。」", ".1,", "A.", '."', "¹", "- \n", "((", " "]
)
def test_hostile_text_is_read_in_one_pass(unit: str) -> None:
    """Quadratic rules would take minutes on these 100,000 characters; the suite's time limit is the watch."""
    text = unit * (100_000 // len(unit)) + "x"
    spans = sentence_spans(text)
    assert spans[-1][1] == len(text)


def test_boundaries_agree_with_the_sentences_of_scifact(test_data: Path) -> None:
    hits = misses = extra = 0
    with gzip.open(
        test_data / "verification" / "scifact" / "corpus_sentences_0.jsonl.gz", "rt", encoding="utf-8"
    ) as lines:
        for line in lines:
            record = json.loads(line)
            text = record["text"]
            expected, position = set(), 0
            for sentence in record["sentences"]:
                position = text.index(sentence, position) + len(sentence)
                expected.add(position)
            found = {end for _, end in sentence_spans(text)}
            hits += len(found & expected)
            misses += len(expected - found)
            extra += len(found - expected)
    assert 2 * hits / (2 * hits + misses + extra) > 0.975
