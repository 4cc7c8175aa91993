"""The loader, on a tiny cross-encoder with seeded random weights that the test itself writes."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from litloop.core.errors import MissingExtra, ModelError
from litloop.retrieval.cross_encoder import CrossEncoder, load_cross_encoder

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "tremor", "stroke", "basal", "ganglia", "patient", "scan"]


def write_model(folder: Path, *, outputs: int = 1, file: str = "model.onnx") -> Path:
    """Logit = mean over tokens of a random weight per word, plus one for the second segment."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    tokenizer = Tokenizer(models.WordLevel({word: place for place, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    weights = np.random.default_rng(0).normal(size=(len(WORDS), outputs)).astype(np.float32)
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["n", "t"]) for name in ("input_ids", "attention_mask")
    ]
    nodes = [
        helper.make_node("Gather", ["words", "input_ids"], ["each"]),
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["mask", "last"], ["mask3"]),
        helper.make_node("Mul", ["each", "mask3"], ["masked"]),
        helper.make_node("ReduceSum", ["masked", "second"], ["logits"], keepdims=0),
    ]
    graph = helper.make_graph(
        nodes,
        "tiny",
        inputs,
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["n", outputs])],
        [
            numpy_helper.from_array(weights, "words"),
            numpy_helper.from_array(np.array([2], np.int64), "last"),
            numpy_helper.from_array(np.array([1], np.int64), "second"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    (folder / file).parent.mkdir(exist_ok=True)
    onnx.save(model, str(folder / file))
    return folder


def expected(question: str, text: str) -> float:
    weights = np.random.default_rng(0).normal(size=(len(WORDS), 1)).astype(np.float32)[:, 0]
    ids = [2, *(WORDS.index(word) for word in question.split()), 3, *(WORDS.index(word) for word in text.split()), 3]
    return float(weights[ids].sum())


@pytest.mark.parametrize("runtime", ["openvino", "onnxruntime"])
def test_each_pair_gets_its_own_logit_in_the_order_given(tmp_path, runtime):
    encoder = load_cross_encoder(str(write_model(tmp_path / "tiny")), runtime=runtime)
    texts = ["stroke scan patient", "tremor", "basal ganglia"] * 12
    found = encoder.scores("tremor patient", texts, {})
    assert encoder.name == "tiny"
    assert found.dtype == np.float32
    assert found.tolist() == pytest.approx([expected("tremor patient", text) for text in texts], abs=0.05)


def test_the_onnx_subfolder_of_a_hub_layout_is_found(tmp_path):
    assert load_cross_encoder(str(write_model(tmp_path / "hub", file="onnx/model.onnx"))).name == "hub"


def test_threads_do_not_get_each_others_answers(tmp_path):
    encoder = load_cross_encoder(str(write_model(tmp_path / "tiny")))
    questions = ["tremor", "stroke", "basal", "scan"] * 10
    alone = [encoder.scores(question, ["patient", "ganglia"], {}).tolist() for question in questions]
    with ThreadPoolExecutor(4) as pool:
        together = list(
            pool.map(lambda question: encoder.scores(question, ["patient", "ganglia"], {}).tolist(), questions)
        )
    assert together == alone


def test_a_very_long_question_still_leaves_the_passage_room(tmp_path):
    encoder = CrossEncoder(write_model(tmp_path / "tiny"), "tiny", window=32)
    near, far = encoder.scores("tremor " * 500, ["basal ganglia scan", "stroke"], {})
    assert near != far


def test_no_texts_give_no_scores(tmp_path):
    assert load_cross_encoder(str(write_model(tmp_path / "tiny"))).scores("tremor", [], {}).shape == (0,)


def test_a_model_that_gives_several_logits_per_pair_is_refused(tmp_path):
    encoder = load_cross_encoder(str(write_model(tmp_path / "classes", outputs=3)))
    with pytest.raises(ModelError, match="not one each"):
        encoder.scores("tremor", ["scan", "stroke"], {})


@pytest.mark.parametrize("missing", ["tokenizer.json", "model.onnx"])
def test_an_incomplete_folder_is_named(tmp_path, missing):
    folder = write_model(tmp_path / "tiny")
    (folder / missing).unlink()
    with pytest.raises(ModelError, match=missing.replace(".", r"\.")):
        load_cross_encoder(str(folder))


def test_a_name_that_cannot_be_had_is_said_in_one_sentence(monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    with pytest.raises(ModelError, match="neither a folder nor"):
        load_cross_encoder("nobody/no-such-reranker-4711")


def test_a_missing_hub_client_names_the_command_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingExtra, match="pip install huggingface-hub"):
        load_cross_encoder("cross-encoder/ms-marco-MiniLM-L-6-v2")


@pytest.mark.parametrize(("runtime", "absent"), [("openvino", ["openvino"]), ("auto", ["openvino", "onnxruntime"])])
def test_a_missing_runtime_names_the_command_that_installs_it(monkeypatch, tmp_path, runtime, absent):
    folder = write_model(tmp_path / "tiny")
    for package in absent:
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra):
        load_cross_encoder(str(folder), runtime=runtime)


def test_without_openvino_onnx_runtime_takes_over(monkeypatch, tmp_path):
    folder = write_model(tmp_path / "tiny")
    monkeypatch.setitem(sys.modules, "openvino", None)
    assert load_cross_encoder(str(folder)).scores("tremor", ["scan"], {}).shape == (1,)
