"""The question is embedded once in a round, however often its vector is needed."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from litloop.core.requests import AskRequest
from litloop.library import Library
from litloop.pipeline.paper_retriever import PaperRetriever

QUESTION = "Where is the scalp lesion?"


class Counting:
    """An embedder that notes what it is asked."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self.asked: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def embed_query(self, text: str) -> Any:
        self.asked.append(text)
        return self._inner.embed_query(text)


def test_the_first_round_embeds_the_question_once_and_a_refined_one_only_the_refined_query(tmp_path: Path):
    paper = {"id": "one", "title": "A scalp lesion", "abstract": "The lesion lay on the left side of the scalp."}
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text(json.dumps(paper), encoding="utf-8")
    with Library.open(tmp_path / "library", embedding={"model": "hashing-256"}) as library:
        library.add(corpus)
        counting = Counting(library.components.embedder)
        library.components.__dict__["embedder"] = counting
        retriever = PaperRetriever(
            library.components, library.search_service, library.collection(), AskRequest(QUESTION)
        )
        first = asyncio.run(retriever.retrieve(QUESTION, None, 5))
        assert counting.asked == [QUESTION]
        second = asyncio.run(retriever.retrieve("left scalp lesion", None, 5))
        assert counting.asked == [QUESTION, "left scalp lesion"]
    # Papers are compared with the question as it was asked, in every round.
    assert first.candidates[0].signals["cosine"] == second.candidates[0].signals["cosine"]
