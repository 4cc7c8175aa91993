from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from litloop.core.errors import MissingExtra, ModelError
from litloop.core.filters import Filters
from litloop.core.settings import SearchSettings
from litloop.retrieval.boosts import Boost, Topic
from litloop.retrieval.hybrid import HybridSearcher
from litloop.retrieval.plan import RetrievalPlan, WeightedQuery

TEXTS = {
    "tremor": "Deep brain stimulation reduces tremor in Parkinson disease.",
    "levodopa": "Levodopa remains the main drug for Parkinson disease with tremor.",
    "stroke": "Thrombectomy after acute ischemic stroke in the middle cerebral artery.",
    "angioma": "A scalp angiosarcoma seen on PET in an old patient.",
    "memory": "Hippocampal atrophy predicts memory decline in Alzheimer disease.",
    "epilepsy": "Temporal lobe epilepsy shows interictal hypometabolism.",
    "ataxia": "Spinocerebellar ataxia with cerebellar atrophy.",
}


@pytest.fixture
def searcher(analyser, embedder):
    made = HybridSearcher(analyser, lambda: embedder)
    yield made
    made.close()


def plan(text: str, **settings) -> RetrievalPlan:
    return RetrievalPlan.from_settings(text, SearchSettings(**{"boost": "off", **settings}))


def papers(result) -> list[str]:
    return [hit.passage.paper_id for hit in result.hits]


def test_both_legs_run_and_the_right_paper_comes_first(build, searcher):
    result = searcher.search(plan("tremor stimulation", k=3), build(TEXTS))
    assert papers(result)[0] == "tremor"
    assert result.legs == ("bm25", "dense")
    assert [hit.rank for hit in result.hits] == [1, 2, 3]
    assert not result.degraded
    assert {"bm25", "dense", "fuse", "total"} <= set(result.ms)


def test_a_hit_tells_each_signal_and_leaves_out_what_said_nothing(build, searcher):
    best, *_, last = searcher.search(plan("tremor stimulation", k=7), build(TEXTS)).hits
    assert {"bm25", "dense", "first_stage", "final"} == set(best.signals)
    assert "bm25" not in last.signals  # no word in common: absent, not zero
    assert best.signals["final"] == best.score


def test_passages_that_only_bm25_found_get_their_real_cosine(build, searcher, embedder):
    vector = embedder.embed_query("deep brain stimulation reduces tremor")
    query = WeightedQuery("", terms={"ataxia": 1.0}, vector=vector)
    hits = searcher.search(RetrievalPlan((query,), candidates=1), build(TEXTS)).hits
    assert {hit.passage.paper_id for hit in hits} == {"ataxia", "tremor"}
    for hit in hits:
        cosine = float(embedder.embed_passages([hit.passage.text])[0] @ vector)
        assert hit.signals["dense"] == pytest.approx(cosine, abs=1e-3)


@pytest.mark.parametrize(("mode", "leg"), [("sparse", "bm25"), ("dense", "dense")])
def test_a_single_leg_can_be_asked_for(build, searcher, mode, leg):
    result = searcher.search(plan("tremor", mode=mode, k=2), build(TEXTS))
    assert result.legs == (leg,)
    assert set(papers(result)) <= {"tremor", "levodopa"} or mode == "dense"
    assert not result.degraded


def test_an_embedder_that_knows_no_meaning_does_not_outvote_the_words(build, searcher):
    hit = searcher.search(plan("tremor stimulation", neighbours=0, k=1), build(TEXTS)).hits[0]
    assert hit.signals["bm25"] > 0
    assert hit.score > 0.9


@pytest.mark.parametrize("mode", ["hybrid", "dense"])
@pytest.mark.parametrize("fault", [MissingExtra("The model", "onnx"), ModelError("broken"), RuntimeError("no kernel")])
def test_a_failing_embedder_costs_the_dense_leg_and_is_told(build, analyser, mode, fault):
    def fails():
        raise fault

    result = HybridSearcher(analyser, fails).search(plan("tremor", mode=mode), build(TEXTS))
    assert papers(result)[:2] in (["tremor", "levodopa"], ["levodopa", "tremor"])
    assert result.legs == ("bm25",)
    assert result.degraded
    assert str(fault) in result.reason


