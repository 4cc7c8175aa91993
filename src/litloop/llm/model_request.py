"""One request on its way: routes in turn, attempts with pauses, a budget before and a ledger row after each."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from litloop.core.clock import Clock
from litloop.core.errors import BudgetExceeded
from litloop.core.logs import Log
from litloop.core.records import EgressPath, ModelCall, Outcome
from litloop.core.settings import LLMSettings
from litloop.llm.budget import Budget, Reservation
from litloop.llm.chat import CallWatcher, ChatRequest, ChatResult, Usage, new_call_id
from litloop.llm.dialect import Dialect
from litloop.llm.endpoint_client import EndpointClient
from litloop.llm.faults import AttemptFailed, ModelFault
from litloop.llm.prices import price_of
from litloop.llm.prompt_fit import PromptFit, cut_in_silence
from litloop.llm.stored_replies import ReplyStore, StoredReply, cache_key
from litloop.llm.structured import ReplyCheck
from litloop.llm.tokens import counter_for
from litloop.llm.wire_reply import Reply
from litloop.net.retry import RetryPolicy

log = Log("llm")

# The provider may have read the prompt, and charge for it, though no whole answer came.
_MAYBE_CHARGED = {"timeout", "cut", "empty"}
BEYOND = "The provider counts more tokens than the run had left; what it had is booked, and the price is unknown."
UNLIKELY = "The provider's count of tokens cannot be true, so litloop's own is booked."
# What a provider may count beyond our count of a prompt, or beyond the limit of a reply: a gateway adds prompts, other
# tokenizers find three tokens where ours finds one, and some count hidden reasoning. More than this is a fault.
_MOST_TIMES, _MOST_MORE = 10, 100_000
# Faults of the provider itself: going around the gateway would only meet them again.
_SAME_BEHIND_GATEWAY = {"key", "rate_limited", "request"}


@dataclass(frozen=True, slots=True)
class RunContext:
    """What one run hands to its model calls. `on_call` gets every attempt; `replies` is the cache, when one is
    wanted."""

    run_id: str = ""
    budget: Budget | None = None
    on_call: CallWatcher | None = None
    replies: ReplyStore | None = None


@dataclass(frozen=True, slots=True)
class Route:
    """A client and the model to ask there (empty: the client's own). `around_gateway` marks the way past a gateway."""

    client: EndpointClient
    model: str = ""
    around_gateway: bool = False


class ModelRequest:
    """One request. `id` joins its attempts in the ledger; `attempts` counts those that went over the wire."""

    def __init__(
        self,
        path: EgressPath,
        request: ChatRequest,
        run: RunContext,
        settings: LLMSettings,
        clock: Clock,
        check: ReplyCheck | None,
    ) -> None:
        self.id = request.call_id or new_call_id()
        self.attempts = 0
        self._path: EgressPath = path
        self._request = request
        self._run = run
        self._settings = settings
        self._clock = clock
        self._check = check
        self._fit = PromptFit()

    async def through(self, routes: Sequence[Route]) -> ChatResult[None]:
        """The first answer that a route gives, else a degraded result that says what each of them said."""
        faults: list[ModelFault] = []
        for route in routes:
            if route.around_gateway and faults and faults[-1].kind in _SAME_BEHIND_GATEWAY:
                continue
            outcome = await self._on(route)
            if isinstance(outcome, ChatResult):
                return outcome
            faults.append(outcome)
            if outcome.kind == "budget":
                break
        reason = " ".join(dict.fromkeys(fault.sentence for fault in faults)) or "No model is set up for this."
        first = routes[0] if routes else None
        return ChatResult(
            provider=first.client.endpoint.profile if first else "",
            model=(first.model or first.client.endpoint.model) if first else "",
            degraded=True,
            reason=reason,
            outcome=faults[-1].outcome if faults else "refused",
        )

    async def _on(self, route: Route) -> ChatResult[None] | ModelFault:
        """Attempts on one route, with pauses between them."""
        tries, dialect = 0, None
        while True:
            fault = _closed(route.client)
            if fault:
                self._row(route, route.model, "refused", reason=fault.sentence)
                return fault
            try:
                model = await route.client.model_for(route.model)
            except AttemptFailed as failure:
                fault = self._unanswered(route, failure.fault)
            else:
                dialect = dialect or route.client.dialect(model)
                outcome = self._cached(route, model) or await self._attempt(route, model, dialect)
                if isinstance(outcome, ChatResult):
                    return outcome
                fault = outcome
                smaller = self._fit.smaller(self._request, fault, route.client.endpoint.label)
                if smaller is not None:
                    self._request = smaller
                    continue
                adapted = dialect.adapted(fault, shaped=self._request.shape is not None)
                if adapted is not None:
                    dialect = adapted
                    continue
            tries += 1
            if not fault.retry or not await self._paused(fault, tries):
                return fault

    async def _attempt(self, route: Route, model: str, dialect: Dialect) -> ChatResult[None] | ModelFault:
        """One attempt: reserve, ask, settle, book."""
        client, request = route.client, self._request
        if client.reasons(model):  # it thinks before it answers, and its thoughts count
            request = replace(request, max_tokens=request.max_tokens + self._settings.reasoning_tokens)
        prompt_tokens = await client.count(dialect.messages(request), model)
        request = replace(request, max_tokens=self._fit.tried(prompt_tokens, request.max_tokens))
        price = price_of(client.endpoint, model)
        worst = price.of(prompt_tokens, request.max_tokens) if price else None
        try:
            reservation = (
                self._run.budget.reserve(prompt_tokens + request.max_tokens, worst) if self._run.budget else None
            )
        except BudgetExceeded as error:
            client.breaker.abandoned()
            self._row(route, model, "refused", reason=str(error))
            return ModelFault("budget", str(error), other_side=False)
        self.attempts += 1
        reply, started = Reply(), time.perf_counter()
        fault: ModelFault | None = None
        outcome: Outcome = "cancelled"
        try:
            await client.attempt(request, model, dialect, seconds=self._seconds(client), reply=reply)
            complaint = self._check(reply.content) if self._check else None
            outcome = "invalid" if complaint else "ok"
        except AttemptFailed as failure:
            fault, outcome = failure.fault, failure.fault.outcome
        finally:
            charged = fault is None or fault.kind in _MAYBE_CHARGED
            told, unlikely = _usage(reply, request, model, prompt_tokens) if charged else (Usage(), None)
            usage = self._within_budget(told, reservation)
            # What a provider counts beyond what it was asked for cannot be kept within a limit, nor can its price.
            beyond = usage != told
            cost = price.of(usage.prompt_tokens, usage.completion_tokens) if price and not beyond else None
            self._settle(reservation, usage, cost)
            notice = cut_in_silence(told, prompt_tokens, client.endpoint) or self._fit.notice
            remarks = [_cut_sentence(reply, request), BEYOND if beyond else None, unlikely, notice]
            reason = fault.sentence if fault else " ".join(remark for remark in remarks if remark)
            self._row(
                route, model, outcome, usage=usage, cost=cost, seconds=time.perf_counter() - started, reason=reason
            )
        return fault or self._result(route, model, reply, usage, outcome, notice)

    def _result(
        self, route: Route, model: str, reply: Reply, usage: Usage, outcome: Outcome, notice: str | None
    ) -> ChatResult[None]:
        result: ChatResult[None] = ChatResult(
            content=reply.content,
            usage=usage,
            provider=route.client.endpoint.profile,
            model=reply.model or model,
            path=self._path,
            via_gateway=route.client.endpoint.via_gateway,
            outcome=outcome,
            finish_reason=reply.finish_reason,
            reason=_cut_sentence(reply, self._request),
            notice=notice,
        )
        if self._run.replies and outcome == "ok" and self._cacheable and reply.finish_reason == "stop":
            self._run.replies.put(StoredReply(cache_key(route.client.endpoint, model, self._request), result))
        return result

    def _cached(self, route: Route, model: str) -> ChatResult[None] | None:
        if not (self._run.replies and self._cacheable):
            return None
        stored = self._run.replies.get(cache_key(route.client.endpoint, model, self._request))
        if stored is None:
            return None
        route.client.breaker.abandoned()
        saved = stored.result.usage
        self._row(
            route, model, "cached", cost=0.0, attempt=0,
            reason=f"From the cache: {saved.prompt_tokens + saved.completion_tokens} tokens not spent.",
        )  # fmt: skip
        return replace(stored.result, outcome="cached", usage=Usage())

    @property
    def _cacheable(self) -> bool:
        """Only what is asked without chance has one answer worth keeping."""
        return self._request.temperature == 0

    async def _paused(self, fault: ModelFault, tries: int) -> bool:
        """Wait before the next attempt: 1 s, 2 s, 4 s, or as long as the endpoint asks. False: there is no next one."""
        policy = RetryPolicy(self._settings.attempts, first_s=1.0, patience_s=self._settings.retry_after_cap_s)
        left = self._run.budget.seconds_left() if self._run.budget else None
        pause = policy.pause(tries, asked_s=fault.retry_after_s, left_s=left)
        if pause is None:
            return False
        log.warning(
            "model call retried", task=self._request.task, path=self._path, pause_s=pause, reason=fault.sentence
        )
        await self._clock.sleep(pause)
        return True

    def _seconds(self, client: EndpointClient) -> float:
        left = self._run.budget.seconds_left() if self._run.budget else None
        return client.timeout_s if left is None else min(client.timeout_s, max(left, 0.001))

    def _within_budget(self, told: Usage, reservation: Reservation | None) -> Usage:
        """The usage as far as the limit has room for it: a budget is never passed by what somebody else counts."""
        room = self._run.budget.room(reservation) if self._run.budget and reservation else None
        if room is None:
            return told
        prompt = min(told.prompt_tokens, room)
        return replace(told, prompt_tokens=prompt, completion_tokens=min(told.completion_tokens, room - prompt))

    def _settle(self, reservation: Reservation | None, usage: Usage, cost: float | None) -> None:
        if reservation and self._run.budget:
            self._run.budget.settle(reservation, usage.prompt_tokens + usage.completion_tokens, cost)

    def _unanswered(self, route: Route, fault: ModelFault) -> ModelFault:
        """The endpoint did not even say which model it has."""
        self.attempts += 1
        self._row(route, route.model, fault.outcome, reason=fault.sentence)
        return fault

    def _row(
        self,
        route: Route,
        model: str,
        outcome: Outcome,
        *,
        usage: Usage | None = None,
        cost: float | None = None,
        seconds: float = 0.0,
        reason: str = "",
        attempt: int | None = None,
    ) -> None:
        usage = usage or Usage()
        call = ModelCall(
            call_id=self.id,
            task=self._request.task,
            path=self._path,
            provider=route.client.endpoint.profile,
            model=model or route.client.endpoint.model,
            attempt=self._request.attempts_before + self.attempts if attempt is None else attempt,
            outcome=outcome,
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            tokens_before_compression=self._request.tokens_before,
            tokens_counted_by=usage.counted_by,
            cost=cost,
            ms=seconds * 1000,
            run_id=self._run.run_id,
            at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            reason=reason,
            via_gateway=route.client.endpoint.via_gateway,
        )
        log.debug(
            "model attempt", task=call.task, path=call.path, provider=call.provider, outcome=outcome, ms=round(call.ms)
        )
        notify(self._run.on_call, call)


def notify(watcher: Callable[..., None] | None, *what: object) -> None:
    """Hand something to a watcher. One that breaks must not break the call that it watches."""
    if watcher is None:
        return
    try:
        watcher(*what)
    except Exception as error:
        log.error("a watcher broke", error=repr(error))


def _closed(client: EndpointClient) -> ModelFault | None:
    """Why nothing may be sent on this client now."""
    if client.endpoint.fault:
        return ModelFault("settings", client.endpoint.fault, other_side=False)
    if client.breaker.allow():
        return None
    label, left = client.endpoint.label, client.breaker.seconds_left()
    last = f" ({client.health().last_fault})" if client.health().last_fault else ""
    return ModelFault("resting", f"{label} failed repeatedly and is paused for {left:.0f} s{last}.", other_side=False)


def _usage(reply: Reply, request: ChatRequest, model: str, prompt_tokens: int) -> tuple[Usage, str | None]:
    """The provider's own count where it gave one that can be true, else ours, and why."""
    said = reply.usage
    huge = said is not None and (
        said.prompt_tokens > _MOST_TIMES * prompt_tokens + _MOST_MORE
        or said.completion_tokens > _MOST_TIMES * request.max_tokens + _MOST_MORE
    )
    if said and said.prompt_tokens and not huge:
        return said, None
    ours = Usage(prompt_tokens, counter_for(model).count(reply.content), "local")
    return ours, UNLIKELY if huge or reply.odd_usage else None


def _cut_sentence(reply: Reply, request: ChatRequest) -> str | None:
    if reply.finish_reason != "length":
        return None
    return f"The answer was cut at its limit of {request.max_tokens} tokens."
