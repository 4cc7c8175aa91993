"""One typed tree of settings, loaded when first needed.

From weakest to strongest: the defaults below, `litloop.toml` in the library folder, the names that NeuLitTrace and
Neural_search use (`CHUNK_SIZE`, `TAVILY_ENABLED`, …), `LITLOOP_<SECTION>__<NAME>` in `.env` and then in the
environment, and what the caller passes.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict, Unpack

from dotenv import dotenv_values
from pydantic import Field, PrivateAttr, SecretStr, ValidationError
from pydantic_core import ErrorDetails

from litloop.core.errors import SettingsError
from litloop.core.paths import user_config_folder
from litloop.core.settings.bounds import Section
from litloop.core.settings.consent import ConsentBook, Lead, leads_of, sentence, withheld
from litloop.core.settings.library import (
    BudgetSettings,
    CompressionSettings,
    DispatchSettings,
    EgressPathSettings,
    EgressSettings,
    EmbeddingSettings,
    LLMSettings,
    PassageSettings,
    ReadingSettings,
    ResearchLoopSettings,
    SearchLoopSettings,
    SearchSettings,
)
from litloop.core.settings.server import CatalogueSettings, EngineSettings, ServerSettings, TelemetrySettings
from litloop.core.settings.sources import (
    FullTextSettings,
    ProviderSettings,
    RankingSettings,
    ScholarlySettings,
    SearXNGSettings,
    SnowballSettings,
    TavilySettings,
    WebSettings,
)

__all__ = [
    "ALIASES",
    "NOT_SETTINGS",
    "PREFIX",
    "BudgetSettings",
    "CatalogueSettings",
    "CompressionSettings",
    "DispatchSettings",
    "EgressPathSettings",
    "EgressSettings",
    "EmbeddingSettings",
    "EngineSettings",
    "FullTextSettings",
    "LLMSettings",
    "PassageSettings",
    "ProviderSettings",
    "RankingSettings",
    "ReadingSettings",
    "ResearchLoopSettings",
    "ScholarlySettings",
    "SearXNGSettings",
    "SearchLoopSettings",
    "SearchSettings",
    "Section",
    "ServerSettings",
    "Settings",
    "SettingsOverrides",
    "SnowballSettings",
    "TavilySettings",
    "TelemetrySettings",
    "WebSettings",
    "load_settings",
]  # fmt: skip


class Settings(Section):
    embedding: EmbeddingSettings = EmbeddingSettings()
    passages: PassageSettings = PassageSettings()
    reading: ReadingSettings = ReadingSettings()
    search: SearchSettings = SearchSettings()
    search_loop: SearchLoopSettings = SearchLoopSettings()
    research_loop: ResearchLoopSettings = ResearchLoopSettings()
    dispatch: DispatchSettings = DispatchSettings()
    llm: LLMSettings = LLMSettings()
    paths: EgressSettings = EgressSettings()
    compression: CompressionSettings = CompressionSettings()
    budget: BudgetSettings = BudgetSettings()
    scholarly: ScholarlySettings = ScholarlySettings()
    ranking: RankingSettings = RankingSettings()
    snowball: SnowballSettings = SnowballSettings()
    full_text: FullTextSettings = FullTextSettings()
    web: WebSettings = WebSettings()
    catalogue: CatalogueSettings = CatalogueSettings()
    engine: EngineSettings = EngineSettings()
    server: ServerSettings = ServerSettings()
    telemetry: TelemetrySettings = TelemetrySettings()
    groq_api_key: SecretStr | None = Field(None, description="Key for Groq")
    gemini_api_key: SecretStr | None = Field(None, description="Key for Gemini")
    openai_api_key: SecretStr | None = Field(None, description="Key for OpenAI")
    _withheld: tuple[Lead, ...] = PrivateAttr(default=())
    _library: Path | None = PrivateAttr(default=None)
    _trusted: bool = PrivateAttr(default=False)

    @property
    def withheld(self) -> str | None:
        """Which settings of the library's own file are not used until the user agrees, in a sentence; None for none."""
        return sentence(self._library, self._withheld) if self._withheld else None

    def refuse_withheld(self, section: str) -> None:
        """Raises SettingsError when a part of this section is withheld without which the library cannot be used."""
        if any(lead.path[0] == section for lead in self._withheld):
            raise SettingsError(self.withheld or "")

    def refuse_unagreed(self, library: Path, lead: Lead) -> None:
        """Raises SettingsError unless the user has agreed to what a library leads to beside its settings."""
        if not self._trusted and ConsentBook(user_config_folder()).missing(library, [lead]):
            raise SettingsError(sentence(library, [lead]))


class SettingsOverrides(TypedDict, total=False):
    """What `load_settings` and `Library.open` take: some values of some sections, as in `search={"k": 5}`."""

    embedding: Mapping[str, object]
    passages: Mapping[str, object]
    reading: Mapping[str, object]
    search: Mapping[str, object]
    search_loop: Mapping[str, object]
    research_loop: Mapping[str, object]
    dispatch: Mapping[str, object]
    llm: Mapping[str, object]
    paths: Mapping[str, object]
    compression: Mapping[str, object]
    budget: Mapping[str, object]
    scholarly: Mapping[str, object]
    ranking: Mapping[str, object]
    snowball: Mapping[str, object]
    full_text: Mapping[str, object]
    web: Mapping[str, object]
    catalogue: Mapping[str, object]
    engine: Mapping[str, object]
    server: Mapping[str, object]
    telemetry: Mapping[str, object]
    groq_api_key: str
    gemini_api_key: str
    openai_api_key: str


