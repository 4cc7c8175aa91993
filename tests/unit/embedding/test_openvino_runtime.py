from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from litloop.core.errors import MissingExtra, UsageError
from litloop.embedding.backends import start_runtime
from litloop.embedding.batching import Batch, pack
from litloop.embedding.compiled import KEPT_COMPILED
from litloop.embedding.embedder import ModelEmbedder
from litloop.embedding.openvino_runtime import OpenVinoRuntime


def test_threads_with_different_texts_get_their_own_vectors(bge: ModelEmbedder) -> None:
    """One compiled model called from four threads once gave 597 of 600 wrong vectors, without an error."""
    topics = ["stroke", "migraine", "boundary layers", "library catalogues", "protein folding", "solar wind"]
    texts = [f"Study {number} of {topics[number % 6]} and {topics[number % 5]}" for number in range(96)]
    alone = np.array([bge.embed_query(text) for text in texts])
    with ThreadPoolExecutor(4) as threads:
        together = np.array(list(threads.map(bge.embed_query, texts)))
    np.testing.assert_array_equal(together, alone)


def test_questions_and_passages_at_the_same_time_do_not_mix(bge: ModelEmbedder) -> None:
    passages = [f"Passage {number} " + "about aspirin " * (number % 7) for number in range(40)]
    queries = [f"Question {number} about migraine" for number in range(20)]
    alone = bge.embed_passages(passages), np.array([bge.embed_query(query) for query in queries])
    with ThreadPoolExecutor(4) as threads:
        runs = [threads.submit(bge.embed_passages, passages) for _ in range(3)]
        asked = list(threads.map(bge.embed_query, queries))
        for run in runs:
            np.testing.assert_array_equal(run.result(), alone[0])
    np.testing.assert_array_equal(np.array(asked), alone[1])


def test_questions_and_passages_from_many_threads_leave_the_process_whole(cache: Path) -> None:
    """With inputs shared instead of copied the heap was corrupted, and the process ended within a second or two."""
    code = """
from concurrent.futures import ThreadPoolExecutor
from litloop.embedding import load_embedder
embedder = load_embedder("bge-small-en-v1.5", runtime="openvino")
def both(worker):
    for turn in range(4):
        for n in range(4):
            embedder.embed_query(f"question {worker} {turn} " + "uptake " * (5 * n))
        embedder.embed_passages([f"passage {worker} {turn} " + "uptake " * (9 * n) for n in range(4)])
with ThreadPoolExecutor(8) as threads:
    list(threads.map(both, range(8)))
print("whole")
"""
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "LITLOOP_CACHE": str(cache)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (0, "whole\n"), ran.stderr[-500:]


def test_nothing_is_sent_and_nothing_is_written_to_the_home_folder(tmp_path: Path, cache: Path) -> None:
    code = """
import json, sys, threading, time
seen = []
def watch(event, arguments):
    if event.startswith("socket.") and event != "socket.gethostname":
        seen.append(event)
sys.addaudithook(watch)
from litloop.embedding import load_embedder
embedder = load_embedder("bge-small-en-v1.5", runtime="openvino")
embedder.embed_query("a question")
embedder.embed_passages(["a passage"])
time.sleep(0.5)
loaded = [name for name, module in sys.modules.items() if name.startswith("openvino_telemetry") and module]
print(json.dumps([seen, loaded, [thread.name for thread in threading.enumerate()]]))
"""
    home = tmp_path / "home"
    home.mkdir()
    environment = {**os.environ, "HOME": str(home), "USERPROFILE": str(home), "LITLOOP_CACHE": str(cache)}
    environment.pop("CI", None)  # the telemetry would hold back there by itself
    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert json.loads(ran.stdout) == [[], [], ["MainThread"]]
    assert list(home.iterdir()) == []


