"""Local only: the ways out of this machine are closed, not merely left unused."""

from __future__ import annotations

from litloop.core.settings import Settings
from litloop.llm.compressor import NoCompressor
from litloop.llm.profiles import Endpoint, fallback, primary, role_endpoint
from litloop.llm.router import LLMRouter
from litloop.net.safe_addresses import is_loopback


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
