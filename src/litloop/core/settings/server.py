"""Settings of growing and serving: the server, the shared catalogue, the engine, telemetry."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, SecretStr

from litloop.core.settings.bounds import KeyHashes, Positive, Rate, Seconds, Section, Url, Words


class TelemetrySettings(Section):
    """Runs as OpenTelemetry spans. Needs the extra `otel`."""

    endpoint: Url | None = Field(
        None, description="Address of an OTLP/HTTP collector, such as http://localhost:4318; unset: off"
    )
    content: bool = Field(False, description="Put the question, the queries and the answer into the spans")
    service_name: str = Field("litloop", description="Name of the service in the spans")
    timeout_s: Seconds = Field(5, description="Time limit for sending, in seconds")


class CatalogueSettings(Section):
    """Where papers, texts and passages are stored."""

    url: SecretStr | None = Field(
        None,
        description="postgresql://USER@HOST/DATABASE, so that several servers share one library; unset: a SQLite file",
    )
    schema_name: str = Field(
        "litloop", pattern="^[a-z_][a-z0-9_]{0,62}$", description="Database schema that holds this library"
    )


class EngineSettings(Section):
    """Where the search index is."""

    kind: Literal["auto", "embedded", "qdrant"] = Field(
        "auto", description="Index engine; auto takes the one that the library was last migrated to"
    )
    url: str | None = Field(None, description="qdrant://HOST:6333 of a Qdrant server, or of any node of a cluster")
    api_key: SecretStr | None = Field(None, description="Key for Qdrant")
    name: str | None = Field(None, description="Prefix that keeps this library's collections apart on the server")
    timeout_s: Seconds = Field(10, description="Time limit for one request, in seconds")
    attempts: Annotated[int, Field(ge=1, le=10, description="Maximum number of attempts for one request")] = 3
    shards: Positive | None = Field(None, description="Shards of a new collection; unset: one for each node")
    replicas: Positive = Field(1, description="Copies of each shard; with 2, losing a node loses nothing")
    write_consistency: Positive = Field(1, description="Copies that must hold a change before it counts")


class ServerSettings(Section):
    """The HTTP server."""

    host: str = Field(
        "127.0.0.1", description="Address to listen on; for any other than loopback, `server.api_keys` is required"
    )
    port: Annotated[int, Field(ge=0, le=65535, description="Port to listen on; 0: any free port")] = 8000
    api_keys: KeyHashes = Field(
        (), description="SHA-256 of each API key that is accepted (`litloop serve --new-key` makes one)"
    )
    origins: Words = Field((), description="Other origins whose pages may use the server, such as https://host")
    hosts: Words = Field((), description="Other host names that this server answers to")
    trusted_proxies: Words = Field((), description="Addresses or networks whose X-Forwarded-For header is trusted")
    query_limit: Rate = Field("10/minute", description="Limit on questions from one address; off: no limit")
    search_limit: Rate = Field("", description="Limit on searches from one address, such as 60/minute; unset: no limit")
    atlas_limit: Rate = Field("20/minute", description="Limit on atlas requests from one address")
    upload_limit: Rate = Field("30/minute", description="Limit on uploads from one address")
    upload_mb: Annotated[float, Field(gt=0, description="Maximum size of an upload, all its files together, in MB")] = (
        200
    )
    max_runs: Annotated[
        int, Field(ge=1, le=1000, description="Questions answered at a time; further ones get status 503")
    ] = 16
    max_searches: Annotated[int, Field(ge=1, le=10_000, description="Searches waiting or running at a time")] = 64
    threads: Annotated[
        int, Field(ge=0, le=256, description="Threads that compute searches; 0: four for each core, at least 32")
    ] = 0
    run_timeout_s: Seconds = Field(170, description="Time limit for one question, in seconds")
    heartbeat_s: Seconds = Field(15, description="Pause after which a silent stream sends a comment line, in seconds")
    reconnect_s: Annotated[
        float, Field(ge=0, description="How long a run continues when nobody watches it, in seconds")
    ] = 3
    shutdown_s: Annotated[
        float, Field(ge=0, description="Time that runs get to finish when the server stops, in seconds")
    ] = 10
    keep_runs: Annotated[int, Field(ge=1, description="Past runs kept with their events")] = 1000
