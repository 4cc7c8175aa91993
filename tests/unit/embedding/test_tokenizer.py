from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litloop.embedding.embedder import ModelEmbedder


def test_spans_are_code_points_in_any_script(bge: ModelEmbedder) -> None:
    text = "😀 stroke é, 脑 e\u0301 𝒳 naïve"
    found = [text[start:end] for start, end in bge.tokenizer.spans(text)]
    # The accent written as a mark of its own is dropped by the model: it belongs to no token.
    assert found == ["😀", "stroke", "é", ",", "脑", "e", "𝒳", "naïve"]


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(codec=None), max_size=80))
def test_spans_lie_in_the_text_in_order_and_one_for_each_token(bge: ModelEmbedder, text: str) -> None:
    spans = bge.tokenizer.spans(text)
    assert all(0 <= start <= end <= len(text) for start, end in spans)
    assert list(spans) == sorted(spans)
    assert len(spans) == len(bge.tokenizer.ids([text])[0]) - bge.tokenizer.special


def test_nothing_is_cut_off_however_long_the_text(bge: ModelEmbedder, minilm: ModelEmbedder) -> None:
    text = "stroke " * 2000
    assert len(bge.tokenizer.spans(text)) == len(minilm.tokenizer.spans(text)) == 2000


def test_half_a_character_keeps_its_place(bge: ModelEmbedder) -> None:
    text = "before \ud800 after"
    assert [text[start:end] for start, end in bge.tokenizer.spans(text)][-1] == "after"


def test_the_window_and_the_tokens_around_are_the_models_own(bge: ModelEmbedder, minilm: ModelEmbedder) -> None:
    assert (bge.tokenizer.window, bge.tokenizer.special) == (512, 2)
    assert (minilm.tokenizer.window, minilm.tokenizer.special) == (256, 2)


@pytest.mark.parametrize("words", [0, 1, 510, 511, 5000])
def test_a_shortened_text_fits_the_window_and_keeps_its_end_token(bge: ModelEmbedder, words: int) -> None:
    ids = bge.tokenizer.shortened_ids("stroke " * words)
    assert len(ids) == min(words + 2, 512)
    assert (ids[0], ids[-1]) == (101, 102)
