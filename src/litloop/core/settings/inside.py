"""Settings of what happens on this machine and with models: reading, search, the loops, answering, budgets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, SecretStr, field_validator, model_validator

from litloop.core.settings.kinds import Fraction, Positive, Seconds, Section, Url, Weight


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
        "topic", description="flat: NeuLitTrace's factor on every labelled paper; topic: only on the topic asked for"
    )
    rerank: bool = False
    rerank_model: str = Field(
        "late-interaction", description="that, over the embedder's own tokens; or a cross-encoder: folder, or hub name"
    )
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


TASKS = (
    "hyde", "paraphrase", "refine", "relevance", "coverage", "extract", "summarise", "citation", "differential",
    "question",
)  # fmt: skip


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

    @field_validator("roles")
    @classmethod
    def _of_known_tasks(cls, roles: Mapping[str, str]) -> Mapping[str, str]:
        unknown = [task for task in roles if task not in TASKS]
        if unknown:
            raise ValueError(f"no task is called {unknown[0]}; known are {', '.join(TASKS)}")
        return roles


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
