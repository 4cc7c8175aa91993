from __future__ import annotations

import asyncio
from contextlib import contextmanager

import httpx

from litloop.core.settings import load_settings
from litloop.net.rate_limits import SharedLimits
from litloop.net.transport import Transport
from litloop.scholarly.doctor import check_sources
from litloop.scholarly.protocol import ScholarlyQuery
from litloop.scholarly.registry import make_providers


def rows(limits: SharedLimits | None = None, **sections):
    settings = load_settings(environ={}, dotenv=None, **sections)
    return {row.name: row for row in check_sources(settings, limits or SharedLimits(None))}


def test_every_source_has_a_row():
    found = rows()
    assert list(found) == [
        "openalex", "semantic_scholar", "arxiv", "pubmed", "crossref", "europepmc", "unpaywall", "tavily", "searxng",
        "answers",
    ]  # fmt: skip
    assert found["openalex"].mend == "For more, set OPENALEX_API_KEY."
    assert (found["unpaywall"].state, found["unpaywall"].mend) == ("off", "Set LITLOOP_SCHOLARLY__MAILTO.")
    assert found["tavily"].state == "off"
    assert found["arxiv"].sentence == "arXiv is asked; it needs no key."


def test_keys_are_known_but_not_shown():
    found = rows(scholarly={"openalex": {"api_key": "k-0123456789"}, "crossref": {"enabled": False}})
    assert found["openalex"].sentence == "OpenAlex is asked with your key."
    assert found["crossref"].state == "off"
    assert "k-0123456789" not in repr(found)


def test_a_failure_of_today_is_told():
    with failed_at(None) as limits:
        assert rows(limits)["arxiv"].sentence == "arXiv cannot be reached. That was less than a minute ago."


def test_a_failure_at_another_address_does_not_colour_the_provider_itself(tmp_path):
    """A test world on this machine fails on purpose; the real arXiv is none the worse for it."""
    with failed_at("http://127.0.0.1:8999") as limits:
        assert rows(limits)["arxiv"].sentence == "arXiv is asked; it needs no key."
    with failed_at("http://127.0.0.1:8999") as limits:
        there = rows(limits, scholarly={"arxiv": {"base_url": "http://127.0.0.1:8999"}})
        assert there["arxiv"].sentence == "arXiv cannot be reached. That was less than a minute ago."


@contextmanager
def failed_at(base_url: str | None):
    """The limits after a real transport could not reach arXiv at `base_url`, None for its own."""

    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    own = {"base_url": base_url} if base_url else {}
    scholarly = load_settings(
        environ={}, dotenv=None, scholarly={"attempts": 1, "cache": False, "arxiv": own}
    ).scholarly
    limits = SharedLimits(None)

    async def ask() -> None:
        transport = Transport(scholarly, limits=limits, network=httpx.MockTransport(refuse))
        [provider] = make_providers(["arxiv"], scholarly, transport)
        assert (await provider.search(ScholarlyQuery("palsy", 5))).failure == "unreachable"

    asyncio.run(ask())
    yield limits


def test_a_web_engine_that_is_on_but_has_no_key_fails():
    found = rows(web={"tavily": {"enabled": True}, "searxng": {"enabled": True, "base_url": "http://127.0.0.1:8888"}})
    assert (found["tavily"].state, found["tavily"].mend) == ("fail", "Set TAVILY_API_KEY.")
    assert found["searxng"].state == "ok"


def test_answers_that_are_not_kept_are_said_so():
    assert rows(scholarly={"cache": False})["answers"].state == "off"
