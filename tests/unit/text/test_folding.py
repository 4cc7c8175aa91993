"""Folding keeps track of where every character stood."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litloop.text.folding import Folded, fold


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("a  b\n\tc\u00a0d", "a b c d"),
        ("“midbrain” – it’s", '"midbrain" - it\'s'),
        ("ﬁrst eﬃcient", "first efficient"),
        ("cere\u00adbellar\u200b", "cerebellar"),
        ("Sjo\u0308gren", "Sjögren"),
        ("脳\n萎縮 MRI", "脳萎縮 MRI"),
        ("5 µm", "5 μm"),
        ("wait…", "wait..."),
        (unicodedata.normalize("NFD", "한국"), "한국"),
        (" \u200b ", ""),
    ],
)
def test_same_characters_are_written_the_same_way(text: str, folded: str) -> None:
    assert fold(text) == folded


TEXTS = st.text(st.sampled_from("ab e\u0301\u00ad\u200b \n\u00a0ﬁ…“–脳。\ufe0f\u1161µ"), max_size=40)


@given(TEXTS)
def test_every_folded_stretch_maps_to_a_stretch_that_folds_to_it(text: str) -> None:
    folded = Folded(text)
    for start in range(len(folded.text)):
        for end in range(start + 1, min(start + 6, len(folded.text)) + 1):
            first, last = folded.span(start, end)
            assert 0 <= first < last <= len(text)
            assert folded.text[start:end].strip() in Folded(text[first:last]).text


@given(TEXTS)
def test_folding_with_and_without_places_gives_the_same_text(text: str) -> None:
    assert Folded(text).text.strip(" ") == fold(text)
