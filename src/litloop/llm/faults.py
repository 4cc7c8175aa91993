"""What can go wrong with a call, and what it means: try again, rest, or tell the user what to mend."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from litloop.core.logs import redact
from litloop.core.records import Outcome
from litloop.llm.profiles import PROFILES, Endpoint
from litloop.net.retry import retry_after

Kind = Literal[
    "unreachable", "timeout", "rate_limited", "server", "key", "not_found", "request", "not_compatible", "cut", "empty",
    "settings", "resting", "budget",  # never left this machine
]  # fmt: skip

_OUTCOMES: Mapping[str, Outcome] = {
    "timeout": "timeout", "rate_limited": "rate_limited",
    "settings": "refused", "resting": "refused", "budget": "refused",
}  # fmt: skip
_RETRIED_STATUS = {408, 409, 425, 429}
_LONGEST_QUOTE = 200  # characters of a provider's own words in a sentence of ours


@dataclass(frozen=True, slots=True)
class ModelFault:
    """`retry`: the same call may work in a moment. `other_side`: it says something about the health of the endpoint
    (a wrong request does not). `retry_after_s`: how long the endpoint asks us to wait."""

    kind: Kind
    sentence: str
    retry: bool = False
    other_side: bool = True
    retry_after_s: float | None = None
    detail: str = ""  # the endpoint's own words, for `Dialect.adapted`

    def __post_init__(self) -> None:
        # An address may hold a login, and the sentence ends in answers, traces and books.
        object.__setattr__(self, "sentence", redact(self.sentence))

    @property
    def outcome(self) -> Outcome:
        return _OUTCOMES.get(self.kind, "error")


class AttemptFailed(Exception):
    """One attempt failed. Stays inside this package: callers get a ChatResult."""

    def __init__(self, fault: ModelFault) -> None:
        super().__init__(fault.sentence)
        self.fault = fault


def timed_out(endpoint: Endpoint, seconds: float) -> ModelFault:
    return ModelFault("timeout", f"{endpoint.label} gave no answer within {seconds:g} s.", retry=True)


def not_compatible(endpoint: Endpoint, what: str) -> ModelFault:
    return ModelFault(
        "not_compatible",
        f"{endpoint.base_url} is not an OpenAI-compatible endpoint: it answered with {what}.",
        retry=False,
    )


def cut_off(endpoint: Endpoint) -> ModelFault:
    return ModelFault("cut", f"{endpoint.label} closed the connection in the middle of its answer.", retry=True)


def thought_only(endpoint: Endpoint, model: str) -> ModelFault:
    return ModelFault(
        "empty",
        f"{model} at {endpoint.label} spent its whole answer on thinking: set LITLOOP_LLM__REASONING_TOKENS higher.",
        retry=True,
        other_side=False,
    )


def empty_reply(endpoint: Endpoint) -> ModelFault:
    return ModelFault("empty", f"{endpoint.label} gave an empty answer.", retry=True)


def fault_of(error: Exception, endpoint: Endpoint, model: str, seconds: float) -> ModelFault:
    """The fault behind an exception of the client or of its transport."""
    import httpx
    import openai

    if isinstance(error, TimeoutError | openai.APITimeoutError | httpx.TimeoutException):
        return timed_out(endpoint, seconds)
    if isinstance(error, openai.APIStatusError):
        return model_status_fault(error.status_code, error.response.headers, error.body, error.message, endpoint, model)
    if isinstance(error, openai.APIConnectionError | httpx.TransportError):
        return _connection_fault(error, endpoint)
    if isinstance(error, openai.APIError):  # an error object in the middle of a stream
        return _streamed_fault(error, endpoint, model)
    if isinstance(error, ValueError | TypeError | AttributeError | KeyError | IndexError):
        return not_compatible(endpoint, "something that cannot be read as a chat completion")
    return ModelFault("server", f"{endpoint.label} failed: {redact(str(error))[:_LONGEST_QUOTE]}", retry=False)


def model_status_fault(
    status: int, headers: Mapping[str, str], body: object, message: str, endpoint: Endpoint, model: str
) -> ModelFault:
    """The fault behind an HTTP status of 300 or more."""
    detail = _words(body, message)
    if 300 <= status < 400:
        return not_compatible(endpoint, f"a redirect ({status})")
    if status in {401, 403}:
        return ModelFault("key", _key_sentence(status, endpoint), detail=detail)
    if status == 404 or _names_missing_model(detail):
        return ModelFault("not_found", _missing_sentence(status, endpoint, model, detail), detail=detail)
    if status == 429:
        if "insufficient_quota" in str(body):  # no pause helps against an empty account
            return ModelFault("rate_limited", f"{endpoint.label} has no quota left for this key (429).", detail=detail)
        wait = retry_after(headers)
        asked = f" and asks to wait {wait:.0f} s" if wait else ""
        return ModelFault(
            "rate_limited", f"{endpoint.label} is limiting our calls (429){asked}.", True, True, wait, detail
        )
    if status >= 500 or status in _RETRIED_STATUS:
        return ModelFault(
            "server", f"{endpoint.label} failed with status {status}.", True, True, retry_after(headers), detail
        )
    said = f": {detail}" if detail else ""
    return ModelFault(
        "request", f"{endpoint.label} refused the request ({status}){said}.", other_side=False, detail=detail
    )


def _connection_fault(error: Exception, endpoint: Endpoint) -> ModelFault:
    import httpx

    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, httpx.TransportError):
        cause = cause.__cause__
    if isinstance(cause, httpx.RemoteProtocolError | httpx.ReadError | httpx.WriteError):
        return cut_off(endpoint)
    return ModelFault("unreachable", f"{endpoint.label} cannot be reached at {endpoint.base_url}.", retry=True)


def _streamed_fault(error: Any, endpoint: Endpoint, model: str) -> ModelFault:
    status = str(error.code or "")
    if re.fullmatch(r"[345]\d\d", status):
        return model_status_fault(int(status), {}, error.body, error.message, endpoint, model)
    detail = _words(error.body, error.message)
    return ModelFault(
        "server", f"{endpoint.label} failed in the middle of its answer: {detail}.", retry=True, detail=detail
    )


def _words(body: object, message: str) -> str:
    """The provider's own message, on one line, without keys and markup."""
    if isinstance(body, Mapping):
        error = body.get("error", body)
        message = str(error.get("message") or error) if isinstance(error, Mapping) else str(error)
    if "<html" in message.lower() or "<!doctype" in message.lower():
        return "an HTML page"
    return redact(" ".join(message.split()))[:_LONGEST_QUOTE].rstrip(".")


