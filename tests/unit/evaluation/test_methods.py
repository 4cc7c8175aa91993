from __future__ import annotations

import pytest

from litloop.core.errors import UsageError
from litloop.core.settings import SearchSettings
from litloop.evaluation.methods import LOOP, Method, parse_method, plan_for


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("bm25", Method("bm25", "bm25")),
        ("hybrid+hyde", Method("hybrid+hyde", "hybrid", "hyde")),
        ("+paraphrase", Method("hybrid+paraphrase", "hybrid", "paraphrase")),
        ("BM25+HyDE", Method("bm25+hyde", "bm25", "hyde")),
        ("loop", Method("loop", LOOP)),
    ],
)
def test_a_name_says_how_to_search_and_with_what_expansion(name, method):
    assert parse_method(name) == method


@pytest.mark.parametrize("name", ["splade", "bm25+", "bm25+magic", "loop+hyde", ""])
def test_an_unknown_method_is_answered_with_those_there_are(name):
    if name == "":
        assert parse_method(name).search == "hybrid"
        return
    with pytest.raises(UsageError, match="hybrid"):
        parse_method(name)


def test_reranking_is_scored_over_all_that_it_read():
    plan = plan_for("rerank", "q", SearchSettings(rerank_candidates=20, rerank_top_k=5))
    assert (plan.rerank, plan.rerank_top_k) == (True, 20)


def test_learned_keeps_the_default_search_around_it():
    plan = plan_for("learned", "q", SearchSettings())
    assert (plan.mode, plan.neighbours) == ("learned", SearchSettings().neighbours)
