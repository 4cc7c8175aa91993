from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litloop.reading.assembly import Block, TextBuilder, build_text, keeps_hyphen, vocabulary_of
from litloop.reading.plain import plain_text


def covers(text) -> bool:
    at = 0
    for run in text.runs:
        if run.start != at or run.end <= run.start:
            return False
        at = run.end
    return at == len(text.content)


@given(st.text(st.characters(), max_size=300))
def test_runs_cover_the_text_in_order_and_their_sources_rise(raw: str):
    text = plain_text(raw)
    assert covers(text)
    sources = [(run.source_start, run.source_end) for run in text.runs]
    assert all(start <= end for start, end in sources)
    assert all(before[1] <= after[0] for before, after in pairwise(sources))


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=100), st.data())
def test_unfolded_stretches_map_character_by_character(raw: str, data):
    text = plain_text(raw)
    if text.content:
        start = data.draw(st.integers(0, len(text.content) - 1))
        (_, first, last), *_ = text.source_spans(start, start + 1)
        assert 0 <= first < last <= len(raw)
        if raw[first:last] == text.content[start]:
            assert last - first == 1


@given(st.lists(st.text(max_size=30), max_size=10))
def test_text_of_blocks_is_covered_by_runs(parts: list[str]):
    assert covers(build_text([Block(part) for part in parts], "docx/1"))


def test_stretches_that_follow_each_other_share_a_run():
    builder = TextBuilder("plain/1")
    builder.add("abc", 0, 3)
    builder.add("def", 3, 6)
    builder.add("fi", 6, 7)
    builder.add("x", 7, 8)
    text = builder.build()
    assert [(run.start, run.end, run.source_start, run.source_end) for run in text.runs] == [
        (0, 6, 0, 6), (6, 8, 6, 7), (8, 9, 7, 8),
    ]  # fmt: skip
    assert text.source_spans(2, 9) == [(None, 2, 6), (None, 6, 7), (None, 7, 8)]


def test_indices_in_any_order_are_kept():
    builder = TextBuilder("pdf/1")
    builder.add_indexed("abcde", [4, 5, 9, 8, 7], page=2)
    text = builder.build()
    assert text.source_spans(0, 5) == [(2, 4, 6), (2, 9, 10), (2, 8, 9), (2, 7, 8)]


def test_a_folded_ligature_keeps_the_place_of_the_whole():
    builder = TextBuilder("pdf/1")
    builder.add_indexed("e\ufb03cient", list(range(10, 17)), page=1)
    text = builder.build()
    assert text.content == "efficient"
    assert text.source_spans(2, 3) == [(1, 11, 12)]
    assert text.source_spans(5, 6) == [(1, 13, 14)]


def test_blocks_stand_apart_and_those_of_a_series_close():
    text = build_text(
        [
            Block("Title", level=1),
            Block("a", series="item"),
            Block("b", series="item"),
            Block(" "),
            Block("x", series="row"),
            Block("end"),
        ],
        "x/1",
    )
    assert text.content == "Title\n\na\nb\n\nx\n\nend"
    assert [(h.title, h.level, h.start, h.end) for h in text.headings] == [("Title", 1, 0, 5)]


@pytest.mark.parametrize(
    ("before", "after", "keeps"),
    [
        ("con", "sectetuer id", False),
        ("COVID", "19 vaccine", True),
        ("Harvard", "Oxford atlas", True),
        ("interleukin 6", "dependent", True),
        ("state-of-the", "art methods", True),
        ("self", "publishing", True),
        ("imple", "mentation", False),
    ],
)
def test_a_hyphen_at_the_end_of_a_line_stays_only_in_compounds(before: str, after: str, keeps: bool):
    assert keeps_hyphen(before, after) is keeps


def test_the_documents_own_spelling_decides_about_a_hyphen():
    words = vocabulary_of("The follow-up was on-going. A healthcare system.\n")
    assert keeps_hyphen("an on", "going effort", words)
    assert not keeps_hyphen("health", "care", words)
