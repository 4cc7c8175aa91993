"""The public names of the package."""

from __future__ import annotations

import subprocess
import sys

import pytest

import litloop.text as evidence


def test_every_public_name_can_be_imported() -> None:
    for name in dir(evidence):
        assert getattr(evidence, name).__name__ in (name, "tuple")


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="find_everything"):
        _ = evidence.find_everything


def test_cutting_sentences_loads_nothing_else() -> None:
    code = (
        "import sys, litloop.text.sentences\n"
        "heavy = {'numpy', 'pydantic', 'litloop.text.units', 'litloop.text.markers'} & set(sys.modules)\n"
        "print(sorted(heavy))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