def test_the_conversion_tools_stay_silent_for_whoever_imports_them_later() -> None:
    code = (
        "from litloop.embedding.openvino_runtime import import_openvino; import_openvino();"
        "import openvino.tools.ovc as tools; print(type(tools.telemetry).__module__)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "openvino.tools.ovc.telemetry_stub"


@pytest.fixture
def tiny_file(tmp_path: Path, tiny_onnx: bytes, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LITLOOP_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "model.onnx"
    path.write_bytes(tiny_onnx)
    return path


BATCH = pack([[2, 7, 3], [2, 8, 9, 3]], [0, 1], 4, pad_id=0)


def compiled_folders(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "cache" / "compiled").iterdir())


def test_a_model_is_compiled_once_for_each_precision(tiny_file: Path, tmp_path: Path) -> None:
    first = OpenVinoRuntime(tiny_file, precision="f32")
    (folder,) = compiled_folders(tmp_path)
    again = OpenVinoRuntime(tiny_file, precision="f32")
    assert compiled_folders(tmp_path) == [folder]
    np.testing.assert_array_equal(first.run(BATCH), again.run(BATCH))
    if OpenVinoRuntime(tiny_file).precision != "f32":
        assert len(compiled_folders(tmp_path)) == 2


@pytest.mark.parametrize("kept_bytes", [0, 100, -1])
def test_a_damaged_compiled_model_is_compiled_again(kept_bytes: int, tiny_file: Path, tmp_path: Path) -> None:
    expected = OpenVinoRuntime(tiny_file, precision="f32").run(BATCH)
    (folder,) = compiled_folders(tmp_path)
    for blob in folder.iterdir():
        blob.chmod(0o600)
        blob.write_bytes(blob.read_bytes()[:kept_bytes])
    np.testing.assert_array_equal(OpenVinoRuntime(tiny_file, precision="f32").run(BATCH), expected)


def test_a_model_that_changed_is_not_served_from_what_was_compiled_before(
    tiny_file: Path, tiny_weights: dict[str, np.ndarray]
) -> None:
    from litloop.embedding.bert_onnx import write_bert

    from .conftest import TINY_SHAPE

    before = OpenVinoRuntime(tiny_file, precision="f32").run(BATCH)
    tiny_file.write_bytes(write_bert({name: array * 1.5 for name, array in tiny_weights.items()}, TINY_SHAPE))
    assert np.abs(OpenVinoRuntime(tiny_file, precision="f32").run(BATCH) - before).max() > 0.01


def test_old_compiled_models_and_abandoned_ones_are_removed(tiny_file: Path, tmp_path: Path) -> None:
    kept = tmp_path / "cache" / "compiled"
    for number in range(KEPT_COMPILED + 2):
        (kept / f"old{number}").mkdir(parents=True)
        os.utime(kept / f"old{number}", (number, number))
    (kept / ".new-killed").mkdir()
    os.utime(kept / ".new-killed", (0, 0))
    (kept / ".new-at-work").mkdir()
    OpenVinoRuntime(tiny_file, precision="f32")
    names = {folder.name for folder in compiled_folders(tmp_path)}
    assert len(names) == KEPT_COMPILED + 1
    assert {".new-at-work", "old5"} < names


def test_where_nothing_can_be_kept_the_model_still_runs(tiny_file: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "compiled").write_text("in the way")
    assert OpenVinoRuntime(tiny_file, precision="f32").run(BATCH).shape == (2, 4, 8)


def test_two_processes_compiling_at_once_both_get_a_model(tiny_file: Path, tmp_path: Path) -> None:
    barrier = threading.Barrier(2)

    def compile_together(_: int) -> np.ndarray:
        barrier.wait()
        return OpenVinoRuntime(tiny_file, precision="f32").run(BATCH)

    with ThreadPoolExecutor(2) as threads:
        one, other = threads.map(compile_together, range(2))
    np.testing.assert_array_equal(one, other)
    assert len(compiled_folders(tmp_path)) == 1


def test_a_caller_that_stops_early_leaves_every_request_free(tiny_onnx: bytes) -> None:
    runtime = OpenVinoRuntime(tiny_onnx, precision="f32")
    for _ in range(20):
        results = runtime.run_many(BATCH for _ in range(50))
        next(results)
        results.close()
    assert len(list(runtime.run_many([BATCH] * 10))) == 10


def test_a_caller_that_fails_midway_leaves_every_request_free(tiny_onnx: bytes) -> None:
    runtime = OpenVinoRuntime(tiny_onnx, precision="f32")

    def failing():
        yield BATCH
        raise ValueError("the next text is too long")

    for _ in range(20):
        with pytest.raises(ValueError, match="too long"):
            list(runtime.run_many(failing()))
    assert len(list(runtime.run_many([BATCH] * 10))) == 10


def test_callers_that_share_few_requests_never_wait_for_each_other_forever(tiny_onnx: bytes) -> None:
    runtime = OpenVinoRuntime(tiny_onnx, precision="f32", threads=1)
    expected = runtime.run(BATCH)

    def many(_: int) -> int:
        count = 0
        for _batch, output in runtime.run_many(BATCH for _ in range(200)):
            np.testing.assert_array_equal(output, expected)
            count += 1
        return count

    with ThreadPoolExecutor(6) as threads:
        assert list(threads.map(many, range(6))) == [200] * 6


def test_a_file_that_is_no_model_is_a_wrong_use(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(UsageError, match="OpenVINO cannot run the model"):
        OpenVinoRuntime(tmp_path / "model.onnx")


def test_a_model_that_wants_images_is_refused() -> None:
    with pytest.raises(UsageError, match="pixel_values"):
        OpenVinoRuntime(encoder("pixel_values", axes=3))


def test_a_model_without_vectors_is_refused() -> None:
    with pytest.raises(UsageError, match="no vectors"):
        OpenVinoRuntime(encoder("input_ids", axes=1))


@pytest.mark.parametrize("runtime", ["openvino", "onnxruntime"])
def test_every_input_of_an_encoder_is_fed(runtime: str) -> None:
    model = start_runtime(runtime, encoder("position_ids", axes=3), precision="f32", threads=1)
    output = model.run(Batch((0,), np.array([[5, 6, 7]]), np.ones((1, 3), np.int64)))
    assert output[0, :, 0].tolist() == [0, 1, 2]


@pytest.mark.parametrize("runtime", ["openvino", "onnxruntime"])
def test_a_runtime_that_is_not_installed_names_what_to_install(runtime: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, runtime, None)
    with pytest.raises(MissingExtra, match="pip install"):
        start_runtime(runtime, b"", precision="auto", threads=0)


def test_onnx_runtime_takes_over_where_openvino_has_no_wheel(tiny_onnx: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openvino", None)
    runtime = start_runtime("auto", tiny_onnx, precision="auto", threads=0)
    assert runtime.precision == "f32"
    assert len(list(runtime.run_many([BATCH, BATCH]))) == 2


def encoder(name: str, *, axes: int) -> bytes:
    """A graph with one input (n, length) whose output repeats it with `axes` axes."""
    from onnx import TensorProto, helper

    nodes = [helper.make_node("Cast", [name], ["float"], to=TensorProto.FLOAT)]
    if axes == 3:
        nodes.append(helper.make_node("Unsqueeze", ["float", "last"], ["out"]))
    else:
        nodes.append(helper.make_node("ReduceSum", ["float", "last"], ["out"], keepdims=0))
    last = helper.make_tensor("last", TensorProto.INT64, [1], [axes - 1 if axes == 3 else 1])
    graph = helper.make_graph(
        nodes,
        "encoder",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["n", "length"])],
        [helper.make_tensor_value_info("out", TensorProto.FLOAT, ["n", "length", 1][:axes])],
        [last],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()
