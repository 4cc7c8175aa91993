from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from litloop.embedding import load_embedder
from litloop.embedding.cancellation import EmbeddingCancelled, cancelled_when
from litloop.embedding.embedder import TOKENISED_AT_ONCE, ModelEmbedder
from litloop.embedding.hashing import describe_hashing

TEXTS = ["Stroke.", "Aspirin after stroke " * 30, "Migraine with aura", "Boundary layers " * 50, "A library", "Stroke."]


@pytest.fixture(scope="module")
def exact(cache: Path) -> ModelEmbedder:
    return load_embedder("bge-small-en-v1.5", precision="f32")


def test_vectors_are_unit_length_float32_in_the_order_of_the_texts(bge: ModelEmbedder) -> None:
    vectors = bge.embed_passages(TEXTS)
    assert vectors.dtype == np.float32
    assert vectors.shape == (6, 384)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    np.testing.assert_array_equal(vectors[0], vectors[5])
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[3]


def test_a_vector_is_the_same_bytes_whatever_is_embedded_beside_it(exact: ModelEmbedder) -> None:
    together = exact.embed_passages(TEXTS)
    np.testing.assert_array_equal(exact.embed_passages(TEXTS[::-1]), together[::-1])
    for text, vector in zip(TEXTS, together, strict=True):
        np.testing.assert_array_equal(exact.embed_passages([text])[0], vector)


def test_bfloat16_turns_no_vector_by_more_than_a_trace(bge: ModelEmbedder, exact: ModelEmbedder) -> None:
    assert exact.precision == "f32"
    assert bge.precision in ("bf16", "f32")
    assert bge.fingerprint == exact.fingerprint
    assert (bge.embed_passages(TEXTS) * exact.embed_passages(TEXTS)).sum(axis=1).min() > 0.999


def test_a_related_passage_is_nearer_than_an_unrelated_one(bge: ModelEmbedder, minilm: ModelEmbedder) -> None:
    for embedder in (bge, minilm):
        query = embedder.embed_query("Does aspirin prevent recurrent stroke?")
        near, far = embedder.embed_passages(
            ["Antiplatelet therapy lowers the risk of another ischaemic event.", "Heat transfer over a flat plate."]
        )
        assert query @ near > query @ far + 0.2


def test_a_question_carries_the_models_prefix(bge: ModelEmbedder, minilm: ModelEmbedder) -> None:
    text = "aspirin and stroke"
    prefixed = bge.embed_passages(["Represent this sentence for searching relevant passages: " + text])[0]
    np.testing.assert_allclose(bge.embed_query(text), prefixed, atol=1e-6)
    np.testing.assert_allclose(minilm.embed_query(text), minilm.embed_passages([text])[0], atol=1e-6)


def test_a_passage_that_fills_the_window_is_taken_and_one_more_token_is_not(bge: ModelEmbedder) -> None:
    fits = "stroke " * (bge.tokenizer.window - bge.tokenizer.special)
    assert bge.embed_passages([fits]).shape == (1, 384)
    with pytest.raises(ValueError, match=r"Text 1 has 513 tokens; bge-small-en-v1\.5 reads 512"):
        bge.embed_passages(["short", fits + "more"])
    assert bge.embed_passages(["still works"]).shape == (1, 384)


def test_a_question_that_is_too_long_is_shortened_at_its_end(minilm: ModelEmbedder) -> None:
    long = "stroke " * 254
    np.testing.assert_array_equal(minilm.embed_query(long + "aspirin"), minilm.embed_query(long))


def test_embedding_that_is_given_up_stops_between_two_requests_and_leaves_the_model_fit(bge: ModelEmbedder) -> None:
    before = bge.embed_passages(["one lesion"])
    given_up = threading.Event()
    given_up.set()
    with cancelled_when(given_up), pytest.raises(EmbeddingCancelled):
        bge.embed_passages([f"lesion {number} of the scalp" for number in range(400)])
    assert np.array_equal(bge.embed_passages(["one lesion"]), before)


