"""Profiles: one word in the settings says which endpoint, which model and which key fill every role."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import urlsplit, urlunsplit

from litloop.core.choices import Profile
from litloop.core.settings import Settings
from litloop.net.safe_addresses import is_loopback

_AZURE = (".openai.azure.com", ".services.ai.azure.com", ".cognitiveservices.azure.com", ".models.ai.azure.com")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Somewhere that answers `/chat/completions`. An empty `model` means: the first one it says it has."""

    profile: Profile
    base_url: str  # with its version segment, without a slash at the end
    model: str
    api_key: str = ""
    via_gateway: bool = False
    price: tuple[float, float] | None = None  # set by the user, US dollars per million tokens
    query: str = ""  # sent with every call, as Azure wants its api-version
    fault: str | None = None  # why it cannot be asked at all, in one sentence

    @property
    def host(self) -> str:
        parts = urlsplit(self.base_url)
        return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)

    @property
    def loopback(self) -> bool:
        return is_loopback(self.base_url)

    @property
    def azure(self) -> bool:
        """Azure takes a key under a name of its own."""
        return str(urlsplit(self.base_url).hostname).endswith(_AZURE)

    @property
    def label(self) -> str:
        """How it is called in a sentence: `groq`, or `custom (10.0.0.5:8000)` where the name alone says little."""
        if self.azure:
            return f"Azure ({self.host})"
        known = self.profile in {"groq", "gemini", "openai"} and not self.via_gateway
        return self.profile if known else f"{self.profile} ({self.host})"


@dataclass(frozen=True, slots=True)
class ProfileFacts:
    base_url: str
    model: str
    key_setting: str = ""  # the field of Settings that holds the key
    key_variable: str = ""
    key_prefixes: tuple[str, ...] = ()


PROFILES: Mapping[Profile, ProfileFacts] = {
    "groq": ProfileFacts(
        "https://api.groq.com/openai/v1", "llama-3.1-8b-instant", "groq_api_key", "GROQ_API_KEY", ("gsk_",)
    ),
    "gemini": ProfileFacts(
        "https://generativelanguage.googleapis.com/v1beta/openai", "gemini-flash-latest",
        "gemini_api_key", "GEMINI_API_KEY", ("AIza",),
    ),
    "openai": ProfileFacts("https://api.openai.com/v1", "gpt-4.1-mini", "openai_api_key", "OPENAI_API_KEY", ("sk-",)),
    "ollama": ProfileFacts("http://127.0.0.1:11434/v1", ""),
    "llamacpp": ProfileFacts("http://127.0.0.1:8080/v1", ""),
    "custom": ProfileFacts("", ""),
}  # fmt: skip


def chosen_profile(settings: Settings) -> Profile:
    """The profile in force: the one that is set, else the first whose key is known, else a custom endpoint when its
    address is set, else offline."""
    profile = settings.llm.profile
    if profile != "auto":
        return profile
    if settings.llm.base_url:
        return "custom"
    for name in ("groq", "gemini", "openai"):
        if _known_key(settings, name):
            return name
    return "offline"


def primary(settings: Settings) -> Endpoint | None:
    """The endpoint of the profile in force; None when that is offline."""
    profile = chosen_profile(settings)
    return None if profile == "offline" else endpoint_of(profile, settings, model=settings.llm.model)


def fallback(settings: Settings) -> Endpoint | None:
    """Gemini, when it is not the first choice and its key is known. Only a hosted provider falls back to another one:
    who chose a model of their own did not choose to send their texts to Google."""
    first = chosen_profile(settings)
    if not settings.llm.fallback or first not in {"groq", "openai"} or not settings.gemini_api_key:
        return None
    facts = PROFILES["gemini"]
    return Endpoint("gemini", facts.base_url, facts.model, settings.gemini_api_key.get_secret_value())


def role_endpoint(settings: Settings, role: str) -> Endpoint | Literal["offline"] | None:
    """The endpoint of a role that is set apart: `model`, `profile/model` or `offline`. None: it is not."""
    value = settings.llm.roles.get(role)
    if not value:
        return None
    if value == "offline":
        return "offline"
    profile, slash, model = value.partition("/")
    for name in PROFILES:
        if slash and profile == name:
            return endpoint_of(name, settings, model=model)
    first = chosen_profile(settings)
    return "offline" if first == "offline" else endpoint_of(first, settings, model=value)


def endpoint_of(profile: Profile, settings: Settings, *, model: str | None = None) -> Endpoint:
    """The endpoint of one profile. What is missing for it to work is named in `fault`, not raised."""
    facts = PROFILES[profile]
    own = profile == chosen_profile(settings)
    base_url = (settings.llm.base_url if own else None) or facts.base_url
    key = (_secret(settings.llm.api_key) if own else "") or _known_key(settings, profile)
    prices = settings.llm.input_usd_per_million, settings.llm.output_usd_per_million
    price = (prices[0], prices[1]) if own and prices[0] is not None and prices[1] is not None else None
    return Endpoint(
        profile,
        with_version(base_url),
        model or facts.model,
        key,
        price=price,
        query=query_of(base_url),
        fault=_fault(profile, base_url, key),
    )


def with_version(base_url: str) -> str:
    """`base_url` as the client needs it: a bare host gets `/v1`, a path is taken as it is."""
    parts = urlsplit(base_url)
    path = parts.path.rstrip("/").removesuffix("/chat/completions")
    return urlunsplit((parts.scheme, parts.netloc, path or ("/v1" if parts.netloc else ""), "", ""))


def gateway_of(endpoint: Endpoint, base_url: str) -> Endpoint:
    """`endpoint` as it is reached through the gateway at `base_url`."""
    return replace(endpoint, base_url=with_version(base_url), query=query_of(base_url), via_gateway=True)


def query_of(base_url: str) -> str:
    """What follows the question mark of an address: `api-version=2024-10-21`."""
    return urlsplit(base_url).query


def without_version(base_url: str) -> str:
    """The root of the server behind `base_url`, where llama.cpp has `/tokenize` and Paritok `/health`."""
    return with_version(base_url).removesuffix("/v1")


def _fault(profile: Profile, base_url: str, key: str) -> str | None:
    facts = PROFILES[profile]
    if not base_url:
        return "The profile custom has no address: set LITLOOP_LLM__BASE_URL."
    if facts.key_variable and not key:
        return f"The profile {profile} has no key: set {facts.key_variable}."
    return None


def _known_key(settings: Settings, profile: Profile) -> str:
    setting = PROFILES[profile].key_setting
    return _secret(getattr(settings, setting)) if setting else ""


def _secret(value: object) -> str:
    from pydantic import SecretStr

    return value.get_secret_value() if isinstance(value, SecretStr) else ""
