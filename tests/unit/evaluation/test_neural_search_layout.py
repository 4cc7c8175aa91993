from __future__ import annotations

import json

import pytest

from litloop.core.errors import UsageError
from litloop.evaluation.neural_search_layout import (
    is_neural_search_layout,
    judgement_warnings,
    load_neural_search_layout,
    load_neural_search_questions,
)


def written(folder, queries, relevance):
    (folder / "queries.json").write_text(json.dumps(queries))
    (folder / "relevance.json").write_text(json.dumps(relevance))
    return folder


QUERIES = [
    {"id": "q1", "text": "What is an agent?", "type": "semantic"},
    {"id": "q2", "text": "tools", "type": "keyword"},
]


def test_typed_questions_and_lists_of_chunk_ids_are_read(tmp_path):
    read = load_neural_search_layout(
        written(tmp_path, QUERIES, {"q1": ["c1", "c2"], "q2": {"c3": 2, "c4": 0}, "q9": ["c1"]})
    )
    assert is_neural_search_layout(tmp_path)
    assert [(q.id, q.kind) for q in read.questions] == [("q1", "semantic"), ("q2", "keyword")]
    assert read.qrels == {"q1": {"c1": 1, "c2": 1}, "q2": {"c3": 2, "c4": 0}}
    assert read.notes["judgements of questions that are not there"] == 1


def test_an_empty_list_is_no_judgement(tmp_path):
    read = load_neural_search_layout(written(tmp_path, QUERIES, {"q1": ["c1"], "q2": []}))
    assert [q.id for q in read.questions] == ["q1"]
    assert read.notes["questions without a relevant document"] == 1


def test_judgements_that_look_like_a_retrievers_first_page_are_doubted(tmp_path):
    queries = [{"id": f"q{n}", "text": f"question {n}"} for n in range(6)]
    read = load_neural_search_layout(
        written(tmp_path, queries, {f"q{n}": [f"c{k}" for k in range(10)] for n in range(6)})
    )
    assert "exactly ten" in judgement_warnings(read)[0]


@pytest.mark.parametrize(
    ("queries", "relevance", "why"),
    [
        ({"q1": "x"}, {}, "JSON list"),
        ([{"id": "q1"}], {}, "without id or text"),
        ([{"id": "q1", "text": "a"}, {"id": "q1", "text": "b"}], {}, "two different"),
        (QUERIES, ["c1"], "JSON object"),
        (QUERIES, {"q1": "c1"}, "no list of ids"),
        (QUERIES, {"q1": []}, "nothing to score"),
    ],
)
def test_what_neural_search_does_not_write_is_refused_in_a_sentence(tmp_path, queries, relevance, why):
    with pytest.raises(UsageError, match=why):
        load_neural_search_layout(written(tmp_path, queries, relevance))


def test_the_questions_of_neural_search_are_read(test_data):
    questions = load_neural_search_questions(test_data / "neural_search")
    assert len(questions) == 321
    assert {question.kind for question in questions} == {"keyword", "semantic", "vague"}
