"""The client of one endpoint on one path, with connections, a breaker and a record of its health of its own."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from litloop.core.errors import LitloopError
from litloop.core.logs import redact, without_secrets
from litloop.llm.chat import ChatRequest, Message
from litloop.llm.dialect import Dialect, first_dialect
from litloop.llm.faults import (
    AttemptFailed,
    ModelFault,
    cut_off,
    empty_reply,
    fault_in_body,
    fault_of,
    not_compatible,
    refused,
    thought_only,
    timed_out,
    too_large,
)
from litloop.llm.profiles import Endpoint, without_version
from litloop.llm.tokens import TokenCounter, count_messages, counter_for
from litloop.llm.wire_reply import EndWatch, Reply
from litloop.net.breaker import Breaker, State
from litloop.net.proxies import proxies_understood

if TYPE_CHECKING:
    import httpx
    import openai

CHARACTERS_BETWEEN_COUNTS = 400  # of a reply that may be longer than it was allowed to be
# Models that are known to think before they answer. Others are recognised by what they send.
_REASONING = re.compile(
    r"(?:^|/)(?:o\d|gpt-5|gpt-oss|deepseek-r1|qwq|magistral)|\bthinking\b|\breasoning\b|-r1\b", re.IGNORECASE
)
LONGEST_REPLY = 2_000_000  # characters; a server that never ends is cut off by this or by the clock
LARGEST_REPLY = 16_000_000  # bytes of a reply in one piece: eight for each character, escapes and counts included
_LONGEST_NAME = 200  # characters of a model's name, and of why a reply ended
_CONNECT_S = 5.0
_COUNTING_S = 2.0


@dataclass(frozen=True, slots=True)
class Health:
    """What a client has lived through since it was opened."""

    endpoint: str
    state: State
    calls: int
    failures: int
    last_fault: str | None
    rests_for_s: float

    @property
    def failing(self) -> bool:
        """Whether nothing comes from it now: it rests after failures, or no call ever worked."""
        return self.last_fault is not None and (self.state != "closed" or self.failures >= self.calls)


class EndpointClient:
    """Sends single attempts to one endpoint. Used from one event loop only."""

    def __init__(
        self,
        endpoint: Endpoint,
        breaker: Breaker,
        *,
        timeout_s: float,
        transport: httpx.AsyncBaseTransport | None = None,
        lister: EndpointClient | None = None,
    ) -> None:
        """`lister` is the client that knows which models there are, where that is another one (a gateway does not)."""
        self.endpoint = endpoint
        self._lister = lister
        self.breaker = breaker
        self.timeout_s = timeout_s
        self._transport = transport
        self._http: httpx.AsyncClient | None = None
        self._client: openai.AsyncOpenAI | None = None
        self._opening = asyncio.Lock()
        self._dialects: dict[str, Dialect] = {}
        self._served_model: str | None = None
        self._served_tokens = endpoint.profile in {"llamacpp", "custom"}
        self._calls = 0
        self._failures = 0
        self._reasoning: set[str] = set()
        self._last_fault: str | None = None

    # --- one attempt ---------------------------------------------------------------------------------------

    def dialect(self, model: str) -> Dialect:
        return self._dialects.get(model) or first_dialect(self.endpoint, model)

    async def attempt(
        self, request: ChatRequest, model: str, dialect: Dialect, *, seconds: float, reply: Reply
    ) -> None:
        """Fill `reply`, or raise AttemptFailed. What had arrived before a failure or a cancellation stays in `reply`.

        Leaving early, for whatever cause, closes the connection: that is how the other side learns to stop.
        """
        self._calls += 1
        try:
            async with asyncio.timeout(seconds):
                await self._exchange(request, model, dialect, seconds, reply)
        except asyncio.CancelledError:
            self.breaker.abandoned()
            raise
        except AttemptFailed as failure:
            raise self._noted(failure.fault) from None
        except TimeoutError:
            raise self._noted(timed_out(self.endpoint, seconds)) from None
        except Exception as error:
            raise self._noted(fault_of(error, self.endpoint, model, seconds)) from error
        self.breaker.succeeded()
        self._dialects[model] = dialect

    async def _exchange(self, request: ChatRequest, model: str, dialect: Dialect, seconds: float, reply: Reply) -> None:
        client = await self._opened()
        raw = await client.chat.completions.with_raw_response.create(
            **dialect.body(request, model), timeout=seconds, extra_headers={"Accept-Encoding": "identity"}
        )
        response: Any = raw.http_response
        try:
            kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind == "text/event-stream":
                ended = EndWatch(response)
                await self._read_stream(raw, reply, request.max_tokens, counter_for(model).count)
                if reply.finish_reason is None and ended.seen:  # it ended, and did not say why
                    reply.finish_reason = "stop"
            elif kind == "application/json" or not kind:
                self._read_whole(json.loads(await self._body(response)), reply, model)
            else:
                raise AttemptFailed(not_compatible(self.endpoint, kind or "no content type"))
        finally:
            await response.aclose()
        if reply.finish_reason is None:
            raise AttemptFailed(cut_off(self.endpoint))
        self._settled(request, reply)
        had_room = self.reasons(model)
        only_thought = not reply.content.strip() and reply.finish_reason == "length"
        if reply.reasoned or only_thought:
            self._reasoning.add(model)
        if only_thought and not had_room:  # the next attempt leaves room for thinking
            raise AttemptFailed(thought_only(self.endpoint, model))
        if not reply.content.strip() and reply.finish_reason != "length":
            raise AttemptFailed(empty_reply(self.endpoint))

    async def _body(self, response: Any) -> bytes:
        """A whole reply, no larger than any honest one is: one without end would fill memory."""
        body = bytearray()
        async for part in response.aiter_bytes():
            body += part
            if len(body) > LARGEST_REPLY:
                raise AttemptFailed(too_large(self.endpoint, LARGEST_REPLY // 1_000_000))
        return bytes(body)

    def _settled(self, request: ChatRequest, reply: Reply) -> None:
        """A reply that has ended: a key of ours that it repeats is taken out before anything keeps it."""
        if request.shape and reply.finish_reason != "length":
            reply.take_thoughts_for_the_answer()
        reply.parts = [without_secrets(reply.content)]
        reply.model = redact(reply.model)[:_LONGEST_NAME]
        reply.finish_reason = redact(str(reply.finish_reason))[:_LONGEST_NAME]
        if reply.refusal.strip() and not reply.content.strip():
            raise AttemptFailed(refused(self.endpoint, reply.refusal))

    def reasons(self, model: str) -> bool:
        """Whether a model thinks before it answers: by its name, or because it was seen to."""
        return model in self._reasoning or bool(_REASONING.search(model))

    async def _read_stream(self, raw: Any, reply: Reply, max_tokens: int, count: Callable[[str], int]) -> None:
        """Read until the end, or until the reply is longer than it was allowed to be: some servers ignore the limit."""
        looked_at = 0
        async for chunk in raw.parse():
            reply.model = chunk.model or reply.model
            reply.take_usage(chunk.usage)
            for choice in chunk.choices or ():
                if choice.delta:
                    reply.take(choice.delta)
                reply.finish_reason = choice.finish_reason or reply.finish_reason
            if reply.length - looked_at > CHARACTERS_BETWEEN_COUNTS and reply.length > max_tokens:
                looked_at = reply.length
                if count(reply.content) > max_tokens:
                    reply.finish_reason, reply.usage = "length", None
                    return
            if reply.length > LONGEST_REPLY:
                raise AttemptFailed(not_compatible(self.endpoint, "an answer without an end"))

    def _read_whole(self, body: Any, reply: Reply, model: str) -> None:
        """A server may answer a request for a stream with one JSON object."""
        if isinstance(body, dict) and body.get("error"):
            raise AttemptFailed(fault_in_body(body, self.endpoint, model))
        choice = body["choices"][0]
        reply.model = body.get("model") or ""
        reply.finish_reason = choice.get("finish_reason") or "stop"
        reply.take_usage(body.get("usage"))
        reply.take(choice["message"])

    def _noted(self, fault: ModelFault) -> AttemptFailed:
        if fault.other_side:
            self._failures += 1
            self._last_fault = fault.sentence
            self.breaker.failed()
        else:
            self.breaker.abandoned()
        return AttemptFailed(fault)

    # --- what is asked beside chats ------------------------------------------------------------------------

    async def models(self, *, seconds: float) -> list[str]:
        """The ids of the models that the endpoint says it has. Raises AttemptFailed."""
        try:
            async with asyncio.timeout(seconds):
                client = await self._opened()
                raw = await client.models.with_raw_response.list(timeout=seconds)
                listed = raw.http_response.json()["data"]
                return [str(model["id"]) for model in listed]
        except Exception as error:
            raise AttemptFailed(fault_of(error, self.endpoint, self.endpoint.model, seconds)) from error

    async def model_for(self, wanted: str) -> str:
        """`wanted`, or the endpoint's own model, or the first one that it lists. Raises AttemptFailed."""
        model = wanted or self.endpoint.model or self._served_model
        if model:
            return model
        if self._lister:
            return await self._lister.model_for("")
        try:
            listed = await self.models(seconds=self.timeout_s)
        except AttemptFailed as failure:
            raise self._noted(failure.fault) from failure
        if not listed:
            fault = ModelFault(
                "not_found", f"{self.endpoint.label} lists no model: load one, or set LITLOOP_LLM__MODEL."
            )
            raise self._noted(fault)
        self._served_model = listed[0]
        return listed[0]

    async def count(self, messages: Sequence[Message], model: str) -> int:
        """Prompt tokens of `messages`: by the server's own tokenizer where it has one, else by published ranks."""
        if self._served_tokens and (counted := await self._count_served(messages)) is not None:
            return counted
        return count_messages(await asyncio.to_thread(_ready, model), messages)

    async def _count_served(self, messages: Sequence[Message]) -> int | None:
        """llama.cpp renders its chat template at `/apply-template` and counts at `/tokenize`. None: it did not."""
        import httpx

        root = without_version(self.endpoint.base_url)
        headers = {"Authorization": f"Bearer {self.endpoint.api_key}"} if self.endpoint.api_key else {}
        spoken = [{"role": message.role, "content": message.content} for message in messages]
        try:
            await self._opened()
        except LitloopError:  # the attempt itself will say so
            return None
        assert self._http is not None
        try:
            async with asyncio.timeout(_COUNTING_S):
                rendered = await self._http.post(f"{root}/apply-template", json={"messages": spoken}, headers=headers)
                question = {"content": rendered.json()["prompt"], "add_special": True, "parse_special": True}
                counted = await self._http.post(f"{root}/tokenize", json=question, headers=headers)
                return len(counted.json()["tokens"])
        except (TimeoutError, httpx.TransportError):  # it may be up again for the next one
            return None
        except (ValueError, KeyError, TypeError):
            self._served_tokens = False
            return None

    def health(self) -> Health:
        return Health(
            self.endpoint.label, self.breaker.state, self._calls, self._failures, self._last_fault,
            self.breaker.seconds_left(),
        )  # fmt: skip

    async def aclose(self) -> None:
        if self._http is not None:
            await self._http.aclose()
        self._http = self._client = None

    async def _opened(self) -> openai.AsyncOpenAI:
        async with self._opening:
            if self._client is not None:
                return self._client
            # The import takes a second on a busy machine: not on the event loop.
            opened = await asyncio.to_thread(open_client, self.endpoint, self.timeout_s, self._transport)
            self._http, self._client = opened
            return opened[1]