def _names_missing_model(detail: str) -> bool:
    words = detail.lower()
    return "model" in words and any(
        sign in words for sign in ("not found", "does not exist", "unknown model", "not exist")
    )


def _missing_sentence(status: int, endpoint: Endpoint, model: str, detail: str) -> str:
    if detail == "an HTML page" or "model" not in detail.lower():
        return f"{endpoint.base_url} has no /chat/completions ({status}): check the address, which usually ends in /v1."
    return f"{endpoint.label} has no model called {model}: set LITLOOP_LLM__MODEL to one that `litloop doctor` lists."


def _key_sentence(status: int, endpoint: Endpoint) -> str:
    facts = PROFILES.get(endpoint.profile)
    variable = facts.key_variable if facts and facts.key_variable else "LITLOOP_LLM__API_KEY"
    if not endpoint.api_key:
        return f"{endpoint.label} needs a key ({status}): set {variable}."
    owner = owner_of_key(endpoint.api_key)
    hint = f" It looks like a key of {owner}." if owner and owner != endpoint.profile else ""
    return f"{endpoint.label} refused the key in {variable} ({status}).{hint}"


def owner_of_key(key: str) -> str | None:
    """The provider whose keys begin like this one: groq, gemini, openai, tavily."""
    for name, facts in PROFILES.items():
        if facts.key_prefixes and key.startswith(facts.key_prefixes):
            return name
    return "tavily" if key.startswith("tvly-") else None
