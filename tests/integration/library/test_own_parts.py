"""An embedder and a reranker that the caller brings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from litloop import Library
from litloop.core.errors import EmbedderMismatch, UsageError


class LetterTokenizer:
    """A token is a character."""

    window, special = 400, 0

    def spans(self, text: str) -> list[tuple[int, int]]:
        return [(place, place + 1) for place in range(len(text))]


class LetterEmbedder:
    """How often each letter of the alphabet stands in a text."""

    name, dimension, fingerprint, precision = "letters", 26, "letters-1", "f32"
    tokenizer = LetterTokenizer()

    def embed_passages(self, texts):
        counted = [[text.lower().count(chr(97 + letter)) + 0.01 for letter in range(26)] for text in texts]
        matrix = np.array(counted, np.float32).reshape(len(texts), 26)
        return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)

    def embed_query(self, text):
        return self.embed_passages([text])[0]


class ShortestFirst:
    name, weight = "shortest first", 0.5

    def scores(self, question, texts, rarity):
        return np.array([-len(text) for text in texts], np.float32)


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    for name, text in {"zebra": "Zzz zzz zebra.", "bread": "Rye bread is baked at 200 degrees for an hour."}.items():
        (folder / f"{name}.md").write_text(f"# {name}\n\n{text}\n", encoding="utf-8")
    return folder


def test_an_embedder_of_ones_own_indexes_searches_and_is_needed_ever_after(tmp_path, papers):
    folder = tmp_path / "library"
    with Library.open(folder, embedder=LetterEmbedder()) as library:
        assert library.add(papers).embedded == 2
        assert library.search("zzzzzz", mode="dense").hits[0].passage.title == "zebra"
        assert library.ask("At what temperature is rye bread baked?").run_id
        assert (library.status().embedder, library.status().fingerprint) == ("letters", "letters-1")
    with Library.open(folder, embedder=LetterEmbedder()) as library:
        assert library.search("zzzzzz", mode="dense").hits[0].passage.title == "zebra"
    with (
        Library.open(folder, embedding={"model": "hashing-256"}) as library,
        pytest.raises(EmbedderMismatch, match="letters"),
    ):
        library.search("zebra")


def test_a_fingerprint_that_no_folder_can_have_is_refused(tmp_path):
    class Elsewhere(LetterEmbedder):
        fingerprint = "../elsewhere"

    with pytest.raises(UsageError, match="cannot name a folder"):
        Library.open(tmp_path / "library", embedder=Elsewhere())


def test_a_reranker_of_ones_own_reads_the_first_hits_again(tmp_path, papers):
    with Library.open(tmp_path / "library", embedder=LetterEmbedder(), reranker=ShortestFirst()) as library:
        library.add(papers)
        response = library.search("rye bread", rerank=True)
        assert response.reranked
        given = {hit.passage.title: hit.signals["rerank"] for hit in response.hits}
        assert given["zebra"] > given["bread"]


def test_a_question_tells_that_its_passages_were_reranked_and_by_what(tmp_path, papers):
    told = []
    mine = {"embedder": LetterEmbedder(), "reranker": ShortestFirst()}
    with Library.open(tmp_path / "library", search={"rerank": True}, **mine) as library:
        library.add(papers)
        library.ask("At what temperature is rye bread baked?", on_event=told.append)
    reranked = [event.data for event in told if event.type == "rerank"]
    assert reranked
    assert {(data["round"], data["by"]) for data in reranked} <= {(1, ShortestFirst.name), (2, ShortestFirst.name)}
    assert all(data["passages"] > 0 and data["ms"] >= 0 for data in reranked)
