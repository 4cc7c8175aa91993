"""BM25 over real collections is as good as published BM25, or better."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from pathlib import Path

import ir_measures
import pytest
from ir_measures import nDCG

from litloop.core.records import Anchor, Passage
from litloop.index.analyser import Analyser
from litloop.index.engine import IndexPassage
from support.engines import FACTORIES, NO_FILTER, add, unit


def rows(path: Path) -> list[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def judgements(path: Path) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        found[query][document] = int(grade)
    return dict(found)


# Published: SciFact .679 (BEIR, Anserini); Cranfield .360 and CISI .396 with bm25s, its stop words and Snowball.
@pytest.mark.parametrize(("name", "least"), [("scifact", 0.69), ("cranfield", 0.36), ("cisi", 0.39)])
@pytest.mark.parametrize("engine", ["embedded", "qdrant-edge"])
def test_keyword_search_reaches_published_quality(test_data, tmp_path, engine, name, least):
    folder = test_data / "collections" / name
    documents = rows(folder / "corpus.jsonl.gz")
    analyser = Analyser()
    passages = [
        Passage(one["_id"], one["_id"], Anchor(one["_id"], "", 0, 0), one["text"], title=one["title"])
        for one in documents
    ]
    index = FACTORIES[engine](tmp_path)
    add(
        index,
        [
            IndexPassage(key, analyser.passage_terms(one), unit(1), bytes(16), None, {})
            for key, one in enumerate(passages)
        ],
    )
    snapshot = index.snapshot(1)
    qrels = judgements(folder / "qrels.tsv")
    run = {}
    for query in rows(folder / "queries.jsonl.gz"):
        if query["_id"] in qrels:
            ranking = snapshot.sparse(analyser.query_terms(query["text"]), 10, NO_FILTER)
            scored = zip(ranking.keys.tolist(), ranking.scores.tolist(), strict=True)
            run[query["_id"]] = {documents[key]["_id"]: score for key, score in scored}
    index.close()
    assert ir_measures.calc_aggregate([nDCG @ 10], qrels, run)[nDCG @ 10] >= least
