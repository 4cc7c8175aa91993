from __future__ import annotations

import asyncio
import itertools

import pytest

from litloop.core.errors import UsageError
from litloop.core.records import Paper, Text
from litloop.evaluation.collections import CollectionQuestion
from litloop.evaluation.question_sets import read_questions
from litloop.evaluation.question_writing import TitleWriter, copies, from_model, from_titles, imported, sampled_papers
from litloop.index.analyser import Analyser
from support.scripted_model import ScriptedModel

TITLE = "Reduced midbrain uptake in progressive supranuclear palsy"
PAPER = (Paper("p1", TITLE), Text("Uptake was reduced in the midbrain of all twelve patients that were scanned."))
SHORT = (Paper("p2", "Editorial"), Text("We thank our reviewers."))
FREQUENCY = {"reduc": 90, "uptak": 40, "progress": 30, "midbrain": 2, "supranuclear": 3, "palsi": 5}


def ids():
    return (f"q{n:04d}" for n in itertools.count(1))


def writer() -> TitleWriter:
    return TitleWriter(Analyser(), lambda terms: {term: FREQUENCY.get(term, 0) for term in terms}, 100)


def test_a_title_gives_a_question_of_each_kind():
    keyword, semantic, vague = writer().write(*PAPER)
    assert keyword == ("keyword", "midbrain progressive supranuclear palsy")
    assert semantic == ("semantic", f"What is known about r{TITLE[1:]}?")
    assert vague == ("vague", "tell me more about progressive and palsy")


def test_kinds_are_taken_in_turn_and_a_title_that_says_nothing_gives_none():
    written = from_titles([PAPER, SHORT, PAPER, PAPER], writer(), ids())
    assert [question.kind for question in written.questions] == ["keyword", "vague", "keyword"]
    assert {question.source for question in written.questions} == {"p1"}
    assert written.dropped == 1


def test_a_models_question_that_copies_its_source_is_dropped():
    model = ScriptedModel(
        {"keyword": "midbrain palsy imaging", "semantic": "", "vague": ""},
        {"semantic": "Was uptake reduced in the midbrain of all twelve patients that were scanned?"},
        None,
        {"keyword": "where does glucose metabolism fall"},
    )
    written = asyncio.run(from_model([PAPER] * 4, model, "scripted", ids()))
    assert [(q.text, q.kind, q.made_by) for q in written.questions] == [
        ("midbrain palsy imaging", "keyword", "scripted"),
        ("where does glucose metabolism fall", "keyword", "scripted"),
    ]
    assert (written.dropped, written.failed) == (1, 1)
    assert "Uptake was reduced" in model.requests[0].messages[-1].content


def test_six_words_in_a_row_are_a_copy_and_five_are_not():
    source = "uptake was reduced in the midbrain of patients"
    assert copies("Is it so that uptake was reduced in the midbrain?", source)
    assert not copies("uptake was reduced in the cortex", source)


def test_the_same_papers_are_chosen_every_time_whatever_their_order():
    papers = [(Paper(f"p{n}", ""), Text("")) for n in range(30)]
    assert sampled_papers(papers, 5) == sampled_papers(papers[::-1], 5)


def test_a_kind_that_is_none_is_refused():
    with pytest.raises(UsageError, match="no kind"):
        imported([CollectionQuestion("1", "x", "fuzzy")], ids())


def test_lines_and_json_lines_are_read_as_questions(tmp_path):
    file = tmp_path / "mine.txt"
    file.write_text('What is one?\n\n{"text": "two", "kind": "keyword"}\n', encoding="utf-8")
    assert [(q.text, q.kind) for q in read_questions(file)] == [("What is one?", None), ("two", "keyword")]


@pytest.mark.parametrize("content", ["", "{broken", '{"kind": "vague"}'])
def test_a_file_without_questions_is_refused(tmp_path, content):
    (tmp_path / "mine.txt").write_text(content, encoding="utf-8")
    with pytest.raises(UsageError):
        read_questions(tmp_path / "mine.txt")
