from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from litloop.core.errors import UsageError
from litloop.embedding import describe_embedder, load_embedder


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(UsageError, match="There is no embedder called bge-gigantic") as caught:
        load_embedder("bge-gigantic")
    for name in ("bge-small-en-v1.5", "all-MiniLM-L6-v2", "hashing-256"):
        assert name in str(caught.value)


def test_a_folder_is_used_under_its_own_name(tiny_model: Callable[..., Path]) -> None:
    folder = tiny_model("my-model")
    embedder = load_embedder(str(folder), runtime="onnxruntime")
    assert (embedder.name, embedder.dimension) == ("my-model", 8)
    assert embedder.embed_query("aspirin for the heart").shape == (8,)


def test_a_moved_folder_keeps_its_fingerprint(tiny_model: Callable[..., Path], tmp_path: Path) -> None:
    folder = tiny_model("my-model")
    before = describe_embedder(str(folder)).fingerprint
    moved = shutil.move(folder, tmp_path / "elsewhere" / "my-model")
    assert describe_embedder(str(moved)).fingerprint == before


def test_the_fingerprints_of_the_known_models_are_fixed() -> None:
    """They name the vectors of existing libraries: a change would ask every user to reindex."""
    assert describe_embedder("BAAI/bge-small-en-v1.5").fingerprint == "bge-small-en-v1.5-b35873be"


def test_the_fingerprint_of_minilm_is_fixed(minilm: object) -> None:
    assert describe_embedder("all-MiniLM-L6-v2").fingerprint == "all-MiniLM-L6-v2-9d867965"


def hub(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs `code` where the hub's client may not use the network."""
    variables = {**os.environ, "HF_HUB_OFFLINE": "1", **environment}
    return subprocess.run([sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=False)


def test_a_hub_that_cannot_be_reached_is_told_in_one_line(tmp_path: Path) -> None:
    pytest.importorskip("huggingface_hub")
    code = """
from litloop.embedding import load_embedder
from litloop.core.errors import UsageError
try:
    load_embedder("someone/some-model")
except UsageError as error:
    print(error)
"""
    told = hub(code, HF_HUB_CACHE=str(tmp_path)).stdout.strip()
    assert told.startswith("The model someone/some-model could not be downloaded from the hub (")
    assert "\n" not in told


def test_a_model_in_the_hubs_cache_needs_no_network(tiny_model: Callable[..., Path], tmp_path: Path) -> None:
    pytest.importorskip("huggingface_hub")
    revision = "0123456789abcdef0123456789abcdef01234567"
    repository = tmp_path / "hub" / "models--someone--some-model"
    shutil.copytree(tiny_model(), repository / "snapshots" / revision)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(revision)
    code = """
from litloop.embedding import load_embedder
embedder = load_embedder("someone/some-model")
print(embedder.name, embedder.embed_query("stroke").shape)
"""
    ran = hub(code, HF_HUB_CACHE=str(tmp_path / "hub"))
    assert ran.stdout.strip() == "someone/some-model (8,)", ran.stderr


def test_without_the_hubs_client_its_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(UsageError, match="pip install huggingface-hub"):
        load_embedder("someone/some-model")