# The names that NeuLitTrace, Neural_search and the providers use, and the setting each one fills.
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
LIBRARY_FILE = "litloop.toml"
# Variables with our prefix that are not settings: where the library, the cache and the test data are.
NOT_SETTINGS = frozenset(
    {"LITLOOP_LIBRARY", "LITLOOP_CACHE", "LITLOOP_CONFIG", "LITLOOP_TEST_DATA", "LITLOOP_TEST_QDRANT_URL"}
)


def load_settings(
    library: Path | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    dotenv: Path | None = Path(".env"),
    trust: bool = False,
    given: str = "given by the caller",
    **overrides: Unpack[SettingsOverrides],
) -> Settings:
    """Read every source once and check the result.

    `overrides` are nested dictionaries, as in `load_settings(search={"k": 5})`; `given` says in a message
    where they come from. Addresses and keys in the library's own file count once the user has agreed to them
    (`litloop trust`), or for this call with `trust`; `Settings.withheld` says which do not.
    Raises SettingsError with one sentence naming the first wrong setting.
    """
    environ = os.environ if environ is None else environ
    from_file = dotenv_values(dotenv) if dotenv and dotenv.is_file() else {}
    variables = {name: value for name, value in {**from_file, **environ}.items() if value}
    named: dict[tuple[str, ...], str] = {}  # setting -> the variable that it is set by
    for name, path in ALIASES.items():
        if name in variables:
            named[path] = name
    for name in variables:
        if name.startswith(PREFIX) and name not in NOT_SETTINGS and not name.startswith(PREFIX + "TEST_"):
            named[tuple(name[len(PREFIX) :].lower().split("__"))] = name
    outer: dict[str, Any] = {}
    for path, name in named.items():
        _put(outer, path, variables[name], name)
    _merge(outer, overrides)
    tree = _toml(library / LIBRARY_FILE if library else None)
    withhold: list[Lead] = []
    if library is not None and tree and not trust:
        own = [lead for lead in leads_of(tree) if not _has(outer, lead.path)]
        withhold = ConsentBook(user_config_folder()).missing(library, own)
        withheld(tree, withhold)
    origins = dict.fromkeys(_leaves(tree), f"set in the library's {LIBRARY_FILE}")
    origins |= {path: f"set by {name}" for path, name in named.items()}
    origins |= dict.fromkeys(_leaves(overrides), given)
    _merge(tree, outer)
    try:
        settings = Settings.model_validate(tree)
    except ValidationError as error:
        raise SettingsError(_sentence(error, origins)) from None
    settings._withheld, settings._library, settings._trusted = tuple(withhold), library, trust
    return settings


def leads_of_library(library: Path) -> list[Lead]:
    """What needs the user's consent in the file of a library, whether it was given or not.

    Raises SettingsError when the file is not TOML."""
    return leads_of(_toml(library / LIBRARY_FILE))


def _toml(path: Path | None) -> dict[str, Any]:
    if path is None or not path.is_file():
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path.name} is not valid TOML: {error}.") from None


def _has(tree: Mapping[str, Any], path: Sequence[str]) -> bool:
    for part in path:
        if not isinstance(tree, Mapping) or part not in tree:
            return False
        tree = tree[part]
    return True


def _leaves(tree: Mapping[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, value in tree.items():
        if isinstance(value, Mapping) and value:
            yield from _leaves(value, (*above, name))
        else:
            yield (*above, name)


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


_KINDS = {
    **dict.fromkeys(("int_parsing", "int_type", "int_from_float"), "a whole number"),
    **dict.fromkeys(("float_parsing", "float_type", "finite_number"), "a number"),
    **dict.fromkeys(("bool_parsing", "bool_type"), "true or false"),
    **dict.fromkeys(("model_type", "dict_type"), 'a group of settings, as in search={"k": 5}'),
    "string_type": "text",
    "list_type": "a list",
}
_BOUNDS = (
    ("greater_than_equal", "ge", "at least"), ("less_than_equal", "le", "at most"), ("greater_than", "gt", "more than"),
    ("less_than", "lt", "less than"),
)  # fmt: skip


def _sentence(error: ValidationError, origins: Mapping[tuple[str, ...], str]) -> str:
    """The first fault in one sentence, without the value: it may be a secret."""
    fault = error.errors(include_input=False, include_url=False)[0]
    path = tuple(str(part) for part in fault["loc"])
    place = ".".join(path)
    # Of a fault that concerns several settings together, as of passages, the origin that was given for any of them.
    near = (told for known, told in reversed(list(origins.items())) if known[: len(path)] == path[: len(known)])
    origin = next(near, f"set by {PREFIX}{'__'.join(path).upper()}")
    if fault["type"] == "extra_forbidden":
        return f"There is no setting called {place} ({origin}).{_close_to(place)}"
    return f"The setting {place or 'passages'} is wrong: {_told(fault)} ({origin})."


def _told(fault: ErrorDetails) -> str:
    """What a value must be, in words for people who do not know what checks it."""
    bounds = fault.get("ctx", {})
    for kind, bound, words in _BOUNDS:
        if fault["type"] == kind:
            return f"it must be {words} {bounds[bound]}"
    if fault["type"] in _KINDS:
        return f"it must be {_KINDS[fault['type']]}"
    message = fault["msg"].removeprefix("Value error, ").replace("Input should be", "it must be")
    return f"{message[:1].lower()}{message[1:]}"


def _close_to(place: str) -> str:
    """The setting that was probably meant, as a sentence; empty when none is close."""
    from difflib import get_close_matches

    from litloop.core.settings.reference import setting_rows

    names = [row.variable.removeprefix(PREFIX).lower().replace("__", ".") for row in setting_rows()]
    known = names if "." in place else sorted({name.partition(".")[0] for name in names})
    close = get_close_matches(place.lower(), known, n=1)
    return f" Did you mean {close[0]}?" if close else ""
