from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from litloop.core.errors import UsageError
from litloop.embedding import load_embedder
from litloop.embedding.hashing import HashingEmbedder
from litloop.embedding.protocol import TokenVectors
from litloop.experimental.late_interaction import LateInteraction, load_reranker
from litloop.index.analyser import Analyser
from litloop.retrieval.cross_encoder import CrossEncoder
from unit.retrieval.test_cross_encoder import write_model

AXES = {"tremor": 0, "shaking": 1, "patients": 2, "the": 3}


@dataclass
class Words:
    """One token a word, each with the vector given for it; unknown words lie on an axis of their own."""

    vectors: dict[str, np.ndarray]

    def token_vectors(self, texts, *, question=False):
        return [self._read(text) for text in texts]

    def _read(self, text):
        spans, start = [], 0
        for word in text.split():
            start = text.index(word, start)
            spans.append((start, start + len(word)))
            start += len(word)
        rows = [self.vectors.get(word, np.eye(8, dtype=np.float32)[7]) for word in text.split()]
        return TokenVectors(tuple(spans), np.array(rows, np.float32).reshape(-1, 8))


@pytest.fixture
def reader():
    vectors = {word: np.eye(8, dtype=np.float32)[axis] for word, axis in AXES.items()}
    vectors["shaking"] = np.array([0.8, 0.6, 0, 0, 0, 0, 0, 0], np.float32)
    return LateInteraction(Words(vectors), Analyser().terms)


def rarity(**words):
    [*terms] = [Analyser().terms(word)[0] for word in words]
    return dict(zip(terms, words.values(), strict=True))


def test_each_word_of_the_question_counts_by_its_nearest_word_and_its_rarity(reader):
    found = reader.scores(
        "tremor patients", ["shaking patients", "tremor", "nothing"], rarity(tremor=3.0, patients=1.0)
    )
    np.testing.assert_allclose(found, [0.75 * 0.8 + 0.25, 0.75, 0], atol=1e-6)


def test_everyday_words_have_no_say_unless_the_question_holds_no_others(reader):
    told = rarity(tremor=2.0)
    np.testing.assert_allclose(reader.scores("the tremor", ["tremor", "the"], told), [1, 0], atol=1e-6)
    np.testing.assert_allclose(reader.scores("the", ["the", "tremor"], {}), [1, 0], atol=1e-6)


def test_an_empty_side_scores_nothing(reader):
    assert reader.scores("tremor", ["", "tremor"], rarity(tremor=1.0)).tolist() == [0, 1]
    assert reader.scores("", ["tremor"], {}).tolist() == [0]
    assert reader.scores("tremor", [], rarity(tremor=1.0)).shape == (0,)


def test_the_embedder_of_the_library_reads_the_words_of_a_passage():
    analyser, embedder = Analyser(), load_embedder("bge-small-en-v1.5")
    reranker = load_reranker("late-interaction", lambda: embedder, analyser.terms)
    texts = [
        "Aspirin and other antiplatelet drugs prevent a second ischaemic stroke.",
        "Heat transfer over a flat plate in supersonic flow.",
    ]
    near, far = reranker.scores("Does aspirin prevent recurrent stroke?", texts, rarity(aspirin=5.0, stroke=3.0))
    assert 1 >= near > far + 0.2


def test_an_embedder_without_tokens_is_refused_in_one_sentence():
    with pytest.raises(UsageError, match=r"hashing-256 has no token vectors"):
        load_reranker("late-interaction", HashingEmbedder, Analyser().terms)


def test_any_other_name_is_a_cross_encoder(tmp_path):
    folder = write_model(tmp_path / "tiny")
    assert isinstance(load_reranker(str(folder), HashingEmbedder, Analyser().terms), CrossEncoder)