def test_a_library_without_an_embedder_searches_by_words_and_says_so(build, analyser):
    result = HybridSearcher(analyser, None).search(plan("tremor"), build(TEXTS))
    assert result.degraded
    assert len(result.hits) == 2


def test_a_question_in_words_the_library_lacks_is_answered_by_meaning_alone(build, searcher):
    result = searcher.search(plan("zzyzx"), build(TEXTS))
    assert result.dropped == {"bm25": "it found nothing"}
    assert not result.degraded
    assert result.retrieval_confidence < 0.3


def test_an_empty_collection_has_no_hits_and_no_confidence(build, searcher):
    result = searcher.search(plan("tremor"), replace(build({}), passages=lambda keys: {}))
    assert result.hits == ()
    assert result.retrieval_confidence == 0


def test_a_question_of_another_field_gets_less_confidence_than_one_of_this(build, searcher):
    collection = build(TEXTS)
    here = searcher.search(plan("deep brain stimulation reduces tremor"), collection)
    elsewhere = searcher.search(plan("interest rates of central banks and inflation"), collection)
    assert here.retrieval_confidence > elsewhere.retrieval_confidence + 0.2


def test_confidence_does_not_depend_on_how_many_hits_are_wanted(build, searcher):
    collection = build(TEXTS)
    one, seven = (searcher.search(plan("tremor stimulation", k=k), collection) for k in (1, 7))
    assert one.retrieval_confidence == pytest.approx(seven.retrieval_confidence)


def test_filters_hold_for_both_legs(build, searcher):
    labels = {"tremor": {"year": 1999}, "levodopa": {"year": 2015}, "stroke": {"year": 2020}}
    made = RetrievalPlan.from_settings("tremor", SearchSettings(boost="off"), filters=Filters(year_from=2010))
    assert set(papers(searcher.search(made, build(TEXTS, labels=labels)))) <= {"levodopa", "stroke"}


def test_an_expansion_changes_what_is_found_and_is_told(build, searcher):
    collection = build(TEXTS)
    raw = plan("tremor", k=3)
    hyde = WeightedQuery("Spinocerebellar ataxia with cerebellar atrophy " * 300, 0.4, "hyde")
    found = searcher.search(raw.expanded(hyde), collection)
    assert found.expansion_used
    assert "ataxia" in papers(found)
    assert papers(found)[0] in ("tremor", "levodopa")


def test_given_terms_and_vectors_are_used_as_they_are(build, searcher, embedder):
    query = WeightedQuery("ignored", terms={"ataxia": 1.0}, vector=embedder.embed_query("spinocerebellar ataxia"))
    assert papers(searcher.search(RetrievalPlan((query,), k=1), build(TEXTS))) == ["ataxia"]


RARE = (Boost("rarity", "rare", 1.6),)
LABELS = {"tremor": {"rarity": "common", "topic": "PD"}, "levodopa": {"rarity": "rare", "topic": "PD"},
          "angioma": {"rarity": "rare", "topic": "angiosarcoma"}}  # fmt: skip


def boosted_plan(text: str, form: str) -> RetrievalPlan:
    return RetrievalPlan.from_settings(text, SearchSettings(boost=form, k=7, neighbours=0), boosts=RARE)


def test_labels_are_not_looked_at_while_the_boost_is_off(build, searcher):
    collection = replace(build(TEXTS, labels=LABELS), labels=lambda keys: pytest.fail("labels were read"))
    searcher.search(boosted_plan("tremor", "off"), collection)


def test_the_flat_boost_lifts_every_labelled_paper_and_shows_the_factor(build, searcher):
    hits = {
        hit.passage.paper_id: hit
        for hit in searcher.search(boosted_plan("tremor", "flat"), build(TEXTS, labels=LABELS)).hits
    }
    assert hits["levodopa"].signals["boost"] == pytest.approx(1.6)
    assert hits["angioma"].signals["boost"] == pytest.approx(1.6)
    assert hits["tremor"].signals["boost"] == 1


