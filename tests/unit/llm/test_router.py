import asyncio

import httpx
import pytest

from litloop.core.errors import SettingsError
from litloop.core.settings import (
    CompressionSettings,
    EgressPathSettings,
    EgressSettings,
    LLMSettings,
    Settings,
    load_settings,
)
from litloop.llm.chat import Message
from litloop.llm.model_request import RunContext
from litloop.llm.router import TASK_PATHS, LLMRouter
from litloop.llm.stored_replies import StoredReply
from litloop.testing.stepped_clock import SteppedClock

HELLO = [Message("user", "hi")]


class Service(httpx.AsyncBaseTransport):
    """A transport that answers by host, and keeps what was asked."""

    def __init__(self, **by_host):
        self.by_host = {host.replace("_", "."): answer for host, answer in by_host.items()}
        self.asked = []

    async def handle_async_request(self, request):
        self.asked.append(request)
        answer = self.by_host.get(request.url.host, 200)
        if isinstance(answer, Exception):
            raise answer
        body = {
            "model": "m",
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Yes."}}],
        }
        return httpx.Response(answer, json=body if answer == 200 else {"error": {"message": "no"}}, request=request)

    @property
    def hosts(self):
        return [request.url.host for request in self.asked]


class NoNetwork(httpx.AsyncBaseTransport):
    async def handle_async_request(self, request):
        raise AssertionError(f"{request.url} was called")


BOTH_KEYS = {"groq_api_key": "gsk_abcdefgh1234", "gemini_api_key": "AIzaabcdefgh1234"}
GROQ, GEMINI = "api.groq.com", "generativelanguage.googleapis.com"


def router(transport, settings=None, **values):
    return LLMRouter.build(settings or Settings(**values), clock=SteppedClock(), transport=transport)


def ask(way, path="direct", task="extract", **options):
    return asyncio.run(getattr(way, path).chat(HELLO, task=task, **options))


def test_without_a_key_everything_is_offline_and_nothing_is_called():
    way = router(NoNetwork())
    assert way.offline
    assert all(way.model_for(task) is None for task in TASK_PATHS)
    assert way.problems == ()


def test_short_prompts_go_by_the_proxy_path_and_answers_by_the_direct_one():
    way = router(NoNetwork(), **BOTH_KEYS)
    assert way.model_for("relevance") is way.proxy
    assert way.model_for("summarise") is way.direct
    assert way.model_for("something new") is way.direct


def test_a_role_that_is_set_offline_has_no_model():
    way = router(NoNetwork(), **BOTH_KEYS, llm=LLMSettings(roles={"hyde": "offline"}))
    assert way.model_for("hyde") is None
    assert way.model_for("relevance") is not None


@pytest.mark.parametrize("path", ["proxy", "direct"])
@pytest.mark.parametrize("failure", [401, 500, httpx.ConnectError("refused")])
def test_gemini_takes_over_when_groq_fails_on_either_path(path, failure):
    service = Service(**{"api_groq_com": failure})
    result = ask(router(service, **BOTH_KEYS), path)
    assert (result.content, result.provider, result.degraded) == ("Yes.", "gemini", False)
    assert service.hosts[-1] == GEMINI
    assert service.asked[-1].headers["authorization"] == "Bearer AIzaabcdefgh1234"


def test_fallbacks_and_failures_are_booked_under_one_call():
    calls = []
    way = router(Service(**{"api_groq_com": 500}), **BOTH_KEYS).bind(RunContext("r1", on_call=calls.append))
    result = ask(way)
    assert [(call.provider, call.attempt, call.outcome) for call in calls] == [
        ("groq", 1, "error"), ("groq", 2, "error"), ("groq", 3, "error"), ("gemini", 4, "ok"),
    ]  # fmt: skip
    assert {call.call_id for call in calls} == {result.call_id}
    assert {call.run_id for call in calls} == {"r1"}


def test_when_both_fail_the_reason_names_both():
    result = ask(router(Service(**{"api_groq_com": 401, "generativelanguage_googleapis_com": 401}), **BOTH_KEYS))
    assert result.degraded
    assert "GROQ_API_KEY" in result.reason
    assert "GEMINI_API_KEY" in result.reason


def test_the_three_ways_out_share_no_breaker():
    way = router(Service(**{"api_groq_com": 500}), **BOTH_KEYS, llm=LLMSettings(fallback=False))
    ask(way, "proxy", "relevance")
    ask(way, "proxy", "relevance")
    assert way.health()["proxy"][0].state == "open"
    assert way.health()["direct"][0].state == "closed"


def test_an_endpoint_that_keeps_failing_is_left_alone_and_then_tried_again():
    clock, service, calls = SteppedClock(), Service(**{"api_groq_com": 500}), []
    settings = Settings(
        **BOTH_KEYS,
        llm=LLMSettings(fallback=False, attempts=1),
        paths=EgressSettings(direct=EgressPathSettings(breaker_failures=2)),
    )
    way = LLMRouter.build(settings, clock=clock, transport=service).bind(RunContext(on_call=calls.append))
    ask(way), ask(way)
    result = ask(way)
    assert len(service.asked) == 2
    assert (result.outcome, calls[-1].outcome) == ("refused", "refused")
    assert "paused for 30 s" in result.reason
    clock.advance(30)
    service.by_host.clear()
    assert ask(way).content == "Yes."


def test_a_gateway_is_asked_on_its_path_only_and_the_result_says_so():
    service = Service()
    way = router(service, **BOTH_KEYS, paths=EgressSettings(proxy=EgressPathSettings(base_url="http://gateway:8080")))
    assert ask(way, "proxy", "relevance").via_gateway
    assert str(service.asked[-1].url) == "http://gateway:8080/v1/chat/completions"
    assert not ask(way, "direct").via_gateway
    assert service.hosts[-1] == GROQ


