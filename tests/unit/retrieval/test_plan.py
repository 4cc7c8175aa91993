from __future__ import annotations

import pytest

from litloop.core.errors import UsageError
from litloop.core.filters import Filters
from litloop.core.settings import SearchSettings
from litloop.retrieval.plan import RetrievalPlan, WeightedQuery


def test_a_plan_takes_its_numbers_from_the_settings():
    plan = RetrievalPlan.from_settings(
        "tremor", SearchSettings(k=7, fusion="rrf", neighbours=2), filters=Filters(year_from=2001)
    )
    assert (plan.k, plan.fusion, plan.neighbours, plan.filters.year_from) == (7, "rrf", 2, 2001)


def test_the_defaults_of_a_plan_are_those_of_the_settings():
    bare, default = (
        RetrievalPlan((WeightedQuery("tremor"),)),
        RetrievalPlan.from_settings("tremor", SearchSettings(boost="off")),
    )
    assert bare == default


def test_more_hits_than_candidates_deepen_the_legs():
    assert RetrievalPlan.from_settings("tremor", SearchSettings(k=500, candidates=100)).candidates == 500


@pytest.mark.parametrize("text", ["", "  \n"])
def test_an_empty_question_is_refused(text):
    with pytest.raises(UsageError, match="empty"):
        RetrievalPlan.from_settings(text, SearchSettings())


def test_a_plan_without_the_question_is_refused():
    with pytest.raises(UsageError, match="question itself"):
        RetrievalPlan((WeightedQuery("made up", role="hyde"),))
    with pytest.raises(UsageError, match="at least one hit"):
        RetrievalPlan((WeightedQuery("tremor"),), k=0)


def test_expansions_share_what_their_weight_leaves_to_the_question():
    plan = RetrievalPlan.from_settings("tremor", SearchSettings()).expanded(
        WeightedQuery("a made-up abstract", 0.4, "hyde")
    )
    assert [query.weight for query in plan.queries] == pytest.approx([0.6, 0.4])
    again = plan.expanded(WeightedQuery("shaking", 0.5, "paraphrase"))
    assert [query.weight for query in again.queries] == pytest.approx([0.3, 0.2, 0.5])
    assert again.question.text == "tremor"


def test_queries_beside_the_question_share_their_part_of_the_score_equally():
    plan = RetrievalPlan((WeightedQuery("tremor"),))
    widened = plan.with_queries(
        [WeightedQuery("shaking", role="paraphrase"), WeightedQuery("shivers", role="paraphrase")], 0.4
    )
    assert [(query.text, pytest.approx(query.weight)) for query in widened.queries] == [
        ("tremor", 0.6), ("shaking", 0.2), ("shivers", 0.2),
    ]  # fmt: skip
    assert plan.with_queries([], 0.4) is plan


def test_reciprocal_ranks_weigh_their_legs_alike_and_blended_scores_lean_on_the_vectors():
    assert RetrievalPlan.from_settings("tremor", SearchSettings()).leg_weights == (0.3, 0.7)
    assert RetrievalPlan.from_settings("tremor", SearchSettings(fusion="rrf")).leg_weights == (1.0, 1.0)
    own = SearchSettings(fusion="rrf", rrf_sparse_weight=2.0, rrf_dense_weight=0.5)
    assert RetrievalPlan.from_settings("tremor", own).leg_weights == (2.0, 0.5)
