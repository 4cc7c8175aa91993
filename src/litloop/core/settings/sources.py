"""Settings of what lies outside: the web, the scholarly databases, how their works are ranked and read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field, SecretStr

from litloop.core.settings.bounds import Positive, Seconds, Section, Url, Weight


class TavilySettings(Section):
    enabled: bool = Field(False, description="Search the web with Tavily")
    api_key: SecretStr | None = Field(None, description="Key for Tavily")
    base_url: Url = Field("https://api.tavily.com", description="Address of Tavily")
    daily_calls: Annotated[
        int, Field(ge=0, description="Maximum number of calls a day, counted over all processes on this machine")
    ] = 30


class SearXNGSettings(Section):
    enabled: bool = Field(False, description="Search the web with SearXNG")
    base_url: Url | None = Field(
        None, description="Address of your SearXNG instance, which must have its JSON format enabled"
    )
    daily_calls: Annotated[
        int, Field(ge=0, description="Maximum number of calls a day, counted over all processes on this machine")
    ] = 1000


class WebSettings(Section):
    """Web search beside the library. Off by default."""

    tavily: TavilySettings = TavilySettings()
    searxng: SearXNGSettings = SearXNGSettings()
    max_results: Annotated[int, Field(ge=1, le=20, description="Maximum number of results taken from an engine")] = 5
    max_characters: Positive = Field(2000, description="Maximum number of characters kept of a result's text")
    timeout_s: Seconds = Field(8, description="Time limit for one request, in seconds")


class ProviderSettings(Section):
    """One scholarly database."""

    enabled: bool = Field(True, description="Use this database")
    base_url: Url | None = Field(None, description="Address, in place of the database's own")
    api_key: SecretStr | None = Field(None, description="Key, for databases that take one")
    min_interval_s: Annotated[float, Field(ge=0)] | None = Field(
        None,
        description="Shortest pause between two calls from this machine, in seconds; unset: what the database asks for",
    )


class ScholarlySettings(Section):
    """The scholarly databases that `research` searches."""

    mailto: str | None = Field(
        None, description="Your e-mail address, which is sent to the databases; Unpaywall requires one"
    )
    per_query: Annotated[int, Field(ge=1, le=100, description="Papers requested from each database for a query")] = 25
    timeout_s: Seconds = Field(10, description="Time limit for one request, in seconds")
    provider_deadline_s: Seconds = Field(
        20, description="Time limit for all queries to one database together, in seconds"
    )
    deadline_s: Seconds = Field(30, description="Time limit for one search of all databases, in seconds")
    attempts: Annotated[int, Field(ge=1, le=10, description="Maximum number of attempts for one request")] = 3
    retry_after_cap_s: Seconds = Field(
        8, description="Longest pause that a database may ask for, in seconds; beyond it, it is skipped for now"
    )
    concurrency: Annotated[int, Field(ge=1, le=64, description="Requests at a time, over all databases")] = 24
    max_response_mb: Annotated[float, Field(gt=0, description="Maximum size of a response, in MB")] = 16
    cache: bool = Field(True, description="Keep responses on disk (needs the extra `scholarly`)")
    cache_hours: Annotated[float, Field(gt=0, description="How long responses are kept, in hours")] = 72
    cache_mb: Positive = Field(256, description="Maximum size of the kept responses, in MB")
    breaker_failures: Positive = Field(3, description="Failures in a row after which a database is paused")
    breaker_cooldown_s: Seconds = Field(60, description="Length of that pause, in seconds")
    openalex: ProviderSettings = ProviderSettings()
    semantic_scholar: ProviderSettings = ProviderSettings()
    arxiv: ProviderSettings = ProviderSettings()
    pubmed: ProviderSettings = ProviderSettings()
    crossref: ProviderSettings = ProviderSettings()
    europepmc: ProviderSettings = ProviderSettings()
    unpaywall: ProviderSettings = ProviderSettings()
    others: Mapping[str, ProviderSettings] = Field(
        default_factory=dict, description="The same settings for databases that installed packages add, by name"
    )


class RankingSettings(Section):
    """Ranking of papers in `research`. The match of the text counts most; the other signals, each 0 to 1, are weak."""

    sparse_weight: Weight = Field(0.3, description="Weight of BM25 over title and abstract")
    dense_weight: Weight = Field(0.7, description="Weight of the vectors of title and abstract; 0: no embedding")
    embedded: Positive = Field(60, description="Papers that are embedded: those that BM25 ranks highest")
    citations: Annotated[float, Field(ge=0, le=0.1, description="Weight of the number of citations")] = 0.04
    recency: Annotated[float, Field(ge=0, le=0.1, description="Weight of how recent a paper is")] = 0.03
    venue: Annotated[float, Field(ge=0, le=0.1, description="Weight of the venue")] = 0.01
    completeness: Annotated[
        float, Field(ge=0, le=0.1, description="Weight of how complete the record is (abstract, authors, year, ids)")
    ] = 0.02
    conflict_penalty: Annotated[float, Field(ge=0, le=0.5)] = Field(
        0.05, description="Subtracted where databases disagree on DOI, year, title or authors"
    )


class SnowballSettings(Section):
    """Following citations from the best papers: what they cite and what cites them."""

    enabled: bool = Field(False, description="Follow citations")
    seeds: Annotated[int, Field(ge=1, le=50, description="Best papers to start from")] = 5
    batch: Annotated[int, Field(ge=1, le=200, description="References looked up at a time")] = 50
    citing: Annotated[
        int, Field(ge=0, le=100, description="Citing papers taken for each of them, the most cited first")
    ] = 5
    max_new: Annotated[int, Field(ge=1, le=500, description="Maximum number of papers added")] = 30


class FullTextSettings(Section):
    """Open-access full texts of the papers that a research answer rests on."""

    enabled: bool = Field(True, description="Fetch full texts")
    max_papers: Annotated[int, Field(ge=0, le=100, description="Maximum number of papers fetched in a run")] = 5
    max_mb: Annotated[float, Field(gt=0, le=500, description="Maximum size of a download, in MB")] = 15
    timeout_s: Seconds = Field(30, description="Time limit for one paper, over all its addresses, in seconds")
    max_redirects: Annotated[int, Field(ge=0, le=20, description="Maximum number of redirects followed")] = 5
    cache_mb: Positive = Field(
        1024, description="Maximum size of kept downloads, in MB; the least recently used go first"
    )
    allow_loopback: bool = Field(False, description="Fetch from this machine too (for tests)")
