"""What a scholarly database says of one work, before it is merged with what the others say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from litloop.core.records import Form

WorkKind = Literal["article", "preprint", "review", "conference", "chapter", "book", "thesis", "editorial", "erratum",
                   "dataset", "other"]  # fmt: skip


Version = Literal["published", "accepted", "submitted", "unknown"]


@dataclass(frozen=True, slots=True)
class FullTextLocation:
    """Where the whole text of a work can be fetched, as a database tells it. Untrusted: never fetched unchecked."""

    url: str
    format: Form = "unknown"
    licence: str | None = None
    version: Version = "unknown"


@dataclass(frozen=True, slots=True)
class Work:
    """One provider's record of one work.

    `ids` are normalised (lower-case DOI without any prefix form, arXiv id without version, PMID and PMCID as
    digits with the latter's "PMC", OpenAlex "W…", S2 hash). `citations` is None when the provider does not
    say, never 0. `rank` counts from 1 within the provider's answer to `query`.
    """

    provider: str
    title: str
    ids: Mapping[str, str] = field(default_factory=dict)  # doi, pmid, pmcid, arxiv, openalex, s2
    abstract: str = ""
    authors: tuple[str, ...] = ()  # "Given Family", in order
    year: int | None = None
    venue: str | None = None
    url: str | None = None
    kind: WorkKind = "other"
    citations: int | None = None
    references: tuple[str, ...] = ()  # provider-native or "doi:…" ids of cited works, where told
    full_texts: tuple[FullTextLocation, ...] = ()
    retracted: bool = False
    relations: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # "preprint_of", "has_preprint" → DOIs
    rank: int = 0
    query: str = ""
