"""What every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent

# A property is true or false, not fast or slow: a busy machine must not fail it.
settings.register_profile("litloop", deadline=None)
settings.load_profile("litloop")


@pytest.fixture(scope="session")
def test_data() -> Path:
    """The folder of real test data. A clone without it skips these tests; CI fails instead."""
    folder = Path(os.environ.get("LITLOOP_TEST_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        message = "The test data folder is absent: set LITLOOP_TEST_DATA to run this test."
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    return folder.resolve()
