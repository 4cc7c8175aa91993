"""From a name to an embedder: known models, folders, the hub."""

from __future__ import annotations

import contextlib
import importlib.util
from pathlib import Path

from litloop.core.choices import Precision, RuntimeName
from litloop.core.errors import UsageError
from litloop.embedding.embedder import ModelEmbedder
from litloop.embedding.hashing import NAME as HASHING
from litloop.embedding.hashing import HashingEmbedder, describe_hashing
from litloop.embedding.known_models import KNOWN_MODELS, describe_known, known_model
from litloop.embedding.model_folder import ONNX_NAMES, SAFETENSORS, describe_folder
from litloop.embedding.spec import EmbedderSpec

# What a model's folder on the hub holds beside weights in formats we cannot run.
HUB_FILES = [*ONNX_NAMES, *(f"{name}?data" for name in ONNX_NAMES), "*.json", "1_Pooling/config.json"]


def load_embedder(
    name: str,
    *,
    runtime: RuntimeName = "auto",
    precision: Precision = "auto",
    batch_size: int = 32,
    threads: int = 0,
) -> ModelEmbedder | HashingEmbedder:
    """The embedder called `name`: a known name, the path of a model folder, or a model's name on the hub.

    Reads descriptions only; the model itself is loaded by the first call that embeds.
    `precision="f32"` computes in float32 on any CPU; "auto" takes bfloat16 where the CPU has it (three times
    as fast, cosine to float32 above .999). `batch_size` is the most texts in one request; `threads` 0 is all cores.

    Raises UsageError when there is no such model, MissingExtra when a package must be installed first,
    SourceError when a known model's file is damaged.
    """
    spec = describe_embedder(name)
    if spec.weights is None:
        return HashingEmbedder()
    return ModelEmbedder(spec, runtime=runtime, precision=precision, batch_size=batch_size, threads=threads)


def describe_embedder(name: str) -> EmbedderSpec:
    """What is known of an embedder without loading it, its fingerprint above all. Errors as in load_embedder."""
    if name == HASHING:
        return describe_hashing()
    known = known_model(name)
    if known:
        return describe_known(known)
    folder = Path(name).expanduser()
    if name.strip() and folder.is_dir():
        return describe_folder(folder, folder.resolve().name)
    if _may_be_on_hub(name):
        return describe_folder(_from_hub(name), name)
    raise UsageError(f"There is no embedder called {name}. {_choices()}")


def refuse_unknown(name: str) -> None:
    """Raise UsageError for a name that cannot be an embedder's, before anything is made. Nothing is read or downloaded,
    so a package that is not installed, or a name that the hub does not have, is found out by the first use."""
    folder = bool(name.strip()) and Path(name).expanduser().is_dir()
    if not (name == HASHING or known_model(name) or folder or _may_be_on_hub(name)):
        raise UsageError(f"There is no embedder called {name}. {_choices()}")


def _may_be_on_hub(name: str) -> bool:
    return name.count("/") == 1 and not name.startswith((".", "/", "~"))


def _choices() -> str:
    names = ", ".join([*(model.name for model in KNOWN_MODELS), HASHING])
    return f"Known are {names}; or give the path of a folder with model.onnx and tokenizer.json."


def _from_hub(name: str) -> Path:
    """The model's folder in the hub's cache, downloaded when it is not there yet."""
    if importlib.util.find_spec("huggingface_hub") is None:
        needed = "a download needs the hub's client: pip install huggingface-hub"
        raise UsageError(f"There is no folder {name}, and {needed}. {_choices()}")
    from huggingface_hub import snapshot_download

    with contextlib.suppress(Exception):  # not there, or not whole
        folder = Path(snapshot_download(name, local_files_only=True, allow_patterns=HUB_FILES))
        if (folder / "tokenizer.json").is_file():
            return folder
    try:
        folder = Path(snapshot_download(name, allow_patterns=HUB_FILES))
        if not any((folder / onnx).is_file() for onnx in ONNX_NAMES):
            # Only models without an ONNX file need their weights: most repositories hold the same ones five times.
            folder = Path(snapshot_download(name, allow_patterns=[*HUB_FILES, SAFETENSORS]))
    except Exception as error:  # network, access rights, no such model: the client has many errors
        reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise UsageError(f"The model {name} could not be downloaded from the hub ({reason}). {_choices()}") from error
    return folder
