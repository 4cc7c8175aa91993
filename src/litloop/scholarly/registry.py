"""Which providers there are. To add one: a file with an `HttpProvider` and a line in `BUILT_IN`. Its own settings are a
field of `ScholarlySettings`; how far its records are believed is its place in `papers/reconciliation.TRUST`. In a
package of your own: an entry point of the group `litloop.providers`.

An entry point names an `HttpProvider` class, or a callable that is given a `Transport` and a `ProviderSettings` (its
settings) and returns a `Provider`.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from litloop.core.errors import UsageError
from litloop.core.settings import ProviderSettings, ScholarlySettings
from litloop.net.service import Service, service_of
from litloop.net.transport import Transport
from litloop.scholarly.protocol import Provider
from litloop.scholarly.provider import HttpProvider

GROUP = "litloop.providers"
BUILT_IN: Mapping[str, str] = {
    "openalex": "litloop.scholarly.openalex:OpenAlex",
    "semantic_scholar": "litloop.scholarly.semantic_scholar:SemanticScholar",
    "arxiv": "litloop.scholarly.arxiv:ArXiv",
    "pubmed": "litloop.scholarly.pubmed:PubMed",
    "crossref": "litloop.scholarly.crossref:Crossref",
    "europepmc": "litloop.scholarly.europepmc:EuropePMC",
    "unpaywall": "litloop.scholarly.unpaywall:Unpaywall",
}
NOT_SEARCHED = frozenset({"unpaywall"})  # asked by DOI for open copies; not part of a search for literature
_OTHER_NAMES = {"s2": "semantic_scholar", "semanticscholar": "semantic_scholar", "europe_pmc": "europepmc",
                "epmc": "europepmc", "ncbi": "pubmed"}  # fmt: skip


def known_providers() -> list[str]:
    """Every provider by name: our own, then those of installed packages."""
    return [*BUILT_IN, *sorted(name for name in _installed() if name not in BUILT_IN)]


def searched_providers(settings: ScholarlySettings, names: Sequence[str] | None = None) -> list[str]:
    """The providers that a search asks: those named, else all that are enabled.

    Raises UsageError for a name that nobody has, and for one that cannot be searched.
    """
    if names is None:
        return [n for n in known_providers() if n not in NOT_SEARCHED and settings_of(n, settings).enabled]
    chosen = list(dict.fromkeys(_named(name) for name in names))
    for name in chosen:
        if name in NOT_SEARCHED:
            raise UsageError(f"{name} finds open copies of known papers; it cannot be searched.")
    return chosen


def make_providers(names: Sequence[str], settings: ScholarlySettings, transport: Transport) -> list[Provider]:
    """One adapter for each name. Raises UsageError for a name that nobody has."""
    return [make_provider(name, settings, transport) for name in names]


def make_provider(name: str, settings: ScholarlySettings, transport: Transport) -> Provider:
    name = _named(name)
    made = _loaded(name)
    own = settings_of(name, settings)
    if isinstance(made, type) and issubclass(made, HttpProvider):
        provider: Provider = made(service_of(made.facts, own, settings), transport)
    else:
        provider = made(transport, own)
    return provider


def service_named(name: str, settings: ScholarlySettings) -> Service | None:
    """What the transport would be told of a provider; None for one that is not an `HttpProvider`."""
    made = _loaded(_named(name))
    if not (isinstance(made, type) and issubclass(made, HttpProvider)):
        return None
    return service_of(made.facts, settings_of(name, settings), settings)


def settings_of(name: str, settings: ScholarlySettings) -> ProviderSettings:
    own: ProviderSettings | None = getattr(settings, name) if name in type(settings).model_fields else None
    return own or settings.others.get(name, ProviderSettings())


def _named(name: str) -> str:
    plain = name.strip().lower().replace("-", "_").replace(" ", "_")
    plain = _OTHER_NAMES.get(plain, plain)
    if plain not in BUILT_IN and plain not in _installed():
        raise UsageError(f"There is no provider called {name!r}. Known: {', '.join(known_providers())}.")
    return plain


def _loaded(name: str) -> Any:
    if name in BUILT_IN:
        module, _, attribute = BUILT_IN[name].partition(":")
        return getattr(importlib.import_module(module), attribute)
    return _installed()[name].load()


def _installed() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}
