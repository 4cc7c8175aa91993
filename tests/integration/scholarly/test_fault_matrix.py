"""Each database in each trouble, over real sockets: what is asked again, what is given up, and what the reply says."""

from __future__ import annotations

import pytest

from litloop.scholarly.protocol import ProviderReply, ScholarlyQuery
from litloop.testing.scholarly_world import InjectedFault, ScholarlyWorld, scholarly_world
from litloop.testing.stepped_clock import SteppedClock
from support.scholarly_world import SIX, providers, scholarly_settings, small_literature, way_out

MYELIN = ScholarlyQuery("myelin repair")


@pytest.fixture(scope="module")
def world():
    with scholarly_world(small_literature()) as made:
        yield made


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def ask(world: ScholarlyWorld, name: str, *troubles: InjectedFault, query=MYELIN, **settings) -> ProviderReply:
    world.trouble(name, *troubles)
    chosen = scholarly_settings(**world.settings(**settings))
    async with way_out(chosen) as transport:
        try:
            return await providers(chosen, transport, name)[0].search(query)
        finally:
            world.trouble(name)


@pytest.mark.anyio
@pytest.mark.parametrize("name", SIX)
async def test_a_healthy_provider_gives_its_works_in_its_own_order(world, name):
    reply = await ask(world, name)
    assert reply.failure is None
    assert reply.works
    assert [work.rank for work in reply.works] == list(range(1, len(reply.works) + 1))
    assert all(work.provider == name and work.query == MYELIN.text for work in reply.works)


@pytest.mark.anyio
@pytest.mark.parametrize("name", SIX)
async def test_a_burst_is_waited_for(world, name):
    reply = await ask(world, name, InjectedFault("burst", 2, retry_after_s=2))
    assert reply.failure is None
    assert reply.requests >= 3


@pytest.mark.anyio
@pytest.mark.parametrize("name", SIX)
async def test_a_burst_that_does_not_end_is_named(world, name):
    reply = await ask(world, name, InjectedFault("burst"))
    assert (reply.failure, reply.works) == ("rate_limited", ())
    assert reply.requests == 3


@pytest.mark.anyio
@pytest.mark.parametrize("name", SIX)
async def test_a_spent_budget_is_told_at_once_and_nobody_asks_again(world, name):
    world.trouble(name, InjectedFault("exhausted"))
    clock, chosen = SteppedClock(), scholarly_settings(**world.settings())
    before = len(world.asked(name))
    async with way_out(chosen, clock=clock) as transport:
        provider = providers(chosen, transport, name)[0]
        first, second = await provider.search(MYELIN), await provider.search(ScholarlyQuery("migraine"))
    world.trouble(name)
    assert first.failure == second.failure == "exhausted"
    assert "hours" in first.reason or "minutes" in first.reason or " s (" in first.reason
    assert len(world.asked(name)) - before == 1
    assert clock.pauses == []


@pytest.mark.anyio
@pytest.mark.parametrize("name", SIX)
async def test_a_server_error_is_asked_again_and_then_named(world, name):
    once = await ask(world, name, InjectedFault("server_error", 1))
    assert once.failure is None
    always = await ask(world, name, InjectedFault("server_error"))
    assert (always.failure, always.requests) == ("server_error", 3)


@pytest.mark.anyio
@pytest.mark.parametrize("name", SIX)
async def test_a_silent_provider_is_a_timeout(world, name):
    reply = await ask(world, name, InjectedFault("hang"), timeout_s=0.05, attempts=2)
    assert (reply.failure, reply.requests) == ("timeout", 2)


@pytest.mark.anyio
@pytest.mark.parametrize("name", SIX)
async def test_a_page_where_data_was_expected_is_malformed_and_not_asked_again(world, name):
    reply = await ask(world, name, InjectedFault("page"))
    assert (reply.failure, reply.requests) == ("malformed", 1)
    assert "HTML page" in reply.reason


@pytest.mark.anyio
@pytest.mark.parametrize("name", SIX)
async def test_a_truncated_answer_is_asked_for_again(world, name):
    once = await ask(world, name, InjectedFault("truncated", 1))
    assert once.failure is None
    assert once.requests >= 2
    always = await ask(world, name, InjectedFault("truncated"))
    assert always.failure == "malformed"


@pytest.mark.anyio
@pytest.mark.parametrize("name", SIX)
async def test_an_empty_body_is_never_an_empty_literature(world, name):
    reply = await ask(world, name, InjectedFault("empty"))
    assert (reply.failure, reply.works) == ("malformed", ())


@pytest.mark.anyio
@pytest.mark.parametrize("name", SIX)
async def test_a_refusal_is_not_asked_again(world, name):
    reply = await ask(world, name, InjectedFault("refused"))
    assert (reply.failure, reply.requests) == ("refused", 1)


@pytest.mark.anyio
@pytest.mark.parametrize("name", SIX)
async def test_a_redirect_to_another_host_is_not_followed(world, name):
    reply = await ask(world, name, InjectedFault("redirect"))
    assert (reply.failure, reply.requests) == ("refused", 1)


@pytest.mark.anyio
@pytest.mark.parametrize("name", SIX)
@pytest.mark.parametrize(
    "odd",
    ['Déjà vu (temporal) "lobe" [epilepsy]', "β-amyloid & <myelin>: AND OR NOT", "p<0.05\n\t\x00 \U0001f9e0 髓鞘 'x'"],
)
async def test_odd_characters_in_a_query_break_no_provider(world, name, odd):
    reply = await ask(world, name, query=ScholarlyQuery(odd))
    assert reply.failure is None


@pytest.mark.anyio
@pytest.mark.parametrize("name", SIX)
async def test_a_question_without_content_words_is_told_so_without_a_call(world, name):
    before = len(world.asked(name))
    reply = await ask(world, name, query=ScholarlyQuery("how and why?"))
    assert reply.failure == "refused"
    assert len(world.asked(name)) == before


@pytest.mark.anyio
@pytest.mark.parametrize("name", SIX)
async def test_years_are_kept_to(world, name):
    reply = await ask(world, name, query=ScholarlyQuery("migraine myelin", since=2005, until=2007))
    assert reply.failure is None
    assert all(2005 <= work.year <= 2007 for work in reply.works)
    nothing = await ask(world, name, query=ScholarlyQuery("migraine myelin", since=2090))
    assert (nothing.failure, nothing.works) == (None, ())


@pytest.mark.anyio
async def test_an_empty_feed_of_arxiv_is_asked_for_once_more_and_then_believed(world):
    before = len(world.asked("arxiv"))
    reply = await ask(world, "arxiv", query=ScholarlyQuery("zyzzyva"))
    assert (reply.failure, reply.works) == (None, ())
    assert len(world.asked("arxiv")) - before == 2


@pytest.mark.anyio
async def test_all_words_that_stand_in_no_record_become_any_words(world):
    query = ScholarlyQuery("myelin propranolol astrocytes triptans")
    for name in ("pubmed", "europepmc"):
        assert (await ask(world, name, query=query)).works
