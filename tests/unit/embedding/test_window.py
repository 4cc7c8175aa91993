"""Texts cut to what a model reads."""

from __future__ import annotations

import re

import pytest

from litloop.embedding.hashing import HashingEmbedder
from litloop.embedding.window import embed_as_passage, within_window


class Bytes:
    """Reads eight bytes, each a token of its own, as byte-level tokenizers do with letters they have not learned."""

    window, special = 10, 2

    def spans(self, text: str) -> list[tuple[int, int]]:
        return [(place, place + 1) for place, letter in enumerate(text) for _ in letter.encode()]


class Words(Bytes):
    def spans(self, text: str) -> list[tuple[int, int]]:
        return [match.span() for match in re.finditer(r"\w+", text)]


def test_a_text_that_fits_is_left_as_it_is():
    text = "one two three four five six seven eight  "
    assert within_window(text, Words()) == text


def test_a_longer_one_ends_with_the_last_token_that_fits():
    assert within_window("a b c d e f g h i j", Words()) == "a b c d e f g h"
    assert within_window("alpha beta gamma", Words(), 2) == "alpha beta"
    assert within_window("alpha beta gamma", Words(), 0) == ""


@pytest.mark.parametrize("text", ["脳脳脳脳", "한국어말", "\ud800" * 12])
def test_a_letter_of_several_tokens_does_not_slip_past_the_window(text):
    class Counted(Bytes):
        def spans(self, text: str) -> list[tuple[int, int]]:
            return [(p, p + 1) for p, letter in enumerate(text) for _ in letter.encode("utf-8", "replace")]

    assert len(Counted().spans(within_window(text, Counted()))) <= 8


def test_a_text_is_embedded_as_far_as_the_window_reaches():
    embedder = HashingEmbedder()
    long = "tremor " * 600
    assert (embed_as_passage(embedder, long) == embedder.embed_passages([("tremor " * 512).strip()])[0]).all()
