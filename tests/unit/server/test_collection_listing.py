from __future__ import annotations

import pytest

from litloop.core.settings import Settings
from litloop.server.collection_listing import web_enabled


@pytest.mark.parametrize(("web", "asked"), [
    ({}, False),
    ({"tavily": {"enabled": True, "api_key": "tvly-x"}}, True),
    ({"tavily": {"enabled": True, "api_key": ""}}, False),
    ({"searxng": {"enabled": True, "base_url": "http://127.0.0.1:8888"}}, True),
    ({"searxng": {"enabled": True}}, False),
    ({"tavily": {"enabled": True, "api_key": ""}, "searxng": {"enabled": True, "base_url": "http://127.0.0.1:8888"}}, True),
])  # fmt: skip
def test_the_web_counts_as_asked_when_an_engine_that_is_switched_on_has_what_it_needs(web, asked, monkeypatch):
    monkeypatch.delenv("TAVILY_API_KEY", raising=False)
    assert web_enabled(Settings(web=web)) is asked
