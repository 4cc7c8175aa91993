"""The router: the three ways out to models, built from the settings, each with clients and breakers of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from litloop.core.clock import Clock, SystemClock
from litloop.core.logs import hide, secrets_of
from litloop.core.records import EgressPath
from litloop.core.settings import EgressPathSettings, Settings
from litloop.llm.chat import ChatModel
from litloop.llm.compressor import Compressor, NoCompressor
from litloop.llm.endpoint_client import EndpointClient, Health
from litloop.llm.extractive_compressor import ExtractiveCompressor
from litloop.llm.metered import MeteredCompressor
from litloop.llm.model_request import Route, RunContext
from litloop.llm.paritok import HOSTED_URL, ParitokCompressor
from litloop.llm.path_model import PathModel
from litloop.llm.profiles import Endpoint, fallback, gateway_of, primary, role_endpoint
from litloop.llm.tokens import TokenCounter, counter_for
from litloop.net.breaker import Breaker
from litloop.net.safe_addresses import is_loopback

if TYPE_CHECKING:
    import httpx

    from litloop.embedding.protocol import Embedder

ChatPath = Literal["proxy", "direct"]

# Short prompts of the search loop go through the gateway; what writes and checks the answer goes straight.
TASK_PATHS: Mapping[str, ChatPath] = {
    "hyde": "proxy",
    "paraphrase": "proxy",
    "relevance": "proxy",
    "refine": "proxy",
    "coverage": "proxy",
    "extract": "direct",
    "summarise": "direct",
    "citation": "direct",
    "differential": "direct",
}


class LLMRouter:
    """`proxy` and `direct` are ChatModels, or None when no model is set up (offline); `compressor` always works.

    Built once for a library; `bind` gives the same clients to one run, with its budget and its watchers.
    """

    def __init__(
        self,
        proxy: ChatModel | None,
        direct: ChatModel | None,
        compressor: Compressor,
        *,
        counter: TokenCounter,
        offline_tasks: frozenset[str] = frozenset(),
        problems: Sequence[str] = (),
    ) -> None:
        self.proxy = proxy
        self.direct = direct
        self.compressor = compressor
        self.counter = counter
        self.problems = tuple(problems)  # what is missing for the profile to work, one sentence each
        self._offline_tasks = offline_tasks

    @classmethod
    def build(
        cls,
        settings: Settings,
        *,
        embedder: Embedder | None = None,
        clock: Clock | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> LLMRouter:
        """The ways out that `settings` describe. Opens nothing yet. `transport` replaces the network (tests)."""
        hide(secrets_of(settings))
        builder = _Builder(settings, clock or SystemClock(), transport)
        first = primary(settings)
        compressor = builder.compressor(first.model if first else "", embedder)
        return cls(
            builder.path("proxy", settings.paths.proxy),
            builder.path("direct", settings.paths.direct),
            compressor,
            counter=builder.counter,
            offline_tasks=frozenset(task for task, value in settings.llm.roles.items() if value == "offline"),
            problems=builder.problems(),
        )

    @property
    def offline(self) -> bool:
        return self.proxy is None and self.direct is None

    def model_for(self, task: str) -> ChatModel | None:
        """The ChatModel that a task goes to; None: the judge's offline path."""
        if task in self._offline_tasks:
            return None
        return self.proxy if TASK_PATHS.get(task, "direct") == "proxy" else self.direct

    def bind(self, run: RunContext) -> LLMRouter:
        """The same clients and breakers, with the budget and the watchers of one run."""

        def bound(model: ChatModel | None) -> ChatModel | None:
            return model.bind(run) if isinstance(model, PathModel) else model

        compressor = self.compressor
        if isinstance(compressor, MeteredCompressor):
            compressor = compressor.bind(run)
        return LLMRouter(
            bound(self.proxy), bound(self.direct), compressor,
            counter=self.counter, offline_tasks=self._offline_tasks, problems=self.problems,
        )  # fmt: skip

    def health(self) -> dict[EgressPath, list[Health]]:
        """What each path has lived through since it was opened."""
        states: dict[EgressPath, list[Health]] = {"proxy": [], "direct": [], "compression": []}
        for path, model in (("proxy", self.proxy), ("direct", self.direct)):
            if isinstance(model, PathModel):
                states[path] = model.health()  # type: ignore[index]
        inner = getattr(self.compressor, "inner", None)
        if isinstance(inner, ParitokCompressor):
            states["compression"] = [inner.health()]
        return states

    async def aclose(self) -> None:
        """Close every connection."""
        for model in (self.proxy, self.direct):
            if isinstance(model, PathModel):
                await model.aclose()
        inner = getattr(self.compressor, "inner", None)
        if isinstance(inner, ParitokCompressor):
            await inner.aclose()


