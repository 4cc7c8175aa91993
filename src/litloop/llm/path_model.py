"""One path to the models: attempts, pauses, fallbacks, budget, cache and the ledger's rows, around single attempts."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from litloop.core.clock import Clock
from litloop.core.logs import Log
from litloop.core.records import EgressPath
from litloop.core.settings import LLMSettings
from litloop.llm.chat import ChatRequest, ChatResult
from litloop.llm.endpoint_client import EndpointClient, Health
from litloop.llm.model_request import ModelRequest, Route, RunContext
from litloop.llm.structured import ReplyCheck, StructuredChat

log = Log("llm")


class PathModel(StructuredChat):
    """A ChatModel over the routes of one path, tried in order."""

    def __init__(
        self,
        path: EgressPath,
        routes: Sequence[Route],
        role_routes: dict[str, Sequence[Route]],
        settings: LLMSettings,
        clock: Clock,
        run: RunContext | None = None,
    ) -> None:
        self.path: EgressPath = path
        self.default_max_tokens = settings.max_output_tokens
        self.default_temperature = settings.temperature
        self._routes = routes
        self._role_routes = role_routes
        self._settings = settings
        self._clock = clock
        self._run = run or RunContext()

    def bind(self, run: RunContext) -> PathModel:
        """The same path, clients and breakers for another run."""
        return PathModel(self.path, self._routes, self._role_routes, self._settings, self._clock, run)

    def routes_for(self, task: str) -> Sequence[Route]:
        return self._role_routes.get(task, self._routes)

    def health(self) -> list[Health]:
        return [client.health() for client in self._clients()]

    async def aclose(self) -> None:
        for client in self._clients():
            await client.aclose()

    def _clients(self) -> list[EndpointClient]:
        routes = [*self._routes, *(route for routes in self._role_routes.values() for route in routes)]
        return list(dict.fromkeys(route.client for route in routes))

    async def complete(self, request: ChatRequest, check: ReplyCheck | None = None) -> ChatResult[None]:
        """Ask the routes in turn until one answers. Never raises but for cancellation."""
        call = ModelRequest(self.path, request, self._run, self._settings, self._clock, check)
        started = time.perf_counter()
        try:
            result = await call.through(self.routes_for(request.task))
        except Exception as error:  # a fault of our own must not take the run along
            log.error("model call broke", task=request.task, error=repr(error))
            result = ChatResult(
                degraded=True, outcome="error", reason=f"The call failed inside litloop ({type(error).__name__})."
            )
        result = replace(
            result, path=self.path, call_id=call.id, attempts=call.attempts, ms=(time.perf_counter() - started) * 1000
        )
        write = log.warning if result.degraded else log.info
        write(
            "model call failed" if result.degraded else "model call",
            task=request.task, path=self.path, provider=result.provider, model=result.model,
            outcome=result.outcome, attempts=result.attempts, ms=round(result.ms), reason=result.reason,
        )  # fmt: skip
        return result
