"""The small searches of the tests of retrieval, which these rank anew."""

from __future__ import annotations

from unit.retrieval.conftest import analyser, build, embedder  # noqa: F401 (fixtures)
