"""Settings of growing and serving: the server, the shared catalogue, the engine, telemetry."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, SecretStr

from litloop.core.settings.kinds import KeyHashes, Positive, Rate, Seconds, Section, Url, Words


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
    api_keys: KeyHashes = Field(
        (), description="SHA-256 of each key that may ask (`litloop serve --new-key` makes one)"
    )
    origins: Words = Field((), description="other origins whose pages may ask, as https://host")
    hosts: Words = Field((), description="names this server is reached by, beside the loopback ones and `host`")
    trusted_proxies: Words = Field((), description="addresses or networks whose X-Forwarded-For is believed")
    query_limit: Rate = Field("10/minute", description="questions of one address; off: no limit")
    search_limit: Rate = Field("", description="searches of one address")
    atlas_limit: Rate = Field("20/minute", description="atlas look-ups of one address")
    upload_limit: Rate = Field("30/minute", description="uploads of one address")
    upload_mb: Annotated[float, Field(gt=0, description="of one upload, all its files together")] = 200
    max_runs: Annotated[int, Field(ge=1, le=1000, description="questions answered at once; more get a 503")] = 16
    max_searches: Annotated[int, Field(ge=1, le=10_000, description="searches waiting or running at once")] = 64
    threads: Annotated[
        int, Field(ge=0, le=256, description="that compute searches; 0: 32, or four for each core where that is more")
    ] = 0
    run_timeout_s: Seconds = 170
    heartbeat_s: Seconds = 15
    reconnect_s: Annotated[float, Field(ge=0, description="how long a run goes on that nobody watches")] = 3
    shutdown_s: Annotated[float, Field(ge=0, description="how long runs may take to end when the server stops")] = 10
    keep_runs: Annotated[int, Field(ge=1, description="past runs kept with their events")] = 1000
