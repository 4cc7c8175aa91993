"""Snowball: from the best papers to what they cite and what cites them.

The references of the best papers are looked up in batches, those first that several of them cite; of the papers
that cite each, the most cited are taken. What comes back goes through the same merging and ranking as everything
else, and only the best of what is new stays.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from litloop.core.identifiers import KINDS, normal_ids, normal_openalex
from litloop.core.settings import SnowballSettings
from litloop.papers.merging import MergedWork, content_of, merge
from litloop.papers.works import Work
from litloop.scholarly.protocol import Provider, ProviderReply

Rank = Callable[[Sequence[MergedWork]], Sequence[MergedWork]]
_LOOK_AT = 4  # times as many citing papers are asked for as are kept: not every database sorts them

# Who is asked for ids of a kind, first to last.
_ASKED_BY = ("openalex", "semantic_scholar", "crossref", "europepmc", "pubmed")


@runtime_checkable
class CitingProvider(Protocol):
    """A provider that knows who cites a work."""

    @property
    def name(self) -> str: ...

    async def citing(self, ids: Mapping[str, str], limit: int = 5) -> ProviderReply: ...


@dataclass(frozen=True, slots=True)
class Snowballed:
    """All works after it, known ones first as they were merged; `new` are those that no one had before, best first."""

    works: tuple[MergedWork, ...]
    new: tuple[MergedWork, ...] = ()
    looked_up: int = 0  # references asked for
    warnings: tuple[str, ...] = ()


async def snowball(
    best: Sequence[MergedWork],
    known: Sequence[MergedWork],
    providers: Sequence[Provider],
    limits: SnowballSettings,
    *,
    rank: Rank,
    affords: Callable[[], bool] = lambda: True,
) -> Snowballed:
    """Go one step out from the first `limits.seeds` of `best`.

    `rank` puts works in order, best first. `affords` is asked before every request; when it says no, what was
    found until then is used. A provider that fails is a warning.
    """
    seeds = best[: limits.seeds]
    by_name = {provider.name: provider for provider in providers}
    batches = _batches(_cited(seeds, known), by_name, limits)
    asks = [_lookup(provider, ids) for provider, ids in batches]
    citing: list[CitingProvider] = [one for one in _in_order(by_name) if isinstance(one, CitingProvider)]
    asks += [_citing(citing, seed, limits.citing) for seed in seeds if limits.citing and citing]
    replies = await asyncio.gather(*(_if_affordable(ask, affords) for ask in asks))
    found = [work for works, _ in replies for work in works]
    warnings = list(dict.fromkeys(warning for _, warning in replies if warning))
    have = {content_of(record) for work in known for record in work.records}
    everything = merge([*known, *found])
    fresh = [work for work in everything if not any(content_of(record) in have for record in work.records)]
    kept = [work.id for work in rank(fresh)][: limits.max_new]
    left_out = {work.id for work in fresh} - set(kept)
    works = merge(work for work in everything if work.id not in left_out)
    by_id = {work.id: work for work in works}
    new = tuple(by_id[name] for name in kept if name in by_id)
    looked_up = sum(len(ids) for _, ids in batches)
    return Snowballed(works, new, looked_up, tuple(warnings))


def _cited(seeds: Sequence[MergedWork], known: Sequence[MergedWork]) -> list[tuple[str, str]]:
    """(kind, id) of works that the seeds cite and nobody has yet, those first that most of the seeds cite."""
    have = {(kind, value) for work in known for record in work.records for kind, value in record.ids.items()}
    counts = Counter(name for seed in seeds for name in {_named(ref) for ref in seed.references} if name)
    return sorted((name for name in counts if name not in have), key=lambda name: (-counts[name], name))


def _named(reference: str) -> tuple[str, str] | None:
    """A reference as (kind, id): "doi:10.1000/x", an OpenAlex id, or another kind in front of a colon."""
    kind, _, value = reference.partition(":")
    if kind in KINDS and value:
        normal = normal_ids({kind: value})
        return (kind, normal[kind]) if kind in normal else None
    openalex = normal_openalex(reference)
    return ("openalex", openalex) if openalex else None


def _batches(
    cited: Sequence[tuple[str, str]], providers: Mapping[str, Provider], limits: SnowballSettings
) -> list[tuple[Provider, list[tuple[str, str]]]]:
    by_kind: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for name in cited[: limits.batch * limits.seeds]:
        by_kind[name[0]].append(name)
    batches = []
    for kind, names in sorted(by_kind.items()):
        asked = [kind] if kind == "openalex" else ["semantic_scholar"] if kind == "s2" else list(_ASKED_BY)
        provider = next((providers[name] for name in asked if name in providers), None)
        if provider is not None:
            batches += [(provider, names[at : at + limits.batch]) for at in range(0, len(names), limits.batch)]
    return batches


def _in_order(providers: Mapping[str, Provider]) -> list[Provider]:
    first = [providers[name] for name in _ASKED_BY if name in providers]
    return [*first, *(provider for name, provider in sorted(providers.items()) if name not in _ASKED_BY)]


Answer = tuple[tuple[Work, ...], str]


async def _if_affordable(ask: Awaitable[Answer], affords: Callable[[], bool]) -> Answer:
    if not affords():
        if asyncio.iscoroutine(ask):
            ask.close()
        return (), "The budget ended before all citations were followed."
    return await ask


async def _lookup(provider: Provider, ids: Sequence[tuple[str, str]]) -> Answer:
    reply = await provider.by_ids(tuple({kind: value} for kind, value in ids))
    return reply.works, _loss(reply, "references")


async def _citing(providers: Sequence[CitingProvider], seed: MergedWork, most: int) -> Answer:
    """The most cited papers that cite one of the best, from the first provider that answers."""
    warning = ""
    for provider in providers:
        reply = await provider.citing(seed.ids, limit=most * _LOOK_AT)
        warning = warning or _loss(reply, "citing papers")
        if reply.works:
            cited_most = sorted(reply.works, key=lambda work: (-(work.citations or 0), work.title))
            return tuple(cited_most[:most]), warning
    return (), warning


def _loss(reply: ProviderReply, what: str) -> str:
    return f"{reply.provider} gave no {what}: {reply.reason}" if reply.failure else ""
