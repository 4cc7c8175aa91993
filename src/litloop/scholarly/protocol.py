"""What a scholarly database says of one work, before it is merged with what the others say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from litloop.net.faults import FailureKind
from litloop.papers.works import Work


@dataclass(frozen=True, slots=True)
class ScholarlyQuery:
    """One search as every provider understands it: plain words, not a provider's syntax."""

    text: str
    limit: int = 25
    since: int | None = None  # first year, inclusive
    until: int | None = None


@dataclass(frozen=True, slots=True)
class ProviderReply:
    """What one provider answered. `failure` None with no works means that the provider knows none."""

    provider: str
    works: tuple[Work, ...] = ()
    total: int | None = None  # how many the provider says match
    failure: FailureKind | None = None
    reason: str = ""  # one sentence, no secret in it
    cached: bool = False
    ms: float = 0.0
    requests: int = 0


class Provider(Protocol):
    """An outside literature. Never raises for a foreseeable outside failure: it is in the reply."""

    @property
    def name(self) -> str: ...

    async def search(self, query: ScholarlyQuery) -> ProviderReply: ...

    async def by_ids(self, ids: Mapping[str, str] | tuple[Mapping[str, str], ...]) -> ProviderReply: ...
