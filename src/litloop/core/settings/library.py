"""Settings of what happens on this machine and with models: reading, search, the loops, answering, budgets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, SecretStr, field_validator, model_validator

from litloop.core.choices import BoostForm, Fusion, Precision, Profile, RuntimeName, SearchMode
from litloop.core.settings.bounds import Fraction, Positive, Seconds, Section, Url, Weight


class EmbeddingSettings(Section):
    """The model that turns text into vectors. A library keeps the embedder it was made with."""

    model: str = Field(
        "bge-small-en-v1.5", description="Embedder: a known name, or the path of a folder with an ONNX model"
    )
    runtime: RuntimeName = Field(
        "auto", description="Library that runs the model; auto takes OpenVINO where it is installed"
    )
    precision: Precision = Field(
        "auto", description="Arithmetic of the model; f32 gives byte-equal vectors on any CPU and is slower"
    )
    batch_size: Positive = Field(32, description="Texts embedded at a time")
    threads: Annotated[int, Field(ge=0, description="CPU threads for embedding; 0: all cores")] = 0


class PassageSettings(Section):
    """How a paper's text is cut into passages. After a change, run `litloop reindex`."""

    size: Annotated[int, Field(ge=16, le=8192, description="Maximum length of a passage, in the embedder's tokens")] = (
        256
    )
    overlap: Annotated[
        int, Field(ge=0, description="Text that neighbouring passages share, in the embedder's tokens")
    ] = 32

    @model_validator(mode="after")
    def _overlap_is_smaller(self) -> PassageSettings:
        if self.overlap >= self.size:
            raise ValueError("overlap must be smaller than size")
        return self


class ReadingSettings(Section):
    """Limits for reading files. A file beyond a limit is skipped, with the reason."""

    max_file_mb: Annotated[float, Field(gt=0, description="Maximum size of a file, in MB")] = 512
    max_unpacked_mb: Annotated[
        float, Field(gt=0, description="Maximum unpacked size of a DOCX, in MB (a guard against zip bombs)")
    ] = 512
    timeout_s: Seconds = Field(300, description="Time limit for one file, in seconds")
    memory_mb: Positive = Field(4096, description="Memory of a process that reads files, in MB")
    workers: Annotated[int, Field(ge=1, le=64, description="Processes that read files")] = 2


class SearchSettings(Section):
    """Ranking of passages, for `search` and for every round of `ask`."""

    mode: SearchMode = Field(
        "hybrid", description="What ranks: BM25 and vectors together, BM25 alone, vectors alone, or a trained fusion"
    )
    fusion: Fusion = Field(
        "blend", description="How BM25 and vectors are joined: by scaled scores, or by reciprocal ranks"
    )
    k: Annotated[int, Field(ge=1, le=1000, description="Passages returned")] = 10
    candidates: Annotated[
        int, Field(ge=10, le=10_000, description="Passages that BM25 and vectors each contribute before fusion")
    ] = 100
    sparse_weight: Weight = Field(0.3, description="Weight of BM25 where scores are blended")
    dense_weight: Weight = Field(0.7, description="Weight of the vectors where scores are blended")
    rrf_sparse_weight: Weight = Field(1.0, description="Weight of BM25 in reciprocal rank fusion")
    rrf_dense_weight: Weight = Field(1.0, description="Weight of the vectors in reciprocal rank fusion")
    web_weight: Weight = Field(0.6, description="Weight of web results beside local ones")
    rrf_k: Positive = Field(60, description="Constant k of reciprocal rank fusion")
    neighbours: Annotated[
        int, Field(ge=0, le=100, description="Nearest candidates with which a passage shares its score; 0: off")
    ] = 5
    neighbour_share: Fraction = Field(
        0.4, description="Share of a passage's score that comes from its nearest candidates"
    )
    expansion_weight: Fraction = Field(
        0.4, description="Weight of expanded text (HyDE, paraphrases) against the question's own words"
    )
    boost: BoostForm = Field(
        "topic",
        description="Lifts papers with certain labels: topic lifts only those on the topic asked about, flat lifts all "
        "(as NeuLitTrace does)",
    )
    rerank: bool = Field(False, description="Rerank the first passages")
    rerank_model: str = Field(
        "late-interaction",
        description="Reranker: late-interaction uses the embedder's own token vectors; otherwise the folder or the "
        "hub name of a cross-encoder",
    )
    rerank_candidates: Positive = Field(20, description="Passages that are reranked")
    rerank_top_k: Positive = Field(5, description="Passages kept after reranking")
    expand: bool = Field(False, description="Search for two paraphrases as well")
    web_trigger: Fraction = Field(
        0.3, description="Retrieval confidence below which the web is searched, where a web engine is enabled"
    )
    scope_threshold: Fraction = Field(
        0.3,
        description="Retrieval confidence below which a question that no paper surely addresses is out of scope, where "
        "no model judged",
    )
    synthesis_threshold: Fraction = Field(
        0.4, description="Retrieval confidence below which no answer is written from the passages"
    )
    synthesis_enabled: bool = Field(True, description="Write answers; off: show passages only")
    web_duplicate_cosine: Fraction = Field(
        0.85, description="Cosine similarity to a local passage above which a web result is dropped as a duplicate"
    )


class SearchLoopSettings(Section):
    """The rounds of `ask`: search, judge relevance, refine the query."""

    max_rounds: Annotated[int, Field(ge=1, le=10, description="Maximum number of rounds")] = 2
    min_relevant: Annotated[int, Field(ge=1, description="Relevant papers with which a round passes")] = 2
    top_k: Annotated[int, Field(ge=1, le=100, description="Papers judged in each round")] = 5
    hyde: bool = Field(False, description="Search for a hypothetical answer passage as well (HyDE)")
    paraphrase: bool = Field(False, description="Search for two paraphrases as well")
    closest_topics: Annotated[int, Field(ge=0, le=20, description="Topics named when no paper fits")] = 3


