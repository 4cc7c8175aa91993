from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from litloop.embedding import describe_embedder, load_embedder
from litloop.embedding.hashing import WINDOW, HashingEmbedder

EMBEDDER = HashingEmbedder()


@given(st.text(st.characters(codec=None), max_size=60))
def test_every_text_gets_a_unit_vector(text: str) -> None:
    vector = EMBEDDER.embed_query(text)
    assert vector.dtype == np.float32
    assert abs(float(np.linalg.norm(vector)) - 1) < 1e-6


def test_vectors_are_the_same_on_every_machine() -> None:
    vector = EMBEDDER.embed_query("Aspirin after stroke")
    strongest = sorted(np.argsort(-np.abs(vector), kind="stable")[:3].tolist())
    assert strongest == STRONGEST
    assert EMBEDDER.fingerprint == FINGERPRINT


def test_shared_words_and_word_forms_bring_texts_closer() -> None:
    query = EMBEDDER.embed_query("aspirin trials in stroke")
    near, form, far = EMBEDDER.embed_passages(
        ["A trial of aspirin for stroke", "antiplatelet trialists", "Heat transfer over a flat plate"]
    )
    assert query @ near > query @ form > query @ far


def test_case_and_width_do_not_matter() -> None:
    np.testing.assert_array_equal(EMBEDDER.embed_query("STROKE Ａspirin"), EMBEDDER.embed_query("stroke aspirin"))


def test_passages_beyond_the_window_are_refused_and_questions_shortened() -> None:
    text = "word " * WINDOW
    EMBEDDER.embed_passages([text])
    with pytest.raises(ValueError, match="Text 1 has 513 tokens"):
        EMBEDDER.embed_passages([text, text + "more"])
    np.testing.assert_array_equal(EMBEDDER.embed_query(text + "more"), EMBEDDER.embed_query(text))


def test_it_can_be_had_by_name() -> None:
    embedder = load_embedder("hashing-256")
    assert isinstance(embedder, HashingEmbedder)
    assert describe_embedder("hashing-256").fingerprint == embedder.fingerprint
    assert (embedder.name, embedder.dimension, embedder.precision) == ("hashing-256", 256, "f32")
    assert embedder.embed_passages([]).shape == (0, 256)


STRONGEST = [65, 114, 137]
FINGERPRINT = "hashing-256-53b7a01c"
