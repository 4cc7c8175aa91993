from __future__ import annotations

import pytest

from litloop.embedding.spec import fingerprint

PARTS: dict[str, object] = {
    "weights": "aa", "tokenizer": "bb", "pooling": "cls", "query_prefix": "q: ", "passage_prefix": "", "window": 512,
}  # fmt: skip


def test_a_fingerprint_begins_with_the_models_name() -> None:
    name, _, digits = fingerprint("BAAI/bge-small-en-v1.5", **PARTS).rpartition("-")
    assert name == "bge-small-en-v1.5"
    assert len(digits) == 8


@pytest.mark.parametrize(
    ("part", "other"),
    [
        ("weights", "ab"),
        ("tokenizer", "ba"),
        ("pooling", "mean"),
        ("query_prefix", ""),
        ("passage_prefix", "p"),
        ("window", 256),
    ],
)
def test_whatever_shapes_a_vector_changes_the_fingerprint(part: str, other: object) -> None:
    assert fingerprint("m", **PARTS) != fingerprint("m", **{**PARTS, part: other})


def test_a_prefix_of_queries_is_not_taken_for_one_of_passages() -> None:
    swapped = {**PARTS, "query_prefix": "", "passage_prefix": "q: "}
    assert fingerprint("m", **PARTS) != fingerprint("m", **swapped)


@pytest.mark.parametrize("name", ["../../etc", "C:\\models\\my model", "modèle/é…", "a" * 300, "///", ".hidden"])
def test_a_fingerprint_can_name_a_folder_whatever_the_model_is_called(name: str) -> None:
    mark = fingerprint(name, **PARTS)
    assert len(mark) <= 60
    assert mark[0] not in ".-"
    assert all(c.isascii() and (c.isalnum() or c in "-._") for c in mark)
