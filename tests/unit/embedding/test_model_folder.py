from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from litloop.core.errors import UsageError
from litloop.embedding.model_folder import BGE_QUERY, ModelUsage, describe_folder

from .conftest import TINY_CONFIG


def test_a_sentence_transformers_folder_says_all_there_is_to_know(tiny_model: Callable[..., Path]) -> None:
    prompts = {"prompts": {"query": "query: ", "document": "passage: "}}
    spec = describe_folder(tiny_model(**{"config_sentence_transformers.json": prompts}), "tiny")
    assert (spec.dimension, spec.window, spec.pooling) == (8, 64, "mean")
    assert (spec.query_prefix, spec.passage_prefix) == ("query: ", "passage: ")
    assert spec.fingerprint.startswith("tiny-")


@pytest.mark.parametrize(
    ("config", "pooling"),
    [
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, "cls"),
        ({"pooling_mode_max_tokens": True}, "max"),
        ({"pooling_mode": "mean"}, "mean"),
    ],
)
def test_both_ways_of_writing_the_pooling_are_read(
    config: dict[str, object], pooling: str, tiny_model: Callable[..., Path]
) -> None:
    assert describe_folder(tiny_model(**{"1_Pooling__config.json": config}), "m").pooling == pooling


@pytest.mark.parametrize(
    "config",
    [
        {"pooling_mode_weightedmean_tokens": True},
        {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True},
        {"pooling_mode": "lasttoken"},
    ],
)
def test_a_pooling_we_do_not_know_is_refused_not_replaced(
    config: dict[str, object], tiny_model: Callable[..., Path]
) -> None:
    with pytest.raises(UsageError, match="pooling"):
        describe_folder(tiny_model(**{"1_Pooling__config.json": config}), "m")


def test_a_folder_that_does_not_say_its_pooling_is_not_guessed_at(tiny_model: Callable[..., Path]) -> None:
    folder = tiny_model(**{"1_Pooling__config.json": None})
    with pytest.raises(UsageError, match=r"1_Pooling/config\.json"):
        describe_folder(folder, "m")
    assert describe_folder(folder, "m", ModelUsage(pooling="cls")).pooling == "cls"


@pytest.mark.parametrize(
    ("came_from", "pooling", "query", "passage"),
    [
        ("BAAI/bge-base-en-v1.5", "cls", BGE_QUERY, ""),
        ("intfloat/multilingual-e5-small", "mean", "query: ", "passage: "),
        ("thenlper/gte-small", "mean", "", ""),
    ],
)
def test_an_export_of_a_well_known_family_is_used_as_its_model_card_says(
    came_from: str, pooling: str, query: str, passage: str, tiny_model: Callable[..., Path]
) -> None:
    config = {**TINY_CONFIG, "_name_or_path": came_from}
    spec = describe_folder(tiny_model(**{"config.json": config, "1_Pooling__config.json": None}), "export")
    assert (spec.pooling, spec.query_prefix, spec.passage_prefix) == (pooling, query, passage)


@pytest.mark.parametrize(
    ("files", "window"),
    [
        ({"sentence_bert_config.json": {"max_seq_length": 32}}, 32),
        ({"tokenizer_config.json": {"model_max_length": 48}}, 48),
        ({"tokenizer_config.json": {"model_max_length": 1e30}}, 64),
        (
            {
                "config.json": {
                    **TINY_CONFIG,
                    "model_type": "xlm-roberta",
                    "pad_token_id": 1,
                    "max_position_embeddings": 514,
                }
            },
            512,
        ),
    ],
)
def test_the_window_is_the_shortest_of_the_limits_a_folder_names(
    files: dict[str, object], window: int, tiny_model: Callable[..., Path]
) -> None:
    assert describe_folder(tiny_model(**files), "m").window == window


@pytest.mark.parametrize("place", ["onnx__model.onnx", "model_optimized.onnx", "encoder.onnx"])
def test_the_onnx_file_is_found_where_exports_put_it(
    place: str, tiny_onnx: bytes, tiny_model: Callable[..., Path]
) -> None:
    folder = tiny_model(**{"model.onnx": None, place: tiny_onnx})
    assert describe_folder(folder, "m").weights == folder / place.replace("__", "/")


def test_external_data_beside_the_weights_is_part_of_the_fingerprint(tiny_model: Callable[..., Path]) -> None:
    first = describe_folder(tiny_model("first", **{"model.onnx_data": b"one"}), "m")
    second = describe_folder(tiny_model("second", **{"model.onnx_data": b"two"}), "m")
    assert first.fingerprint != second.fingerprint


@pytest.mark.parametrize(
    ("files", "complaint"),
    [
        ({"tokenizer.json": None}, "no tokenizer.json"),
        ({"model.onnx": None}, "no model.onnx"),
        ({"config.json": "{"}, "not valid JSON"),
        ({"config.json": {"hidden_size": 8}}, "how many tokens"),
        (
            {"config.json": {"max_position_embeddings": 8}, "1_Pooling__config.json": {"pooling_mode": "cls"}},
            "hidden_size",
        ),
        ({"modules.json": [{"type": "sentence_transformers.models.Dense"}]}, "Dense layer"),
        ({"modules.json": "nonsense"}, "not a list of modules"),
    ],
)
def test_what_is_missing_is_said_in_one_sentence(
    files: dict[str, object], complaint: str, tiny_model: Callable[..., Path]
) -> None:
    with pytest.raises(UsageError, match=complaint):
        describe_folder(tiny_model(**files), "m")


def test_the_modules_of_a_plain_encoder_are_accepted(tiny_model: Callable[..., Path]) -> None:
    kinds = ["Transformer", "Pooling", "Normalize"]
    modules = [{"type": f"sentence_transformers.models.{kind}"} for kind in kinds]
    assert describe_folder(tiny_model(**{"modules.json": modules}), "m").dimension == 8
