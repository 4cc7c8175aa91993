"""The one way out: identification, keys, limits, cache, redirects, sizes, the breaker."""

from __future__ import annotations

import logging
import subprocess
import sys

import httpx
import pytest

from litloop.core.clock import SystemClock
from litloop.net.rate_limits import SharedLimits
from litloop.net.response_cache import ResponseCache
from litloop.scholarly.protocol import ScholarlyQuery
from litloop.testing.scholarly_world import InjectedFault, scholarly_world
from litloop.testing.stepped_clock import SteppedClock
from support.scholarly_world import providers, scholarly_settings, small_literature, way_out

MYELIN = ScholarlyQuery("myelin repair")
KEY = "s3cret-key-0123456789"


@pytest.fixture(scope="module")
def world():
    with scholarly_world(small_literature()) as made:
        yield made


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def canned(answer: httpx.Response | list[httpx.Response]) -> tuple[httpx.MockTransport, list[httpx.Request]]:
    """A network that gives these answers in turn (the last one repeats) and keeps what it was asked."""
    answers, asked = answer if isinstance(answer, list) else [answer], []

    def handle(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        made = answers.pop(0) if len(answers) > 1 else answers[0]
        return httpx.Response(made.status_code, headers=made.headers, content=made.content)

    return httpx.MockTransport(handle), asked


@pytest.mark.anyio
async def test_every_request_says_who_calls(world):
    settings = scholarly_settings(**world.settings())
    before = len(world.requests)
    async with way_out(settings) as transport:
        for provider in providers(settings, transport):
            await provider.search(MYELIN)
    asked = world.requests[before:]
    assert {request.database for request in asked} == {
        "openalex", "semantic_scholar", "arxiv", "pubmed", "crossref", "europepmc",
    }  # fmt: skip
    assert all("litloop/" in r.headers["user-agent"] and "reader@example.org" in r.headers["user-agent"] for r in asked)
    told = {r.database: r.params for r in asked}
    assert told["openalex"]["mailto"] == told["crossref"]["mailto"] == told["pubmed"]["email"] == "reader@example.org"


@pytest.mark.anyio
@pytest.mark.parametrize("name", ["openalex", "semantic_scholar", "pubmed"])
async def test_a_key_is_sent_and_never_shown_or_kept(name, world, tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    places = world.settings()
    places[name] = {**places[name], "api_key": KEY}
    settings = scholarly_settings(**places)
    cache, limits = ResponseCache(tmp_path / "kept.db", hours=1, megabytes=50), SharedLimits(tmp_path / "limits.db")
    async with way_out(settings, cache=cache, limits=limits) as transport:
        provider = providers(settings, transport, name)[0]
        good = await provider.search(MYELIN)
        world.trouble(name, InjectedFault("refused"))
        refused = await provider.search(ScholarlyQuery("migraine"))
        world.trouble(name)
    sent = world.asked(name)[-1]
    assert KEY in [*sent.params.values(), *sent.headers.values()]
    assert good.failure is None
    assert KEY not in repr((good, refused, provider, vars(provider), settings)) + caplog.text
    assert refused.reason.endswith("refused the key (403).")
    assert all(KEY.encode() not in file.read_bytes() for file in tmp_path.iterdir() if file.is_file())


@pytest.mark.anyio
async def test_what_was_understood_is_kept_and_asked_for_once(world, tmp_path):
    settings = scholarly_settings(**world.settings())
    before = len(world.asked("openalex"))
    for _ in range(2):  # a second process, as far as the cache can tell
        cache = ResponseCache(tmp_path / "kept.db", hours=1, megabytes=50)
        async with way_out(settings, cache=cache) as transport:
            reply = await providers(settings, transport, "openalex")[0].search(MYELIN)
    assert reply.cached
    assert reply.works
    assert len(world.asked("openalex")) - before == 1


@pytest.mark.anyio
async def test_a_page_in_place_of_data_is_not_kept(world, tmp_path):
    settings = scholarly_settings(**world.settings())
    world.trouble("crossref", InjectedFault("page", 1))
    cache = ResponseCache(tmp_path / "kept.db", hours=1, megabytes=50)
    async with way_out(settings, cache=cache) as transport:
        provider = providers(settings, transport, "crossref")[0]
        assert (await provider.search(MYELIN)).failure == "malformed"
        assert (await provider.search(MYELIN)).works


@pytest.mark.anyio
async def test_answers_grow_old(world, tmp_path):
    settings = scholarly_settings(**world.settings())
    cache = ResponseCache(tmp_path / "kept.db", hours=1e-9, megabytes=50)
    async with way_out(settings, cache=cache) as transport:
        provider = providers(settings, transport, "openalex")[0]
        await provider.search(MYELIN)
        assert not (await provider.search(MYELIN)).cached


@pytest.mark.anyio
async def test_a_body_over_the_limit_is_not_read_to_its_end():
    bomb = httpx.Response(200, content=b'{"results": [' + b" " * 3_000_000 + b"]}")
    network, _ = canned(bomb)
    settings = scholarly_settings(max_response_mb=1, attempts=1)
    async with way_out(settings, network=network) as transport:
        reply = await providers(settings, transport, "openalex")[0].search(MYELIN)
    assert reply.failure == "malformed"
    assert "more than 1 MB" in reply.reason


@pytest.mark.anyio
@pytest.mark.parametrize(
    "place",
    [
        "http://169.254.169.254/latest",
        "file:///etc/passwd",
        "https://evil.example/works",
        "http://api.openalex.org/works",
    ],
)
async def test_a_redirect_never_leads_elsewhere_or_down_to_http(place):
    network, asked = canned(httpx.Response(302, headers={"location": place}))
    settings = scholarly_settings()
    async with way_out(settings, network=network) as transport:
        reply = await providers(settings, transport, "openalex")[0].search(MYELIN)
    assert reply.failure == "refused"
    assert len(asked) == 1


@pytest.mark.anyio
async def test_a_redirect_within_the_host_is_followed():
    moved = httpx.Response(301, headers={"location": "/v2/works"})
    network, asked = canned([moved, httpx.Response(200, json={"meta": {"count": 0}, "results": []})])
    settings = scholarly_settings()
    async with way_out(settings, network=network) as transport:
        reply = await providers(settings, transport, "openalex")[0].search(MYELIN)
    assert reply.failure is None
    assert [request.url.path for request in asked] == ["/works", "/v2/works"]


@pytest.mark.anyio
async def test_several_failures_in_a_row_give_a_provider_a_rest():
    network, asked = canned(httpx.Response(500))
    clock, settings = SteppedClock(), scholarly_settings(breaker_failures=2, breaker_cooldown_s=60, attempts=1)
    async with way_out(settings, network=network, clock=clock) as transport:
        provider = providers(settings, transport, "crossref")[0]
        kinds = [(await provider.search(ScholarlyQuery(f"myelin {n}"))).failure for n in range(3)]
        assert kinds == ["server_error", "server_error", "breaker_open"]
        clock.advance(61)
        assert (await provider.search(ScholarlyQuery("myelin again"))).failure == "server_error"
    assert len(asked) == 3


@pytest.mark.anyio
async def test_a_pause_longer_than_the_time_left_is_not_begun():
    network, asked = canned(httpx.Response(429, headers={"retry-after": "7"}))
    clock, settings = SteppedClock(), scholarly_settings(provider_deadline_s=5)
    async with way_out(settings, network=network, clock=clock) as transport:
        reply = await providers(settings, transport, "crossref")[0].search(MYELIN)
    assert reply.failure == "rate_limited"
    assert (len(asked), clock.pauses) == (1, [])


@pytest.mark.anyio
async def test_no_network_is_unreachable_in_one_sentence():
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("no route to host")

    settings = scholarly_settings()
    async with way_out(settings, network=httpx.MockTransport(refuse)) as transport:
        reply = await providers(settings, transport, "arxiv")[0].search(MYELIN)
    assert (reply.failure, reply.reason) == ("unreachable", "arXiv cannot be reached.")


@pytest.mark.anyio
async def test_unpaywall_without_an_address_says_what_to_set():
    settings = scholarly_settings()
    async with way_out(settings) as transport:
        reply = await providers(settings, transport, "unpaywall")[0].by_ids({"doi": "10.1000/glia.0"})
    assert reply.failure == "refused"
    assert "LITLOOP_SCHOLARLY__MAILTO" in reply.reason


@pytest.mark.anyio
async def test_open_copies_are_found_by_doi(world):
    settings = scholarly_settings(**world.settings())
    async with way_out(settings) as transport:
        reply = await providers(settings, transport, "unpaywall")[0].by_ids(
            [{"doi": paper.ids["doi"]} for paper in small_literature()]
        )
    assert reply.failure is None
    assert any(work.full_texts for work in reply.works)


@pytest.mark.anyio
@pytest.mark.parametrize("name", ["openalex", "semantic_scholar", "pubmed", "crossref", "europepmc"])
async def test_works_are_found_by_every_id_a_provider_knows(world, name):
    settings = scholarly_settings(**world.settings())
    async with way_out(settings) as transport:
        provider = providers(settings, transport, name)[0]
        found = (await provider.search(ScholarlyQuery("migraine"))).works
        for kind in provider.by:
            known = [work for work in found if kind in work.ids]
            reply = await provider.by_ids([*({kind: work.ids[kind]} for work in known), {kind: "nonsense"}])
            assert {work.ids[kind] for work in reply.works} == {work.ids[kind] for work in known}
            assert reply.failure is None


@pytest.mark.anyio
async def test_what_was_found_by_one_kind_of_id_outlives_a_failure_with_another(world):
    settings = scholarly_settings(**world.settings(attempts=1))
    async with way_out(settings) as transport:
        provider = providers(settings, transport, "openalex")[0]
        found = (await provider.search(ScholarlyQuery("migraine"))).works
        world.trouble("openalex", InjectedFault("server_error", 1))
        ids = [{"doi": found[0].ids["doi"]}, {"openalex": found[1].ids["openalex"]}]
        reply = await provider.by_ids(ids)
        world.trouble("openalex")
    assert (len(reply.works), reply.failure) == (1, "server_error")


@pytest.mark.anyio
async def test_citing_works_and_references_are_found(world):
    settings = scholarly_settings(**world.settings())
    async with way_out(settings) as transport:
        openalex, scholar = providers(settings, transport, "openalex", "semantic_scholar")
        every = {w.ids["openalex"]: w for w in (await openalex.search(ScholarlyQuery("myelin migraine lobe"))).works}
        cited = next(r for work in every.values() for r in work.references if r in every)
        citing = await openalex.citing({"openalex": cited})
        assert cited in {reference for work in citing.works for reference in work.references}
        by_doi = await openalex.citing({"doi": every[cited].ids["doi"]})
        assert [work.ids for work in by_doi.works] == [work.ids for work in citing.works]
        citing = next(work for work in every.values() if work.references and "doi" in work.ids)
        cites = await scholar.references({"doi": citing.ids["doi"]})
        assert cites.failure is None
        assert (await scholar.citing({"s2": "0" * 40})).works == ()


# The clock stands still, so that what is told is the queue and not how busy the machine is.
_CALLER = """
import sys
from pathlib import Path
from litloop.net.rate_limits import SharedLimits
limits = SharedLimits(Path(sys.argv[1]), now=lambda: 1e9)
print(*(limits.take_turn("arxiv", 3, 60).wait_s for _ in range(5)))
"""


def test_two_processes_stand_in_one_queue(tmp_path):
    place = str(tmp_path / "limits.db")
    callers = [
        subprocess.Popen([sys.executable, "-c", _CALLER, place], stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    waits = [float(wait) for caller in callers for wait in caller.communicate(timeout=120)[0].split()]
    assert sorted(waits) == [3.0 * place for place in range(10)]


@pytest.mark.anyio
async def test_arxiv_is_called_three_seconds_apart_and_a_server_of_ones_own_as_fast_as_it_can():
    feed = b'<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>http://arxiv.org/abs/2002.00741v1</id><title>T</title></entry></feed>'
    network, asked = canned(httpx.Response(200, content=feed))
    clock, settings = SteppedClock(), scholarly_settings()
    limits = SharedLimits(None, now=clock.now)
    async with way_out(settings, network=network, clock=clock, limits=limits) as transport:
        provider = providers(settings, transport, "arxiv")[0]
        for number in range(3):
            assert (await provider.search(ScholarlyQuery(f"myelin {number}"))).works
    assert clock.pauses == [3.0, 3.0]
    local, clock = scholarly_settings(arxiv={"base_url": "http://127.0.0.1:9"}), SteppedClock()
    async with way_out(local, network=network, clock=clock, limits=limits) as transport:
        await providers(local, transport, "arxiv")[0].search(MYELIN)
    assert clock.pauses == []
    assert asked[-1].url.path == "/api/query"


@pytest.mark.anyio
async def test_a_world_that_limits_is_kept_pace_with():
    with scholarly_world(small_literature(), intervals_s={"crossref": 0.1}) as world:
        places = world.settings()
        places["crossref"] = {**places["crossref"], "min_interval_s": 0.15}
        settings = scholarly_settings(**places)
        async with way_out(settings, clock=SystemClock()) as transport:
            provider = providers(settings, transport, "crossref")[0]
            replies = [await provider.search(ScholarlyQuery(f"myelin {n}")) for n in range(3)]
    assert all(reply.failure is None for reply in replies)
