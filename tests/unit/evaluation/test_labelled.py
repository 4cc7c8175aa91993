from __future__ import annotations

import pytest

from litloop.core.errors import UsageError
from litloop.evaluation.collections import CollectionDocument
from litloop.evaluation.labelled import LabelledQuestion, LabelledSet, RelevanceJudgement, suspects

PAPERS = [CollectionDocument("p1", "One", "v1"), CollectionDocument("p2", "Two", "v2")]


def made(tmp_path) -> LabelledSet:
    held = LabelledSet.open(tmp_path, create=True)
    held.add([LabelledQuestion("q0001", "What is one?", "semantic", "title", "p1"),
              LabelledQuestion("q0002", "two", "keyword")])  # fmt: skip
    return held


def test_what_was_added_and_judged_is_there_when_opened_again(tmp_path):
    held = made(tmp_path)
    held.judge([RelevanceJudgement("q0002", "p2", 2, "reader", ("bm25", "dense"))])
    held.judge([RelevanceJudgement("q0002", "p2", 1, "reader", ("bm25",))])
    again = LabelledSet.open(tmp_path)
    assert again.questions == held.questions
    assert again.judgements["q0002", "p2"].grade == 1
    assert again.next_id() == "q0003"


def test_a_question_asked_already_is_not_added_twice(tmp_path):
    assert made(tmp_path).add([LabelledQuestion("q0009", "what IS  one?")]) == 0


def test_a_line_cut_short_by_a_crash_costs_that_line_only(tmp_path):
    held = made(tmp_path)
    with (held.folder / "questions.jsonl").open("a") as file:
        file.write('{"id": "q0003", "te')
    assert len(LabelledSet.open(tmp_path).questions) == 2


def test_a_damaged_line_in_the_middle_is_named(tmp_path):
    held = made(tmp_path)
    path = held.folder / "questions.jsonl"
    path.write_text("nonsense\n" + path.read_text())
    with pytest.raises(UsageError, match="Line 1"):
        LabelledSet.open(tmp_path)


def test_rows_of_another_kind_are_refused(tmp_path):
    held = made(tmp_path)
    (held.folder / "judgements.jsonl").write_text('{"colour": "red"}\n')
    with pytest.raises(UsageError, match="Judgement"):
        LabelledSet.open(tmp_path)


@pytest.mark.parametrize("name", ["../elsewhere", "", "a b"])
def test_a_set_cannot_be_named_out_of_the_library(tmp_path, name):
    with pytest.raises(UsageError, match="no name"):
        LabelledSet.open(tmp_path, name, create=True)


def test_a_set_that_is_not_there_says_how_to_make_one(tmp_path):
    with pytest.raises(UsageError, match="litloop eval add"):
        LabelledSet.open(tmp_path)


def test_a_questions_own_source_can_be_hidden(tmp_path):
    held = made(tmp_path)
    held.judge(
        [
            RelevanceJudgement("q0001", "p1", 1, "source"),
            RelevanceJudgement("q0002", "p2", 1, "reader", ("bm25", "dense")),
        ]
    )
    plain = held.collection("lib", PAPERS, hide_source=False)
    hidden = held.collection("lib", PAPERS, hide_source=True)
    assert [question.id for question in plain.questions] == ["q0001", "q0002"]
    assert [question.id for question in hidden.questions] == ["q0002"]
    assert hidden.notes["judgements of a question's own source, hidden"] == 1
    assert plain.corpus_hash == hidden.corpus_hash


def test_judgements_of_what_is_gone_are_counted(tmp_path):
    held = made(tmp_path)
    held.judge([RelevanceJudgement("q0001", "gone", 1, "reader"), RelevanceJudgement("q7", "p1", 1, "reader")])
    notes = held.collection("lib", PAPERS, hide_source=False).notes
    assert notes["judgements of documents that are not there"] == 1
    assert notes["judgements of questions that are not there"] == 1


def test_a_set_without_a_relevant_paper_is_refused(tmp_path):
    with pytest.raises(UsageError, match="litloop eval label"):
        made(tmp_path).collection("lib", PAPERS, hide_source=False)


def test_labels_that_favour_a_method_are_said(tmp_path):
    held = made(tmp_path)
    held.judge([RelevanceJudgement("q0001", "p1", 1, "source")])
    assert "own source" in held.circularity().warnings()[0]
    held.judge(
        [
            RelevanceJudgement("q0001", "p1", 1, "reader", ("bm25",)),
            RelevanceJudgement("q0002", "p2", 1, "reader", ("bm25",)),
        ]
    )
    found = held.circularity()
    assert found.from_one_method == {"bm25": 1.0}
    assert "bm25 alone" in found.warnings()[0]


def test_pages_of_exactly_ten_relevant_documents_are_suspect():
    assert suspects([10] * 6 + [3]) == 6
    assert suspects([10, 3, 4]) == 0
