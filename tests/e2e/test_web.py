"""The web from the command line: switched on by the environment, asked on request, shown with its address."""

from __future__ import annotations

from pathlib import Path

import pytest

from litloop.testing.scholarly_world import scholarly_world
from support.cli import HASHING, litloop
from support.scholarly_world import small_literature


@pytest.fixture(scope="module")
def world():
    with scholarly_world(small_literature()) as made:
        yield made


def test_search_shows_pages_with_their_address_and_local_wins_over_web(tmp_path: Path, world):
    papers, library = tmp_path / "papers", tmp_path / "library"
    papers.mkdir()
    (papers / "asthma.md").write_text(
        "# Asthma\n\nInhaled corticosteroids reduce attacks of asthma.\n", encoding="utf-8"
    )
    environ = {
        **HASHING, **world.environment(), "LITLOOP_CACHE": str(tmp_path / "cache"),
        "TAVILY_ENABLED": "true", "TAVILY_API_KEY": "tvly-0123456789abcdef",
    }  # fmt: skip
    litloop("add", papers, "--library", library, env=environ)
    asked = litloop("search", "sumatriptan for migraine", "--web", "--library", library, env=environ)
    assert "https://example.org/papers/W" in asked.out
    assert len(world.asked("tavily")) == 1
    kept = litloop(
        "search", "sumatriptan for migraine", "--web", "--local", "--json", "--library", library, env=environ
    )
    answer = kept.json()
    assert not answer["web_results_used"]
    assert answer["warning"].endswith("Local only: the web was not searched.")
    assert {result["source"] for result in answer["results"]} == {"local"}
    answered = litloop(
        "ask", "Does sumatriptan relieve migraine?", "--web", "--local", "--library", library, env=environ
    )
    assert "example.org" not in answered.out
    assert len(world.asked("tavily")) == 1
