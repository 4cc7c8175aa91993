"""What a database's markup hides is cut out; what is never closed is words."""

from __future__ import annotations

import pytest

from litloop.scholarly.fields import plain


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("a <script>x < y</script> b", "a b"),
        ("a <STYLE type='t'>p{}</style > b <!-- c --> d", "a b d"),
        ("a <!-- b", "a <!-- b"),
        ("a <!-- b <script>c</script> d", "a <!-- b d"),
        ("<mml:annotation encoding='x'>\\alpha</mml:annotation>α rises", "α rises"),
        ("<script>a<style>b</style>c", "<script>a c"),
    ],
)
def test_scripts_styles_comments_and_annotations_go_with_what_they_enclose(given: str, words: str) -> None:
    assert plain(given) == words
