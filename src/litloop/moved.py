"""Import paths of litloop 0.1: those that its documentation named still work, and say what to write instead.

Nothing here is loaded until an import of `litloop.…` has failed everywhere else (see `litloop/__init__.py`).
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

# A module of 0.1, and the modules that have its names now, in the order in which they are looked through.
MOVED: dict[str, tuple[str, ...]] = {
    "litloop.adding": ("litloop.ingest",),
    "litloop.adding.report": ("litloop.ingest.report",),
    "litloop.asking": ("litloop.core.requests",),
    "litloop.asking.request": ("litloop.core.requests",),
    "litloop.clock": ("litloop.core.clock", "litloop.testing.stepped_clock"),
    "litloop.errors": ("litloop.core.errors",),
    "litloop.events": ("litloop.core.events",),
    "litloop.exports": ("litloop.references",),
    "litloop.home": ("litloop.core.paths",),
    "litloop.identifiers": ("litloop.core.identifiers",),
    "litloop.logs": ("litloop.core.logs",),
    "litloop.migration": ("litloop.maintenance.migration",),
    "litloop.passages": ("litloop.chunking",),
    "litloop.portal": ("litloop.core.portal",),
    "litloop.records": ("litloop.core.records", "litloop.domains.domain_pack"),
    "litloop.records_json": ("litloop.core.records_json",),
    "litloop.scholarly.faults": ("litloop.net.faults",),
    "litloop.scholarly.service": ("litloop.net.service",),
    "litloop.scholarly.transport": ("litloop.net.transport",),
    "litloop.scholarly.work": ("litloop.scholarly.protocol", "litloop.papers.works"),
    "litloop.scholarly.world": ("litloop.testing.scholarly_world",),
    "litloop.scholarly.world.trouble": ("litloop.testing.scholarly_world.trouble",),
    "litloop.search": (),
    "litloop.search.rerank": ("litloop.retrieval.reranking",),
    "litloop.searching": ("litloop.retrieval.response", "litloop.core.requests", "litloop.retrieval.service"),
    "litloop.settings": ("litloop.core.settings",),
}
# Names of those modules that are another word now.
RENAMED: dict[str, str] = {
    "litloop.adding.Destination": "IngestTarget",
    "litloop.scholarly.faults.Fault": "ServiceFault",
    "litloop.scholarly.faults.Lost": "RequestFailed",
    "litloop.scholarly.faults.Unreadable": "UnreadableBody",
    "litloop.scholarly.transport.Ask": "FetchRequest",
    "litloop.scholarly.transport.Tally": "FetchTally",
    "litloop.scholarly.world.Trouble": "InjectedFault",
    "litloop.scholarly.world.trouble.Trouble": "InjectedFault",
    "litloop.searching.Finder": "SearchService",
}
# Names that are gone or mean another thing: what to write, or do, instead.
CHANGED: dict[str, str] = {
    "litloop.asking.Asking": "ask with litloop.Library.ask",
    "litloop.events.EVENT_TYPES": "they are the words of litloop.EventType",
    "litloop.records.Differential": "an answer's alternatives are litloop.Alternative",
    "litloop.search.rerank.ProximityReranker": "it is gone; the reranker built in is late interaction",
    "litloop.searching.request_of": "make a litloop.SearchRequest, which checks itself",
}
# What was internal to 0.1, and where its subject is now.
INTERNAL: dict[str, str] = {
    "litloop.adding": "litloop.ingest",
    "litloop.asking": "litloop.ask, litloop.research and litloop.pipeline",
    "litloop.checkup": "litloop.maintenance.doctor",
    "litloop.embedding.around": "litloop.embedding.wrapper",
    "litloop.evidence": "litloop.text",
    "litloop.exports": "litloop.references",
    "litloop.judge": "litloop.loop, litloop.extractive, litloop.answer and litloop.verification",
    "litloop.llm.breaker": "litloop.net.breaker",
    "litloop.llm.egress": "litloop.llm.router",
    "litloop.llm.lane": "litloop.llm.endpoint_client",
    "litloop.parts": "litloop.components",
    "litloop.scholarly.identity": "litloop.papers.identity",
    "litloop.scholarly.limits": "litloop.net.rate_limits",
    "litloop.scholarly.merging": "litloop.papers.merging",
    "litloop.scholarly.reconciliation": "litloop.papers.reconciliation",
    "litloop.scholarly.safe_addresses": "litloop.net.safe_addresses",
    "litloop.search": "litloop.retrieval",
    "litloop.settings": "litloop.core.settings",
    "litloop.settings_reference": "litloop.core.settings.reference",
    "litloop.subjects": "litloop.retrieval.collection_topics",
    "litloop.upkeep": "litloop.maintenance",
    "litloop.web_hits": "litloop.retrieval.web_hits",
}


def spec_of(name: str) -> ModuleSpec | None:
    """How to import a module of 0.1; None for a name that 0.1 did not have either.

    Raises ModuleNotFoundError with one sentence for what was internal.
    """
    if name in MOVED:
        return ModuleSpec(name, _Loader(), is_package=True)
    for old, new in INTERNAL.items():
        if name == old or name.startswith(f"{old}."):
            raise ModuleNotFoundError(f"{name} was internal to litloop 0.1. Its subject is in {new} now.", name=name)
    return None


class _Loader(Loader):
    """Makes a module that looks its names up where they are now."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _MovedModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is run: there is no file."""


class _MovedModule(ModuleType):
    def __getattr__(self, name: str) -> Any:
        old = f"{self.__name__}.{name}"
        if name == "__all__":
            return [one for home in MOVED[self.__name__] for one in _public(import_module(home))]
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        if old in CHANGED:
            # Not AttributeError: `from … import …` would put a sentence of its own in the place of this one.
            raise ImportError(f"{old} is not there any more: {CHANGED[old]}.", name=self.__name__)
        for home in MOVED[self.__name__]:
            module, now = import_module(home), RENAMED.get(old, name)
            if hasattr(module, now):
                told = f"{old} has moved. Write: from {_best(home, now)} import {now}"
                warnings.warn(told, DeprecationWarning, stacklevel=2)
                found = self.__dict__[name] = getattr(module, now)
                return found
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")


def _best(home: str, name: str) -> str:
    """`litloop` itself where it gives the name, so that the next move does not matter."""
    return "litloop" if name in sys.modules["litloop"].__all__ else home


def _public(module: ModuleType) -> Sequence[str]:
    listed: Sequence[str] | None = getattr(module, "__all__", None)
    if listed is not None:
        return listed
    own = module.__name__
    return [name for name, value in vars(module).items() if name[0] != "_" and getattr(value, "__module__", "") == own]