class _Builder:
    """Makes paths. Nothing is shared between two of them, so that one which fails leaves the others working."""

    def __init__(self, settings: Settings, clock: Clock, transport: httpx.AsyncBaseTransport | None) -> None:
        self._settings = settings
        self._clock = clock
        self._transport = transport
        first = primary(settings)
        self.counter = counter_for(first.model if first else "")

    def path(self, name: ChatPath, path: EgressPathSettings) -> PathModel | None:
        clients: dict[Endpoint, EndpointClient] = {}
        first = primary(self._settings)
        routes = self._routes(first, path, clients) if first else []
        role_routes: dict[str, Sequence[Route]] = {}
        for role in self._settings.llm.roles:
            endpoint = role_endpoint(self._settings, role)
            if isinstance(endpoint, Endpoint):
                role_routes[role] = self._routes(endpoint, path, clients)
        if not routes and not role_routes:
            return None
        return PathModel(name, routes, role_routes, self._settings.llm, self._clock)

    def problems(self) -> list[str]:
        endpoints = [
            primary(self._settings),
            *(role_endpoint(self._settings, role) for role in self._settings.llm.roles),
        ]
        faults = [endpoint.fault for endpoint in endpoints if isinstance(endpoint, Endpoint) and endpoint.fault]
        return list(dict.fromkeys(faults))

    def compressor(self, model: str, embedder: Embedder | None) -> MeteredCompressor:
        options = self._settings.compression
        kind = options.kind
        if kind == "auto":
            kind = "paritok" if options.base_url or options.api_key else "extractive"
        inner: Compressor
        if kind == "off":
            inner = NoCompressor(self.counter)
        elif kind == "extractive":
            inner = ExtractiveCompressor(self.counter, keep=options.keep, embedder=embedder)
        else:
            inner = ParitokCompressor(
                self.counter,
                Breaker(options.breaker_failures, options.breaker_cooldown_s, now=self._clock.now),
                base_url=options.base_url or HOSTED_URL,
                api_key=options.api_key.get_secret_value() if options.api_key else "",
                model=options.model,
                upstream_model=model,
                timeout_s=options.timeout_s,
                transport=self._transport,
            )
        return MeteredCompressor(inner, self.counter, min_tokens=options.min_tokens)

    def _routes(
        self, endpoint: Endpoint, path: EgressPathSettings, clients: dict[Endpoint, EndpointClient]
    ) -> list[Route]:
        """The gateway when there is one, then the way around it, then the fallback. (A gateway has one upstream, so the
        fallback goes straight; its texts were compressed before they came here.)"""
        straight = self._client(endpoint, path, clients)
        routes = [Route(straight, endpoint.model, around_gateway=bool(path.base_url))]
        if path.base_url:
            gateway = gateway_of(endpoint, path.base_url)
            routes.insert(0, Route(self._client(gateway, path, clients, lister=straight), endpoint.model))
        second = fallback(self._settings)
        if second and second.profile != endpoint.profile:
            routes.append(Route(self._client(second, path, clients), second.model))
        return routes

    def _client(
        self,
        endpoint: Endpoint,
        path: EgressPathSettings,
        clients: dict[Endpoint, EndpointClient],
        *,
        lister: EndpointClient | None = None,
    ) -> EndpointClient:
        """One client for each address: two models at one provider share its connections and its breaker."""
        place = replace(endpoint, model="")
        if place not in clients:
            clients[place] = EndpointClient(
                endpoint,
                Breaker(path.breaker_failures, path.breaker_cooldown_s, now=self._clock.now),
                timeout_s=path.timeout_s or self._settings.llm.timeout_s,
                transport=self._transport,
                lister=lister,
            )
        return clients[place]


def kept_local(router: LLMRouter, settings: Settings) -> LLMRouter:
    """`router` when all it can reach is on this machine (a local model server), else one without any model."""
    if all(is_loopback(url) for url in _urls(settings)):
        return router
    return LLMRouter(None, None, NoCompressor(router.counter, "Local only."), counter=router.counter)


def _urls(settings: Settings) -> list[str]:
    endpoints = [primary(settings), fallback(settings)]
    endpoints += [e for role in settings.llm.roles if isinstance(e := role_endpoint(settings, role), Endpoint)]
    gateways = [settings.paths.proxy.base_url, settings.paths.direct.base_url]
    if settings.compression.kind == "paritok" or settings.compression.base_url:
        gateways.append(settings.compression.base_url or "https://hosted")
    return [*(endpoint.base_url for endpoint in endpoints if endpoint), *(url for url in gateways if url)]