def test_a_gateway_that_is_down_is_gone_around():
    service = Service(gateway=httpx.ConnectError("refused"))
    way = router(service, **BOTH_KEYS, paths=EgressSettings(proxy=EgressPathSettings(base_url="http://gateway:8080")))
    result = ask(way, "proxy", "relevance")
    assert (result.provider, result.via_gateway, result.degraded) == ("groq", False, False)


def test_a_limit_of_the_provider_behind_the_gateway_is_not_met_twice():
    service = Service(gateway=429)
    way = router(service, **BOTH_KEYS, paths=EgressSettings(proxy=EgressPathSettings(base_url="http://gateway:8080")))
    assert ask(way, "proxy", "relevance").provider == "gemini"
    assert GROQ not in service.hosts


def test_a_profile_that_lacks_its_key_says_so_at_once_and_sends_nothing():
    way = router(NoNetwork(), llm=LLMSettings(profile="groq"))
    assert way.problems == ("The profile groq has no key: set GROQ_API_KEY.",)
    result = ask(way)
    assert (result.degraded, result.outcome, result.attempts) == (True, "refused", 0)
    assert result.reason == "The profile groq has no key: set GROQ_API_KEY."


def test_roles_of_one_provider_share_its_connections_but_not_its_model():
    service = Service()
    way = router(
        service, **BOTH_KEYS, llm=LLMSettings(roles={"summarise": "llama-3.3-70b-versatile", "citation": "gemini/g"})
    )
    ask(way, task="summarise")
    ask(way, task="citation")
    assert [health.endpoint for health in way.health()["direct"]] == ["groq", "gemini"]
    assert b"llama-3.3-70b-versatile" in service.asked[0].content
    assert service.hosts == [GROQ, GEMINI]


class RepliesInMemory:
    """A ReplyStore that lives as long as the test."""

    def __init__(self) -> None:
        self.replies: dict[str, StoredReply] = {}

    def get(self, key: str) -> StoredReply | None:
        return self.replies.get(key)

    def put(self, reply: StoredReply) -> None:
        self.replies[reply.key] = reply


def test_a_cached_reply_is_not_asked_for_again():
    service, calls = Service(), []
    way = router(service, **BOTH_KEYS).bind(RunContext(on_call=calls.append, replies=RepliesInMemory()))
    first, second = ask(way), ask(way)
    assert (first.content, second.content) == ("Yes.", "Yes.")
    assert len(service.asked) == 1
    assert [(call.outcome, call.cost == 0) for call in calls] == [("ok", False), ("cached", True)]


def test_what_is_asked_with_chance_is_not_cached():
    service = Service()
    way = router(service, **BOTH_KEYS).bind(RunContext(replies=RepliesInMemory()))
    ask(way, temperature=0.7)
    ask(way, temperature=0.7)
    assert len(service.asked) == 2


@pytest.mark.parametrize(
    ("options", "name"),
    [
        (CompressionSettings(), "extractive"),
        (CompressionSettings(kind="off"), "off"),
        (CompressionSettings(kind="paritok"), "paritok"),
        (CompressionSettings(base_url="http://127.0.0.1:9/api"), "paritok"),
        (CompressionSettings(api_key="abcdef"), "paritok"),
        (CompressionSettings(kind="extractive", api_key="abcdef"), "extractive"),
    ],
)
def test_the_compressor_is_what_is_set_or_what_the_keys_say(options, name):
    assert router(NoNetwork(), compression=options).compressor.name == name


def test_prompts_for_gemini_are_compressed_like_those_for_groq():
    only_gemini = router(NoNetwork(), gemini_api_key="AIzaabcdefgh1234")
    assert only_gemini.compressor.name == router(NoNetwork(), **BOTH_KEYS).compressor.name


@pytest.mark.parametrize(
    "url", ["localhost:8080", "ftp://host/v1", "http://", "http://host:port/v1", "http://a b/v1", "http://[::1"]
)
def test_a_malformed_address_is_one_sentence_when_the_settings_are_read(url):
    with pytest.raises(
        SettingsError, match=r"^The setting llm.base_url is wrong: not an address such as https://host/v1"
    ):
        load_settings(environ={"LITLOOP_LLM__BASE_URL": url}, dotenv=None)


def test_an_unknown_profile_is_one_sentence_when_the_settings_are_read():
    with pytest.raises(SettingsError, match=r"^The setting llm.profile is wrong: it must be 'auto', 'groq'"):
        load_settings(environ={"LITLOOP_LLM__PROFILE": "grok"}, dotenv=None)


def test_closing_twice_is_harmless():
    way = router(Service(), **BOTH_KEYS, compression=CompressionSettings(kind="paritok"))

    async def close():
        await way.direct.chat(HELLO, task="extract")
        await way.aclose()
        await way.aclose()

    asyncio.run(close())


def test_a_watcher_that_breaks_does_not_break_the_call():
    def broken(_call):
        raise RuntimeError("the ledger is gone")

    way = router(Service(), **BOTH_KEYS).bind(RunContext(on_call=broken))
    assert ask(way).content == "Yes."


def test_a_fault_of_our_own_is_a_degraded_result_and_no_exception():
    way = router(Service(), **BOTH_KEYS)
    way.direct.routes_for("extract")[0].client.count = None
    result = ask(way)
    assert (result.degraded, result.outcome) == (True, "error")
    assert result.reason == "The call failed inside litloop (TypeError)."
