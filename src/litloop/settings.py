"""One typed tree of settings, loaded when first needed.

From weakest to strongest: the defaults below, `litloop.toml` in the library folder, the seeds' own names
(`CHUNK_SIZE`, `TAVILY_ENABLED`, …), `LITLOOP_<SECTION>__<NAME>` in `.env` and then in the environment, and what
the caller passes.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from dotenv import dotenv_values
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    model_validator,
)

from litloop.errors import SettingsError

Fraction = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[int, Field(gt=0)]
Seconds = Annotated[float, Field(gt=0)]
Weight = Annotated[float, Field(ge=0)]


def _is_url(value: str) -> str:
    """An http or https address with a host, so that a typing error is found here and not at the first call."""
    try:
        parts = urlsplit(value)
        well_formed = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:  # a port that is no number, an unclosed bracket
        well_formed = False
    if not well_formed or any(character.isspace() for character in value):
        raise ValueError("not an address such as https://host/v1")
    return value


Url = Annotated[str, AfterValidator(_is_url)]


def _split(value: object) -> object:
    """`a, b` from an environment variable; a list as it is."""
    return tuple(word.strip() for word in value.split(",") if word.strip()) if isinstance(value, str) else value


def _is_rate(value: str) -> str:
    """A number of requests in a stretch of time, as 10/minute, or nothing for no limit."""
    if value and not re.fullmatch(r"[1-9]\d{0,8}/(second|minute|hour|day)", value):
        raise ValueError("not a rate such as 10/minute")
    return value


Words = Annotated[tuple[str, ...], BeforeValidator(_split)]
Rate = Annotated[str, AfterValidator(_is_rate)]


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)


class Embedding(Section):
    model: str = Field("bge-small-en-v1.5", description="a known name, or the path of a folder with an ONNX model")
    runtime: Literal["auto", "openvino", "onnxruntime"] = "auto"
    precision: Literal["auto", "f32"] = Field("auto", description="f32 gives byte-equal vectors on any CPU")
    batch_size: Positive = 32
    threads: Annotated[int, Field(ge=0, description="0: all cores")] = 0


class Passages(Section):
    size: Annotated[int, Field(ge=16, le=8192, description="in the embedder's tokens")] = 256
    overlap: Annotated[int, Field(ge=0, description="in the embedder's tokens")] = 32

    @model_validator(mode="after")
    def _overlap_is_smaller(self) -> Passages:
        if self.overlap >= self.size:
            raise ValueError("overlap must be smaller than size")
        return self


class Reading(Section):
    max_file_mb: Annotated[float, Field(gt=0)] = 512
    max_unpacked_mb: Annotated[float, Field(gt=0, description="of a DOCX, against zip bombs")] = 512
    timeout_s: Seconds = 300
    memory_mb: Positive = 4096
    workers: Annotated[int, Field(ge=1, le=64)] = 2


class Search(Section):
    mode: Literal["hybrid", "sparse", "dense", "learned"] = "hybrid"
    fusion: Literal["blend", "rrf"] = "blend"
    k: Annotated[int, Field(ge=1, le=1000)] = 10
    candidates: Annotated[int, Field(ge=10, le=10_000, description="each leg's depth before fusion")] = 100
    sparse_weight: Weight = 0.3
    dense_weight: Weight = 0.7
    web_weight: Weight = 0.6
    rrf_k: Positive = 60
    neighbours: Annotated[
        int, Field(ge=0, le=100, description="nearest candidates whose scores a hit shares; 0: off")
    ] = 5
    neighbour_share: Fraction = Field(0.4, description="share of a hit's score that its nearest candidates give")
    expansion_weight: Fraction = Field(0.4, description="share of the HyDE text against the question's own words")
    boost: Literal["off", "flat", "topic"] = Field(
        "topic", description="flat: the first seed's factor on every labelled paper; topic: only on the topic asked for"
    )
    rerank: bool = False
    rerank_model: str = "cross-encoder/ms-marco-MiniLM-L-6-v2"
    rerank_candidates: Positive = 20
    rerank_top_k: Positive = 5
    expand: bool = False
    web_trigger: Fraction = Field(0.3, description="retrieval_confidence under which the web is asked")
    synthesis_threshold: Fraction = Field(0.4, description="retrieval_confidence under which nothing is synthesised")
    synthesis_enabled: bool = True
    web_duplicate_cosine: Fraction = 0.85


class SearchLoop(Section):
    max_rounds: Annotated[int, Field(ge=1, le=10)] = 2
    min_relevant: Annotated[int, Field(ge=1)] = 2
    top_k: Annotated[int, Field(ge=1, le=100)] = 5
    hyde: bool = False
    paraphrase: bool = False
    closest_topics: Annotated[int, Field(ge=0, le=20)] = 3


class ResearchLoop(Section):
    enabled: bool = True
    max_iterations: Annotated[int, Field(ge=0, le=10)] = 1
    min_sufficient_papers: Positive = 6
    max_follow_up_queries: Annotated[int, Field(ge=0, le=20)] = 3
    judged: Annotated[int, Field(ge=1, le=100, description="best papers of each round that relevance is judged of")] = (
        20
    )


class Dispatch(Section):
    tie: Fraction = Field(0.05, description="spread of relevance under which the ranking is called a tie")
    sequential_tokens: Positive = 6000
    batch_tokens: Positive = 12000


class LLM(Section):
    profile: Literal["auto", "groq", "gemini", "openai", "ollama", "llamacpp", "custom", "offline"] = "auto"
    base_url: Url | None = Field(None, description="of an OpenAI-compatible endpoint, in place of the profile's own")
    api_key: SecretStr | None = None
    model: str | None = None
    roles: Mapping[str, str] = Field(
        default_factory=dict, description="task -> model, profile/model or offline, where one task differs"
    )
    timeout_s: Seconds = 15
    attempts: Annotated[int, Field(ge=1, le=10)] = 3
    retry_after_cap_s: Seconds = 20
    temperature: Annotated[float, Field(ge=0, le=2)] = 0
    max_output_tokens: Positive = 1024
    cache: bool = False
    fallback: bool = Field(True, description="use Gemini when the first provider fails and its key is known")
    input_usd_per_million: Weight | None = Field(None, description="price of a model that the price table lacks")
    output_usd_per_million: Weight | None = None


class EgressPath(Section):
    base_url: Url | None = Field(None, description="a gateway in front of the provider; none: straight to it")
    timeout_s: Seconds | None = None
    breaker_failures: Positive = 5
    breaker_cooldown_s: Seconds = 30


class Paths(Section):
    proxy: EgressPath = EgressPath()
    direct: EgressPath = EgressPath()


class Compression(Section):
    kind: Literal["auto", "off", "extractive", "paritok"] = "auto"
    base_url: Url | None = None
    api_key: SecretStr | None = None
    model: str = "paritok-4b-v1"
    timeout_s: Seconds = 8
    min_tokens: Positive = 512
    keep: Fraction = Field(0.5, description="share of tokens that extractive compression aims to keep")
    breaker_failures: Positive = 5
    breaker_cooldown_s: Seconds = 30


class BudgetLimits(Section):
    """What one run may spend. None: no limit."""

    tokens: Positive | None = None
    seconds: Seconds | None = None
    cost_usd: Annotated[float, Field(gt=0)] | None = None


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
    seeds: Annotated[int, Field(ge=1, le=50)] = 5
    batch: Annotated[int, Field(ge=1, le=200, description="references looked up at a time")] = 50
    citing: Annotated[int, Field(ge=0, le=100, description="most-cited citing papers of each seed")] = 5
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


class Telemetry(Section):
    """Runs as OpenTelemetry spans (`pip install 'litloop[otel]'`)."""

    endpoint: Url | None = Field(None, description="an OTLP/HTTP collector, as in http://localhost:4318; none: off")
    content: bool = Field(False, description="put the question, the queries and the answer into the spans")
    service_name: str = "litloop"
    timeout_s: Seconds = 5


class CatalogueSettings(Section):
    url: SecretStr | None = Field(
        None, description="postgresql://USER@HOST/DATABASE, for several servers over one library; none: a SQLite file"
    )
    schema_name: str = Field("litloop", pattern="^[a-z_][a-z0-9_]{0,62}$", description="the library in that database")


class EngineSettings(Section):
    kind: Literal["auto", "embedded", "qdrant"] = Field("auto", description="auto: where the library was migrated to")
    url: str | None = Field(None, description="qdrant://host:6333 of a server or of any node of a cluster")
    api_key: SecretStr | None = None
    name: str | None = Field(None, description="sets this library's collections apart on the server")
    timeout_s: Seconds = 10
    attempts: Annotated[int, Field(ge=1, le=10)] = 3
    shards: Positive | None = Field(None, description="of each new collection; none: as many as there are nodes")
    replicas: Positive = Field(1, description="copies of each shard; with 2, a lost node loses nothing")
    write_consistency: Positive = Field(1, description="copies that must have a change before it counts")


class Server(Section):
    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535, description="0: any free one")] = 8000
    api_keys: Words = Field((), description="SHA-256 of each key that may ask (`litloop serve --new-key` makes one)")
    origins: Words = Field((), description="other origins whose pages may ask, as https://host")
    hosts: Words = Field((), description="names this server is reached by, beside the loopback ones and `host`")
    trusted_proxies: Words = Field((), description="addresses or networks whose X-Forwarded-For is believed")
    query_limit: Rate = Field("10/minute", description="questions of one address; empty: no limit")
    search_limit: Rate = Field("", description="searches of one address")
    atlas_limit: Rate = Field("20/minute", description="atlas look-ups of one address")
    upload_limit: Rate = Field("30/minute", description="uploads of one address")
    upload_mb: Annotated[float, Field(gt=0, description="of one upload, all its files together")] = 200
    max_runs: Annotated[int, Field(ge=1, le=1000, description="questions answered at once; more get a 503")] = 16
    max_searches: Annotated[int, Field(ge=1, le=10_000, description="searches waiting or running at once")] = 64
    threads: Annotated[int, Field(ge=0, le=256, description="that compute searches; 0: four for each core")] = 0
    run_timeout_s: Seconds = 170
    heartbeat_s: Seconds = 15
    reconnect_s: Annotated[float, Field(ge=0, description="how long a run goes on that nobody watches")] = 3
    shutdown_s: Annotated[float, Field(ge=0, description="how long runs may take to end when the server stops")] = 10
    keep_runs: Annotated[int, Field(ge=1, description="past runs kept with their events")] = 1000


class Settings(Section):
    embedding: Embedding = Embedding()
    passages: Passages = Passages()
    reading: Reading = Reading()
    search: Search = Search()
    search_loop: SearchLoop = SearchLoop()
    research_loop: ResearchLoop = ResearchLoop()
    dispatch: Dispatch = Dispatch()
    llm: LLM = LLM()
    paths: Paths = Paths()
    compression: Compression = Compression()
    budget: BudgetLimits = BudgetLimits()
    scholarly: Scholarly = Scholarly()
    ranking: Ranking = Ranking()
    snowball: Snowball = Snowball()
    full_text: FullText = FullText()
    web: Web = Web()
    catalogue: CatalogueSettings = CatalogueSettings()
    engine: EngineSettings = EngineSettings()
    server: Server = Server()
    telemetry: Telemetry = Telemetry()
    groq_api_key: SecretStr | None = None
    gemini_api_key: SecretStr | None = None
    openai_api_key: SecretStr | None = None


# The names the seeds and the providers use, and the setting each one fills.
ALIASES: Mapping[str, tuple[str, ...]] = {
    "GROQ_API_KEY": ("groq_api_key",),
    "GEMINI_API_KEY": ("gemini_api_key",),
    "OPENAI_API_KEY": ("openai_api_key",),
    "PARITOK_API_KEY": ("compression", "api_key"),
    "OPENALEX_API_KEY": ("scholarly", "openalex", "api_key"),
    "SEMANTIC_SCHOLAR_API_KEY": ("scholarly", "semantic_scholar", "api_key"),
    "NCBI_API_KEY": ("scholarly", "pubmed", "api_key"),
    "UNPAYWALL_EMAIL": ("scholarly", "mailto"),
    "TAVILY_API_KEY": ("web", "tavily", "api_key"),
    "TAVILY_ENABLED": ("web", "tavily", "enabled"),
    "TAVILY_WEIGHT": ("search", "web_weight"),
    "WEB_TRIGGER_THRESHOLD": ("search", "web_trigger"),
    "SYNTHESIS_THRESHOLD": ("search", "synthesis_threshold"),
    "SYNTHESIS_ENABLED": ("search", "synthesis_enabled"),
    "EMBEDDING_MODEL": ("embedding", "model"),
    "RERANKER_MODEL": ("search", "rerank_model"),
    "CHUNK_SIZE": ("passages", "size"),
    "CHUNK_OVERLAP": ("passages", "overlap"),
}

PREFIX = "LITLOOP_"
# Variables with our prefix that are not settings: where the library and the test data are.
NOT_SETTINGS = frozenset({"LITLOOP_LIBRARY", "LITLOOP_CACHE", "LITLOOP_TEST_DATA", "LITLOOP_TEST_QDRANT_URL"})


def load_settings(
    library: Path | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    dotenv: Path | None = Path(".env"),
    **overrides: Any,
) -> Settings:
    """Read every source once and check the result.

    `overrides` are nested dictionaries, as in `load_settings(search={"k": 5})`.
    Raises SettingsError with one sentence naming the first wrong setting.
    """
    environ = os.environ if environ is None else environ
    from_file = dotenv_values(dotenv) if dotenv and dotenv.is_file() else {}
    variables = {name: value for name, value in {**from_file, **environ}.items() if value}
    tree: dict[str, Any] = {}
    _merge(tree, _toml(library / "litloop.toml" if library else None))
    for name, path in ALIASES.items():
        if name in variables:
            _put(tree, path, variables[name], name)
    for name, value in variables.items():
        if name.startswith(PREFIX) and name not in NOT_SETTINGS and not name.startswith(PREFIX + "TEST_"):
            _put(tree, tuple(name[len(PREFIX) :].lower().split("__")), value, name)
    _merge(tree, overrides)
    try:
        return Settings.model_validate(tree)
    except ValidationError as error:
        raise SettingsError(_sentence(error)) from None


def _toml(path: Path | None) -> dict[str, Any]:
    if path is None or not path.is_file():
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path.name} is not valid TOML: {error}.") from None


def _merge(tree: dict[str, Any], other: Mapping[str, Any]) -> None:
    for key, value in other.items():
        if isinstance(value, Mapping) and isinstance(tree.get(key), dict):
            _merge(tree[key], value)
        else:
            tree[key] = dict(value) if isinstance(value, Mapping) else value


def _put(tree: dict[str, Any], path: tuple[str, ...], value: str, name: str) -> None:
    for key in path[:-1]:
        tree = tree.setdefault(key, {})
        if not isinstance(tree, dict):
            raise SettingsError(f"{name} does not name a setting: {key} has no parts.")
    tree[path[-1]] = value


def _sentence(error: ValidationError) -> str:
    """The first fault in one sentence, without the value: it may be a secret."""
    fault = error.errors(include_input=False, include_url=False)[0]
    place = ".".join(str(part) for part in fault["loc"])
    variable = PREFIX + "__".join(str(part) for part in fault["loc"]).upper()
    if fault["type"] == "extra_forbidden":
        return f"There is no setting called {place} ({variable}). `litloop doctor` lists the settings."
    message = fault["msg"].removeprefix("Value error, ")
    return f"The setting {place or 'passages'} is wrong: {message[:1].lower()}{message[1:]} (set by {variable})."