def test_no_texts_give_no_vectors(bge: ModelEmbedder) -> None:
    assert bge.embed_passages([]).shape == (0, 384)


def test_an_empty_text_has_a_vector_too(bge: ModelEmbedder) -> None:
    assert abs(np.linalg.norm(bge.embed_passages([""])[0]) - 1) < 1e-5


def test_rows_stay_in_place_across_more_texts_than_are_tokenised_at_once(tiny_model: Callable[..., Path]) -> None:
    embedder = load_embedder(str(tiny_model()), precision="f32", threads=1)
    words = ["stroke", "aspirin hearts", "the brain the brain", "heart"]
    texts = [words[number % 4] for number in range(TOKENISED_AT_ONCE + 37)]
    expected = embedder.embed_passages(words)
    np.testing.assert_array_equal(embedder.embed_passages(texts), expected[np.arange(len(texts)) % 4])
    with pytest.raises(ValueError, match=f"Text {len(texts)} has"):
        embedder.embed_passages([*texts, "stroke " * 100])


def test_passages_get_their_prefix_and_it_counts_against_the_window(tiny_model: Callable[..., Path]) -> None:
    prompts = {"prompts": {"query": "query: ", "passage": "passage: "}}
    with_prefix = load_embedder(
        str(tiny_model("prefixed", **{"config_sentence_transformers.json": prompts})), precision="f32"
    )
    plain = load_embedder(str(tiny_model("plain")), precision="f32")
    np.testing.assert_array_equal(with_prefix.embed_passages(["stroke"]), plain.embed_passages(["passage: stroke"]))
    np.testing.assert_array_equal(with_prefix.embed_query("stroke"), plain.embed_query("query: stroke"))
    assert with_prefix.tokenizer.special == 4
    assert with_prefix.embed_passages(["the " * 60]).shape == (1, 8)


def test_nothing_heavy_is_loaded_before_the_first_text() -> None:
    code = (
        "import sys; from litloop.embedding import load_embedder;"
        "embedder = load_embedder('bge-small-en-v1.5'); embedder.fingerprint, embedder.dimension, embedder.name;"
        "print([name for name in ('openvino', 'tokenizers', 'onnxruntime') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_a_model_can_be_loaded_in_the_background(tiny_model: Callable[..., Path]) -> None:
    embedder = load_embedder(str(tiny_model()))
    embedder.warm().join()
    assert embedder.embed_query("stroke").shape == (8,)


def test_a_failure_in_the_background_shows_at_first_use(tiny_model: Callable[..., Path]) -> None:
    embedder = load_embedder(str(tiny_model(**{"model.onnx": b"not a model"})))
    embedder.warm().join()
    with pytest.raises(Exception, match="cannot run the model"):
        embedder.embed_query("stroke")


def test_an_embedder_without_files_is_not_taken_for_a_model() -> None:
    with pytest.raises(ValueError, match="no model with files"):
        ModelEmbedder(describe_hashing())


def test_token_vectors_stand_where_their_words_do_and_leave_prefix_and_special_tokens_out(bge: ModelEmbedder) -> None:
    text = "Aspirin after ischaemic stroke"
    [passage] = bge.token_vectors([text])
    [question] = bge.token_vectors([text], question=True)
    assert passage.spans == question.spans
    pieces = [text[start:end] for start, end in passage.spans]
    assert "".join(pieces) == text.replace(" ", "")
    assert {"after", "stroke"} < set(pieces)
    assert passage.vectors.shape == (len(passage.spans), 384)
    np.testing.assert_allclose(np.linalg.norm(passage.vectors, axis=1), 1, atol=1e-5)
    assert not np.allclose(passage.vectors, question.vectors, atol=0.01)


def test_token_vectors_of_a_long_text_end_with_the_window(bge: ModelEmbedder) -> None:
    short, long = bge.token_vectors(["Stroke.", "Aspirin after stroke " * 400])
    assert [short.spans, len(long.spans)] == [((0, 6), (6, 7)), 510]
    assert bge.token_vectors([]) == []
