"""What a scholarly database says of one work, before it is merged with what the others say."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, cast, get_args

from litloop.core.records import Form, Paper

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


def work_of_paper(paper: Paper, provider: str = "library", *, query: str = "", rank: int = 0) -> Work:
    """A paper of a library as a record beside those of the databases."""
    kind = str(paper.labels.get("kind", "")).lower()
    return Work(
        provider=provider, title=paper.title, ids=paper.ids, abstract=paper.abstract, authors=paper.authors,
        year=paper.year, venue=paper.venue, url=paper.url, retracted=paper.retracted, rank=rank, query=query,
        kind=cast(WorkKind, kind) if kind in get_args(WorkKind) else "other",
    )  # fmt: skip


def content_key(text: str) -> str:
    """A text up to white space and case: two downloads of one file give the same."""
    return hashlib.sha256(" ".join(text.casefold().split()).encode("utf-8", "surrogatepass")).hexdigest()[:24]
