"""What `litloop doctor` says of the outside sources: configured, with a key or without, and how they last failed.

Calls nobody.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from importlib.util import find_spec

from litloop.core.settings import ScholarlySettings, Settings
from litloop.llm.doctor import DoctorRow
from litloop.net.rate_limits import SharedLimits
from litloop.net.response_cache import NEEDS
from litloop.net.service import Service
from litloop.scholarly.registry import known_providers, service_named, settings_of
from litloop.scholarly.searxng import SearXNG
from litloop.scholarly.tavily import Tavily

RECENT_S = 86_400.0
# Where a key changes what a provider gives, and where to set it.
_KEYS: Mapping[str, tuple[str, str]] = {
    "openalex": ("keyless callers have a small daily budget", "OPENALEX_API_KEY"),
    "semantic_scholar": ("keyless callers are turned away after a few calls", "SEMANTIC_SCHOLAR_API_KEY"),
    "pubmed": ("three calls a second, ten with a key", "NCBI_API_KEY"),
}


def check_sources(settings: Settings, limits: SharedLimits | None = None) -> list[DoctorRow]:
    """One row for each provider and each web engine, and one for what is kept of their answers."""
    limits = limits or SharedLimits.of_this_machine()
    try:
        rows = [_provider_row(name, settings.scholarly, limits) for name in known_providers()]
    finally:
        limits.close()
    return [*rows, *check_web(settings), _cache_row(settings.scholarly)]


def _provider_row(name: str, settings: ScholarlySettings, limits: SharedLimits) -> DoctorRow:
    service = service_named(name, settings)
    label = service.label if service else name
    if not settings_of(name, settings).enabled:
        return DoctorRow(name, "off", f"{label} is switched off.")
    if service and service.missing:
        wants, _, mend = service.missing.partition(": ")
        return DoctorRow(name, "off", f"{wants}.", mend[:1].upper() + mend[1:])
    failed = _last_failure(service, limits)
    if failed and failed[0] < RECENT_S:
        return DoctorRow(name, "warn", f"{failed[1]} That was {_ago(failed[0])} ago.", "Try again later.")
    if service and service.keyed:
        return DoctorRow(name, "ok", f"{label} is asked with your key.")
    if name in _KEYS:
        why, variable = _KEYS[name]
        return DoctorRow(name, "ok", f"{label} is asked without a key: {why}.", f"For more, set {variable}.")
    return DoctorRow(name, "ok", f"{label} is asked; it needs no key.")


def _last_failure(service: Service | None, limits: SharedLimits) -> tuple[float, str] | None:
    """At the address that is set now. Where another package's provider is, is not known here."""
    try:
        return limits.last_failure(service.place) if service else None
    except sqlite3.Error:
        return None


def check_web(settings: Settings) -> Iterator[DoctorRow]:
    """One row for each web engine: `ok` is one that is asked, `fail` one that is switched on and cannot be."""
    for engine, enabled in (
        (Tavily(settings.web), settings.web.tavily.enabled),
        (SearXNG(settings.web), settings.web.searxng.enabled),
    ):
        if not enabled:
            yield DoctorRow(engine.name, "off", f"The web is not searched with {engine.label}.")
        elif engine.missing:
            wants, _, mend = engine.missing.partition(": ")
            yield DoctorRow(engine.name, "fail", f"{wants}.", mend[:1].upper() + mend[1:])
        else:
            yield DoctorRow(engine.name, "ok", f"{engine.label} is asked at most {engine.daily_calls} times a day.")


def _cache_row(settings: ScholarlySettings) -> DoctorRow:
    if not settings.cache:
        return DoctorRow("answers", "off", "Responses of the databases are not kept.")
    if not find_spec(NEEDS):
        return DoctorRow(
            "answers", "warn", "Responses of the databases are not kept: hishel is not installed.",
            "Install it with: pip install 'litloop[scholarly]'",
        )  # fmt: skip
    return DoctorRow("answers", "ok", f"Responses of the databases are kept for {settings.cache_hours:g} hours.")


def _ago(seconds: float) -> str:
    minutes = round(seconds / 60)
    if minutes < 2:
        return "a minute" if minutes else "less than a minute"
    return f"{minutes} minutes" if minutes < 120 else f"{minutes // 60} hours"
