"""Real endpoints on loopback: a small local model, and ways out that lead to a given address."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest

from litloop.core.settings import LLMSettings, Settings
from litloop.llm.model_request import RunContext
from litloop.llm.router import LLMRouter
from litloop.testing.stepped_clock import SteppedClock
from support.local_model import LocalModel, WeightsMissing, local_model


@pytest.fixture(scope="session")
def served() -> Iterator[LocalModel]:
    """SmolLM2-135M behind llama.cpp's server, started once. Absent weights fail in CI and skip elsewhere."""
    try:
        with local_model() as model:
            yield model
    except WeightsMissing as missing:
        if os.environ.get("CI"):
            pytest.fail(str(missing))
        pytest.skip(str(missing))


@pytest.fixture
def open_egress() -> Callable[..., LLMRouter]:
    """Ways out to one address, on a clock whose pauses take no time. `run` binds them to a run."""

    def build(
        base_url: str, *, run: RunContext | None = None, sections: dict | None = None, **llm: object
    ) -> LLMRouter:
        values = {"profile": "custom", "model": "scripted", "timeout_s": 120, **llm}
        settings = Settings(llm=LLMSettings(base_url=base_url, **values), **(sections or {}))
        router = LLMRouter.build(settings, clock=SteppedClock())
        return router.bind(run) if run else router

    return build