class ResearchLoopSettings(Section):
    """The rounds of `research`: assess coverage, then search for what is missing."""

    enabled: bool = Field(True, description="Search again when coverage is thin")
    max_iterations: Annotated[int, Field(ge=0, le=10, description="Maximum number of further rounds")] = 1
    min_sufficient_papers: Positive = Field(
        6, description="Relevant papers that count as sufficient coverage, when no model judges it"
    )
    max_follow_up_queries: Annotated[
        int, Field(ge=0, le=20, description="Maximum number of follow-up queries in a round")
    ] = 3
    judged: Annotated[int, Field(ge=1, le=100, description="Papers judged for relevance in each round, best first")] = (
        20
    )


class DispatchSettings(Section):
    """Whether passages are read one by one or all at once."""

    tie: Fraction = Field(
        0.05,
        description="Relative spread of search scores at or below which passages count as tied and are read together",
    )
    sequential_tokens: Positive = Field(6000, description="Token budget for reading one by one")
    batch_tokens: Positive = Field(12000, description="Token budget for reading all at once")


TASKS = (
    "hyde", "paraphrase", "refine", "relevance", "coverage", "extract", "summarise", "citation", "differential",
    "question",
)  # fmt: skip


class LLMSettings(Section):
    """The language model. Without a key or an address, everything runs offline."""

    profile: Literal["auto", Profile] = Field(
        "auto", description="Provider; auto chooses by the keys and addresses that are set, offline uses no model"
    )
    base_url: Url | None = Field(
        None, description="Address of an OpenAI-compatible endpoint, in place of the profile's own"
    )
    api_key: SecretStr | None = Field(None, description="Key for that endpoint")
    model: str | None = Field(None, description="Model, in place of the profile's own")
    roles: Mapping[str, str] = Field(
        default_factory=dict,
        description="Another model for one task: a model, profile/model, or offline; tasks are " + ", ".join(TASKS),
    )
    timeout_s: Seconds = Field(15, description="Time limit for one request, in seconds")
    attempts: Annotated[int, Field(ge=1, le=10, description="Maximum number of attempts for one request")] = 3
    retry_after_cap_s: Seconds = Field(
        20, description="Longest pause that a provider may ask for between attempts, in seconds"
    )
    temperature: Annotated[float, Field(ge=0, le=2, description="Sampling temperature")] = 0
    reasoning_tokens: Annotated[
        int, Field(ge=0, le=100_000, description="Tokens added to every limit for models that think before they answer")
    ] = 4096
    max_output_tokens: Positive = Field(
        1024, description="Maximum length of a reply in tokens, where the task sets none"
    )
    cache: bool = Field(False, description="Reuse the replies to requests that were made before")
    fallback: bool = Field(True, description="Use Gemini when the first provider fails and GEMINI_API_KEY is set")
    input_usd_per_million: Weight | None = Field(
        None, description="Price of a million prompt tokens in US dollars, for a model that the price table lacks"
    )
    output_usd_per_million: Weight | None = Field(None, description="The same for a million reply tokens")

    @field_validator("roles")
    @classmethod
    def _of_known_tasks(cls, roles: Mapping[str, str]) -> Mapping[str, str]:
        unknown = [task for task in roles if task not in TASKS]
        if unknown:
            raise ValueError(f"no task is called {unknown[0]}; known are {', '.join(TASKS)}")
        return roles


class EgressPathSettings(Section):
    base_url: Url | None = Field(None, description="Address of a gateway in front of the provider; unset: no gateway")
    timeout_s: Seconds | None = Field(
        None, description="Time limit for one request, in seconds; unset: as `llm.timeout_s`"
    )
    breaker_failures: Positive = Field(5, description="Failures in a row after which the path pauses")
    breaker_cooldown_s: Seconds = Field(30, description="Length of that pause, in seconds")


class EgressSettings(Section):
    """The two paths to the model: `proxy` for the short prompts of the loops, `direct` for reading and checking."""

    proxy: EgressPathSettings = EgressPathSettings()
    direct: EgressPathSettings = EgressPathSettings()


class CompressionSettings(Section):
    """Shortening long passages before they go to the model."""

    kind: Literal["auto", "off", "extractive", "paritok"] = Field(
        "auto",
        description="extractive chooses sentences on this machine; auto uses Paritok when its key or address is set, "
        "otherwise extractive",
    )
    base_url: Url | None = Field(None, description="Address of Paritok; unset: its public service")
    api_key: SecretStr | None = Field(None, description="Key for Paritok")
    model: str = Field("paritok-4b-v1", description="Paritok's model")
    timeout_s: Seconds = Field(8, description="Time limit for one request, in seconds; then texts go uncompressed")
    min_tokens: Positive = Field(512, description="Texts shorter than this are not compressed, in tokens")
    keep: Fraction = Field(0.5, description="Share of the tokens that extractive compression aims to keep")
    breaker_failures: Positive = Field(5, description="Failures in a row after which compression pauses")
    breaker_cooldown_s: Seconds = Field(30, description="Length of that pause, in seconds")


class BudgetSettings(Section):
    """What one run may spend. Unset: no limit."""

    tokens: Positive | None = Field(None, description="Maximum number of model tokens in a run")
    seconds: Seconds | None = Field(None, description="Time limit for a run, in seconds")
    cost_usd: Annotated[float, Field(gt=0)] | None = Field(None, description="Cost limit for a run, in US dollars")