def open_client(
    endpoint: Endpoint, timeout_s: float, transport: httpx.AsyncBaseTransport | None = None
) -> tuple[httpx.AsyncClient, openai.AsyncOpenAI]:
    """A client for one endpoint, over connections of its own. Retries are ours, so the client's are off; redirects are
    not followed, because a chat sent elsewhere is not what was asked for; the machine's proxy settings do not apply to
    loopback."""
    import httpx
    import openai

    with proxies_understood():
        http = httpx.AsyncClient(
            transport=transport,
            timeout=httpx.Timeout(timeout_s, connect=min(_CONNECT_S, timeout_s)),
            follow_redirects=False,
            trust_env=not endpoint.loopback,
            params=endpoint.query or None,
            headers={"api-key": endpoint.api_key} if endpoint.azure and endpoint.api_key else {},
        )
    client = openai.AsyncOpenAI(
        api_key=endpoint.api_key or "none",
        base_url=endpoint.base_url,
        max_retries=0,
        http_client=http,  # type: ignore[arg-type]  # httpx and httpx2 clients are both taken
    )
    if endpoint.profile != "openai":
        # The client takes these from OPENAI_ORG_ID and OPENAI_PROJECT_ID: nobody else's business.
        client.organization = client.project = None
    return http, client


def _ready(model: str) -> TokenCounter:
    """A counter whose ranks are loaded (0.2 to 0.4 s, once)."""
    counter = counter_for(model)
    counter.count("")
    return counter
