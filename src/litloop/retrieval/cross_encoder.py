"""Cross-encoders in ONNX form, from a folder or by name from a hub."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litloop.core.choices import RuntimeName
from litloop.core.errors import MissingExtra, ModelError
from litloop.embedding.window import first_tokens

BATCH = 16
_MODEL_FILES = ("model.onnx", "onnx/model.onnx")
_HUB_PATTERNS = ["tokenizer.json", "config.json", *_MODEL_FILES]


class CrossEncoder:
    """Reads question and passage together and gives one logit per pair. Safe to call from several threads."""

    weight = 0.5  # as usual; no weights could be had to choose it with

    def __init__(self, folder: Path, name: str, *, runtime: RuntimeName = "auto", window: int = 512) -> None:
        """Raises ModelError when the folder lacks the model or its tokenizer, or the model has another shape."""
        from tokenizers import Tokenizer

        self.name = name
        tokenizer_file = folder / "tokenizer.json"
        if not tokenizer_file.is_file():
            raise ModelError(f"The reranker in {folder} has no tokenizer.json.")
        self._counter = Tokenizer.from_file(str(tokenizer_file))
        self._counter.no_truncation()
        self._tokenizer = Tokenizer.from_file(str(tokenizer_file))
        self._tokenizer.enable_truncation(window, strategy="only_second")
        self._tokenizer.enable_padding()
        self._window = window
        self._run = _session(_model_file(folder), runtime)

    def scores(self, question: str, texts: Sequence[str], rarity: Mapping[str, float]) -> NDArray[np.float32]:
        """(len(texts),) logits. A passage longer than the window is read up to it; `rarity` has no say."""
        logits = np.empty(len(texts), np.float32)
        question = self._shortened(question)
        by_length = sorted(range(len(texts)), key=lambda place: len(texts[place]))  # little padding per batch
        for start in range(0, len(by_length), BATCH):
            places = by_length[start : start + BATCH]
            logits[places] = self._batch(question, [texts[place] for place in places])
        return logits

    def _batch(self, question: str, texts: Sequence[str]) -> NDArray[np.float32]:
        encoded = self._tokenizer.encode_batch([(question, text) for text in texts])
        output = self._run(
            {
                "input_ids": np.array([one.ids for one in encoded], np.int64),
                "attention_mask": np.array([one.attention_mask for one in encoded], np.int64),
                "token_type_ids": np.array([one.type_ids for one in encoded], np.int64),
            }
        )
        if output.shape not in ((len(texts),), (len(texts), 1)):
            raise ModelError(f"The reranker {self.name} gives {output.shape} for {len(texts)} pairs, not one each.")
        logits: NDArray[np.float32] = output.reshape(-1).astype(np.float32)
        return logits

    def _shortened(self, question: str) -> str:
        """At most half the window, so that truncation, which only touches passages, leaves them room."""
        spans = self._counter.encode(question, add_special_tokens=False).offsets
        return first_tokens(question, spans, self._window // 2)


def load_cross_encoder(model: str, *, runtime: RuntimeName = "auto") -> CrossEncoder:
    """The cross-encoder in the folder `model`, or of that name on the hub.

    Raises MissingExtra when a name is given and no hub client is installed, ModelError when it cannot be had.
    """
    folder = Path(model).expanduser()
    if folder.is_dir():
        return CrossEncoder(folder, folder.name, runtime=runtime)
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise MissingExtra("huggingface-hub", "hub", command="pip install huggingface-hub") from None
    try:
        fetched = Path(snapshot_download(model, allow_patterns=_HUB_PATTERNS))
    except Exception as error:  # the hub's client raises a dozen unrelated types
        raise ModelError(
            f"The reranker {model} is neither a folder nor available from the hub ({type(error).__name__})."
        ) from None
    return CrossEncoder(fetched, model, runtime=runtime)


def _model_file(folder: Path) -> Path:
    for name in _MODEL_FILES:
        if (folder / name).is_file():
            return folder / name
    raise ModelError(f"The reranker in {folder} has no model.onnx.")


def _session(file: Path, runtime: RuntimeName) -> Any:
    """A function from named inputs to the first output, whichever runtime stands behind it."""
    if runtime != "onnxruntime":
        try:
            return _openvino(file)
        except ImportError:
            if runtime == "openvino":
                raise MissingExtra("OpenVINO", "openvino", command="pip install openvino") from None
    try:
        return _onnxruntime(file)
    except ImportError:
        raise MissingExtra("ONNX Runtime", "onnx") from None


def _openvino(file: Path) -> Any:
    from litloop.embedding.openvino_runtime import import_openvino

    compiled = import_openvino().Core().compile_model(str(file), "CPU")
    names = {name for port in compiled.inputs for name in port.get_names()}
    request = compiled.create_infer_request()
    lock = threading.Lock()  # one request must not be used by two threads: it answers with the other's output

    def run(inputs: dict[str, NDArray[np.int64]]) -> NDArray[np.float32]:
        with lock:
            outputs = request.infer({name: array for name, array in inputs.items() if name in names})
            return np.array(outputs[compiled.outputs[0]])

    return run


def _onnxruntime(file: Path) -> Any:
    import onnxruntime

    session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
    names = {port.name for port in session.get_inputs()}

    def run(inputs: dict[str, NDArray[np.int64]]) -> NDArray[np.float32]:
        return np.array(session.run(None, {name: array for name, array in inputs.items() if name in names})[0])

    return run