def test_the_topic_boost_lifts_only_what_is_asked_for(build, searcher):
    topics = [
        Topic("PD", frozenset({"parkinson"})),
        Topic("angiosarcoma", frozenset({"angiosarcoma"})),
    ]
    collection = build(TEXTS, labels=LABELS, topics=topics, topic_label="topic")
    result = searcher.search(boosted_plan("tremor in parkinson disease", "topic"), collection)
    hits = {hit.passage.paper_id: hit for hit in result.hits}
    assert result.asked_topics == ("PD",)
    assert hits["levodopa"].signals["boost"] == pytest.approx(1.6)
    assert hits["angioma"].signals["boost"] == 1


def test_a_question_that_asks_for_no_known_topic_is_not_boosted(build, searcher):
    result = searcher.search(boosted_plan("tremor", "topic"), build(TEXTS, labels=LABELS, topic_label="topic"))
    assert result.asked_topics == ()
    assert all("boost" not in hit.signals for hit in result.hits)


class SharedWords:
    """A reranker that counts the words a text shares with the question."""

    name = "shared-words"
    weight = 0.5

    def scores(self, question, texts, rarity):
        asked = set(question.split())
        return np.array([len(asked & set(text.split())) for text in texts], np.float32)


def test_reranking_keeps_the_asked_number_and_shows_its_own_score(build, analyser, embedder):
    searcher = HybridSearcher(analyser, lambda: embedder, reranker=SharedWords)
    result = searcher.search(plan("tremor stimulation", rerank=True, rerank_top_k=2), build(TEXTS))
    assert result.rerank_engaged
    assert len(result.hits) == 2
    assert papers(result)[0] == "tremor"
    assert "rerank" in result.hits[0].signals


def test_a_reranker_that_cannot_be_had_is_told_and_the_first_stage_stands(build, searcher, analyser, embedder):
    def fails():
        raise ModelError("The reranker is not to be had.")

    collection = build(TEXTS)
    for made in (searcher, HybridSearcher(analyser, lambda: embedder, reranker=fails)):
        result = made.search(plan("tremor stimulation", rerank=True), collection)
        assert not result.rerank_engaged
        assert result.degraded
        assert "Not reranked" in result.reason
        assert papers(result)[0] == "tremor"


def test_passages_the_catalogue_no_longer_knows_are_dropped_and_counted(build, searcher):
    result = searcher.search(plan("tremor stimulation", k=2), build(TEXTS, forgotten=["tremor"]))
    assert "tremor" not in papers(result)
    assert len(result.hits) == 2
    assert result.unknown_keys == 1


def test_learned_fusion_without_a_trained_model_falls_back_and_says_so(build, searcher):
    result = searcher.search(plan("tremor stimulation", mode="learned"), build(TEXTS))
    assert papers(result)[0] == "tremor"
    assert "No learned fusion" in result.reason


def test_each_method_shows_its_own_ranking_of_the_same_question(build, searcher):
    found = searcher.each_method(plan("tremor stimulation", k=3), build(TEXTS))
    assert list(found) == ["bm25", "dense", "rrf", "blend", "hybrid"]
    assert found["bm25"].legs == ("bm25",)
    assert found["dense"].legs == ("dense",)
    assert papers(found["hybrid"])[0] == "tremor"


def test_the_same_plan_gives_the_same_hits_from_many_threads(build, searcher):
    collection = build(TEXTS)
    questions = ["tremor", "stroke artery", "memory decline", "epilepsy", "ataxia"] * 8
    alone = [searcher.search(plan(question), collection) for question in questions]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda question: searcher.search(plan(question), collection), questions))
    for one, other in zip(alone, together, strict=True):
        assert papers(one) == papers(other)
        assert np.allclose([hit.score for hit in one.hits], [hit.score for hit in other.hits])
