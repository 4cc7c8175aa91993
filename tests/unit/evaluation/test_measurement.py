from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from litloop.core.errors import UsageError
from litloop.core.settings import Settings
from litloop.evaluation.loop_runs import LoopRun
from litloop.evaluation.measurement import measure
from litloop.evaluation.query_expansion import Expander
from litloop.retrieval.hybrid import HybridSearcher


def test_every_method_is_scored_by_kind_and_beside_what_can_be_attained(target, embedder):
    run = measure(target, ["bm25", "hybrid", "bm25"], embedder)
    assert list(run.methods) == ["bm25", "hybrid"]
    bm25 = run.methods["bm25"]
    assert bm25.metrics["nDCG@10"].mean == pytest.approx(1)
    assert bm25.by_kind["vague"]["n"] == 1
    assert bm25.by_kind["keyword"]["nDCG@10"] == pytest.approx(1)
    assert run.attainable["P@3"] == pytest.approx(1 / 3)
    assert run.embed_ms["p50"] >= 0
    assert bm25.tokens is None
    assert run.methods["hybrid"].unjudged["unjudged@10"] > 0
    assert "nDCG@10 of judged" in bm25.unjudged


def test_nothing_is_said_of_the_judged_alone_where_only_relevant_ones_are_judged(target, embedder, collection):
    only = replace(collection, qrels={id: {d: g for d, g in grades.items() if g} for id, grades in
                                      collection.qrels.items()})  # fmt: skip
    indexed = replace(target.indexed, collection=only)
    run = measure(replace(target, indexed=indexed), ["bm25"], embedder)
    assert list(run.methods["bm25"].unjudged) == ["unjudged@10"]


def test_a_failing_question_is_named_and_left_out_of_the_mean(target, embedder):
    class Sometimes:
        name, fingerprint, dimension = embedder.name, embedder.fingerprint, embedder.dimension
        tokenizer = embedder.tokenizer

        def embed_query(self, text):
            return np.full(256, np.nan, np.float32) if "artery" in text else embedder.embed_query(text)

    run = measure(target, ["dense"], Sometimes())
    assert run.methods["dense"].n == 2
    assert list(run.methods["dense"].failures) == ["q2"]
    assert any("1 of 3 questions failed" in warning for warning in run.warnings)


def test_a_method_that_never_ran_is_skipped_with_the_reason_and_not_scored_as_another(target, embedder):
    run = measure(target, ["bm25", "learned", "rerank", "loop"], embedder)
    assert list(run.methods) == ["bm25"]
    assert "train-fusion" in run.skipped["learned"]
    assert "reranker" in run.skipped["rerank"]
    assert "library" in run.skipped["loop"]


def test_a_run_in_which_nothing_could_be_scored_is_refused(target, embedder):
    with pytest.raises(UsageError, match="No method could be scored"):
        measure(target, ["learned"], embedder)


def test_a_broken_embedder_fails_the_dense_leg_and_not_bm25(target):
    def broken():
        raise RuntimeError("no model")

    searcher = HybridSearcher(target.analyser, broken)
    indexed = replace(target.indexed, searcher=searcher)
    run = measure(replace(target, indexed=indexed), ["bm25", "dense"], None)
    assert list(run.methods) == ["bm25"]
    assert "no model" in run.skipped["dense"]


def test_the_loop_is_ranked_by_its_verdicts_and_counts_its_tokens(target, embedder):
    def loop(question):
        if "artery" in question:
            return LoopRun((), 5.0, 7, "degraded", "the model is down")
        return LoopRun(("d1", "d3"), 5.0, 11, "answered")

    run = measure(target, ["loop"], embedder, loop=loop)
    result = run.methods["loop"]
    assert result.n == 2
    assert result.failures == {"q2": "the model is down"}
    assert result.tokens == pytest.approx(29 / 2)


@pytest.mark.parametrize("method", ["hybrid+hyde", "hybrid+paraphrase"])
def test_expansions_without_a_model_borrow_from_the_first_hits(target, embedder, method):
    expander = Expander(target, Settings())
    run = measure(target, ["hybrid", method], embedder, expander=expander)
    expander.close()
    assert run.methods[method].n == 3
    assert run.methods[method].tokens is None


def test_a_wanted_model_that_is_not_set_up_is_said_before_anything_is_measured(target):
    with pytest.raises(UsageError, match="doctor"):
        Expander(target, Settings(llm={"profile": "offline"}), model=True)


def test_a_method_that_finds_nothing_scores_0_and_says_nothing_of_unjudged_results(target, embedder):
    run = measure(target, ["loop"], embedder, loop=lambda question: LoopRun((), 1.0, 0, "not_found"))
    assert run.methods["loop"].metrics["nDCG@10"].mean == 0
    assert "unjudged@10" not in run.methods["loop"].unjudged
