"""Settings of what lies outside: the web, the scholarly databases, how their works are ranked and read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field, SecretStr

from litloop.core.settings.kinds import Positive, Seconds, Section, Url, Weight


class Tavily(Section):
    enabled: bool = False
    api_key: SecretStr | None = None
    base_url: Url = "https://api.tavily.com"
    daily_calls: Annotated[int, Field(ge=0, description="counted over all processes of this machine")] = 30


class SearXNG(Section):
    enabled: bool = False
    base_url: Url | None = Field(None, description="of your own instance, with its JSON format switched on")
    daily_calls: Annotated[int, Field(ge=0)] = 1000


class Web(Section):
    tavily: Tavily = Tavily()
    searxng: SearXNG = SearXNG()
    max_results: Annotated[int, Field(ge=1, le=20)] = 5
    max_characters: Positive = Field(2000, description="of one result's text that is kept")
    timeout_s: Seconds = 8


class ScholarlyProvider(Section):
    """One scholarly database."""

    enabled: bool = True
    base_url: Url | None = Field(None, description="in place of the provider's own address")
    api_key: SecretStr | None = None
    min_interval_s: Annotated[float, Field(ge=0)] | None = Field(
        None, description="least pause between two calls of this machine; none: what the provider asks for"
    )


class Scholarly(Section):
    mailto: str | None = Field(None, description="your e-mail address, told to the providers; Unpaywall wants one")
    per_query: Annotated[int, Field(ge=1, le=100, description="papers asked of each provider for each query")] = 25
    timeout_s: Seconds = Field(10, description="of one request")
    provider_deadline_s: Seconds = Field(20, description="of one provider, for all queries together")
    deadline_s: Seconds = Field(30, description="of one search over all providers")
    attempts: Annotated[int, Field(ge=1, le=10)] = 3
    retry_after_cap_s: Seconds = Field(8, description="a provider that asks for a longer pause is lost for now")
    concurrency: Annotated[int, Field(ge=1, le=64, description="requests at a time over all providers")] = 24
    max_response_mb: Annotated[float, Field(gt=0)] = 16
    cache: bool = True
    cache_hours: Annotated[float, Field(gt=0)] = 72
    cache_mb: Positive = 256
    breaker_failures: Positive = 3
    breaker_cooldown_s: Seconds = 60
    openalex: ScholarlyProvider = ScholarlyProvider()
    semantic_scholar: ScholarlyProvider = ScholarlyProvider()
    arxiv: ScholarlyProvider = ScholarlyProvider()
    pubmed: ScholarlyProvider = ScholarlyProvider()
    crossref: ScholarlyProvider = ScholarlyProvider()
    europepmc: ScholarlyProvider = ScholarlyProvider()
    unpaywall: ScholarlyProvider = ScholarlyProvider()
    others: Mapping[str, ScholarlyProvider] = Field(
        default_factory=dict, description="for providers that installed packages add, by their name"
    )


class Ranking(Section):
    """One ranking of local and remote papers. The text counts most; the other signals are in 0-1 and weak."""

    sparse_weight: Weight = Field(0.3, description="BM25 over title and abstract")
    dense_weight: Weight = Field(0.7, description="cosine over title and abstract; 0: no embedding")
    embedded: Positive = Field(60, description="papers that are embedded, those that the keywords rank highest")
    citations: Annotated[float, Field(ge=0, le=0.1)] = 0.04
    recency: Annotated[float, Field(ge=0, le=0.1)] = 0.03
    venue: Annotated[float, Field(ge=0, le=0.1)] = 0.01
    completeness: Annotated[float, Field(ge=0, le=0.1)] = 0.02
    conflict_penalty: Annotated[float, Field(ge=0, le=0.5)] = Field(
        0.05, description="taken off where the databases disagree on DOI, year, title or authors"
    )


class Snowball(Section):
    """Going on from the best papers to what they cite and what cites them."""

    enabled: bool = False
    seeds: Annotated[int, Field(ge=1, le=50, description="best papers to start from")] = 5
    batch: Annotated[int, Field(ge=1, le=200, description="references looked up at a time")] = 50
    citing: Annotated[int, Field(ge=0, le=100, description="most-cited citing papers of each of them")] = 5
    max_new: Annotated[int, Field(ge=1, le=500)] = 30


class FullText(Section):
    """Open-access full texts of the papers that an answer rests on."""

    enabled: bool = True
    max_papers: Annotated[int, Field(ge=0, le=100)] = 5
    max_mb: Annotated[float, Field(gt=0, le=500)] = 15
    timeout_s: Seconds = Field(30, description="of one paper, over all places it may be had")
    max_redirects: Annotated[int, Field(ge=0, le=20)] = 5
    cache_mb: Positive = Field(1024, description="kept downloads; the least recently used go first")
    allow_loopback: bool = Field(False, description="fetch from this machine too, for tests")
