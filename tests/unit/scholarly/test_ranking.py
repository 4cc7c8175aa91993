from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litloop.core.settings import RankingSettings
from litloop.embedding.hashing import HashingEmbedder
from litloop.index.analyser import Analyser
from litloop.papers.merging import merge
from litloop.papers.works import Work
from litloop.retrieval.fusion import fused_by_name
from litloop.scholarly.ranking import Rankable, RankedPapers, bm25, of_work, rank

ANALYSER = Analyser()
WEIGHTS = RankingSettings()
THIS_YEAR = datetime.date.today().year
STROKE = Rankable(
    "stroke", "stroke", "Statins after stroke", "Statins lower the risk of a second stroke in older adults.", 2015
)
BEES = Rankable("bees", "bees", "Gut bacteria of honey bees", "Honey bees carry few kinds of bacteria.", 2015)
FALLS = Rankable("falls", "falls", "Vitamin D and falls", "A trial in nursing homes, with one stroke.", 2015)


class BrokenEmbedder(HashingEmbedder):
    def embed_query(self, text):
        raise RuntimeError("the runtime went away")


def ranked(query: str, papers, weights: RankingSettings = WEIGHTS, embedder=None) -> RankedPapers:
    return rank(query, papers, weights, terms=ANALYSER.terms, fuse=fused_by_name, embedder=embedder)


def order(result: RankedPapers) -> list:
    return [paper.thing for paper in result.papers]


@pytest.mark.parametrize("embedder", [None, HashingEmbedder()])
def test_the_text_decides_first(embedder):
    famous = Rankable("famous", "famous", "Gut bacteria of honey bees", "Bees.", THIS_YEAR, 100_000, "Nature", 1.0)
    result = ranked("Do statins prevent a second stroke?", [famous, BEES, STROKE, FALLS], embedder=embedder)
    assert order(result)[0] == "stroke"
    assert [paper.rank for paper in result.papers] == [1, 2, 3, 4]
    assert result.legs == (("bm25",) if embedder is None else ("bm25", "dense"))


def twin(key: str, **fields) -> Rankable:
    return Rankable(key, key, STROKE.title, STROKE.text, **{"year": 2015, **fields})


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (twin("b", citations=500), twin("a", citations=3)),
        (twin("b", year=THIS_YEAR), twin("a", year=1990)),
        (twin("b", venue="Brain"), twin("a", venue="bioRxiv")),
        (twin("b", venue="bioRxiv"), twin("a")),
        (twin("b", completeness=1.0), twin("a", completeness=0.4)),
        (twin("b"), twin("a", in_conflict=True)),
    ],
)
def test_between_equal_texts_the_weak_signals_decide(better: Rankable, worse: Rankable):
    assert order(ranked("statins stroke", [worse, better, BEES])) == ["b", "a", "bees"]


def test_an_unknown_citation_count_stands_in_the_middle():
    papers = [twin("known-much", citations=900), twin("unknown"), twin("known-none", citations=0)]
    assert order(ranked("statins stroke", [*papers, BEES])) == ["known-much", "unknown", "known-none", "bees"]


def test_a_failing_embedder_leaves_a_keyword_ranking_and_a_warning():
    result = ranked("statins stroke", [BEES, STROKE, FALLS], embedder=BrokenEmbedder())
    assert order(result) == order(ranked("statins stroke", [BEES, STROKE, FALLS]))
    assert result.degraded
    assert result.warning is not None
    assert "keywords" in result.warning


def test_only_as_many_papers_are_embedded_as_the_settings_say():
    counted = []

    class Counting(HashingEmbedder):
        def embed_passages(self, texts):
            counted.append(len(texts))
            return super().embed_passages(texts)

    result = ranked("statins stroke", [BEES, STROKE, FALLS], RankingSettings(embedded=2), Counting())
    assert counted == [2]
    assert "dense" not in {paper.thing: paper.signals for paper in result.papers}["bees"]


def test_a_text_longer_than_the_embedder_reads_is_cut_not_refused():
    long = Rankable("long", "long", "Statins after stroke", "stroke " * 20_000)
    assert not ranked("statins stroke", [long, BEES], embedder=HashingEmbedder()).degraded


def test_nothing_to_rank_and_a_query_without_words():
    assert ranked("statins", []).papers == ()
    assert len(ranked("???", [BEES, STROKE]).papers) == 2


@given(st.permutations([STROKE, BEES, FALLS, twin("a"), twin("b", citations=4)]))
def test_the_order_given_does_not_matter(papers):
    assert ranked("statins stroke", papers) == ranked(
        "statins stroke", [STROKE, BEES, FALLS, twin("a"), twin("b", citations=4)]
    )


def test_local_and_remote_papers_stand_in_one_ranking():
    (work,) = merge(
        [
            Work(
                "crossref",
                STROKE.title,
                ids={"doi": "10.1000/a"},
                abstract=STROKE.text,
                year=2015,
                venue="Brain",
                citations=9,
            )
        ]
    )
    local = Rankable(
        "held", "p1", "Vitamin D and falls", "A passage on falls in nursing homes.", 2016, 4, completeness=0.4
    )
    result = ranked("statins stroke", [of_work(work), local])
    assert order(result) == [work, "held"]
    assert result.papers[1].signals["completeness"] == pytest.approx(0.4)


def test_bm25_is_the_published_formula():
    # Worked by hand: N = 2, n = 1, idf = ln(1 + 1.5 / 1.5) = ln 2; tf = 1, length 2, mean 2, so the fraction is 1.
    assert bm25(["stroke"], [["stroke", "trial"], ["bees", "honey"]]) == pytest.approx([0.6931, 0.0], abs=1e-4)
