"""What can go wrong with a call, and what it means: try again, rest, or tell the user what to mend."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from litloop.core.errors import LitloopError
from litloop.core.logs import redact
from litloop.core.records import Outcome
from litloop.llm.profiles import PROFILES, Endpoint
from litloop.net.retry import retry_after

Kind = Literal[
    "unreachable", "timeout", "rate_limited", "server", "key", "not_found", "request", "not_compatible", "cut", "empty",
    "too_long",
    "settings", "resting", "budget",  # never left this machine
]  # fmt: skip

_OUTCOMES: Mapping[str, Outcome] = {
    "timeout": "timeout", "rate_limited": "rate_limited",
    "settings": "refused", "resting": "refused", "budget": "refused",
}  # fmt: skip
_RETRIED_STATUS = {408, 409, 425, 429}
# How OpenAI and Azure, vLLM, llama.cpp, Ollama, LM Studio, Groq, Gemini, Mistral, TGI and Anthropic's layer put it.
_TOO_LONG_STATUS = {400, 413, 422, 500}
_TOO_LONG = re.compile(
    r"context_length_exceeded|exceed_context_size|string_above_max_length|maximum context length"
    r"|(?:exceed|larger|longer|greater|overflow|too (?:long|large|many))[^.]{0,60}\b(?:context|window)"
    r"|\b(?:context|window)\b[^.]{0,60}(?:exceed|overflow|too (?:long|small))|prompt is too long|input is too long"
    r"|too many (?:input )?tokens|token count[^.]{0,40}exceed"
    r"|exceed[^.]{0,40}\bmax(?:imum)? (?:number of )?(?:input )?tokens"
    r"|reduce the length of the (?:messages|prompt|input)|request too large|must have less than \d+ tokens"
    r"|max_new_tokens`? must be <=|too large for model with \d+ maximum context",
    re.IGNORECASE,
)
_WINDOW = re.compile(
    r"maximum context length (?:is|of) (\d[\d,]*)|context (?:size|length|window) (?:of )?(?:only )?\(?(\d[\d,]*)"
    r"|with (\d[\d,]*) maximum context|tokens > (\d[\d,]*) maximum|less than (\d[\d,]*) tokens|must be <= (\d[\d,]*)"
    r"|tokens allowed \((\d[\d,]*)|\blimit:? (\d[\d,]*)|n_ctx\W{1,4}(\d[\d,]*)",
    re.IGNORECASE,
)
_REPLY_LIMIT = re.compile(
    r"at most (\d+) (?:completion|output) tokens"
    r"|max_(?:completion_|output_)?tokens\W{1,3}must be (?:<=|less than or equal to)\W{1,3}(\d+)",
    re.IGNORECASE,
)
_LONGEST_READ = 4000  # characters of a refusal that are looked through
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
    most_reply: int | None = None  # tokens that a reply may be allowed, where it was allowed too many
    window: int | None = None  # tokens that prompt and reply may have together, where a prompt was too long for it

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


def too_large(endpoint: Endpoint, megabytes: int) -> ModelFault:
    return ModelFault("not_compatible", f"{endpoint.label} sent a reply of more than {megabytes} MB: it was not read.")


def thought_only(endpoint: Endpoint, model: str) -> ModelFault:
    return ModelFault(
        "empty",
        f"{model} at {endpoint.label} spent its whole answer on thinking: set LITLOOP_LLM__REASONING_TOKENS higher.",
        retry=True,
        other_side=False,
    )


def too_long(endpoint: Endpoint, model: str, window: int | None, detail: str = "") -> ModelFault:
    size = f" of {window} tokens" if window else ""
    return ModelFault(
        "too_long",
        f"The prompt is too long for the window{size} that {model} has at {endpoint.label}: "
        "give it a larger one, or choose another model.",
        other_side=False,
        detail=detail,
        window=window,
    )


def window_named_in(words: str) -> int | None:
    """The size of the window that a refusal names, in tokens."""
    found = _WINDOW.search(words)
    digits = next((group for group in found.groups() if group), "") if found else ""
    return int(digits.replace(",", "")) or None if digits else None


def refused(endpoint: Endpoint, words: str) -> ModelFault:
    said = redact(" ".join(words.split()))[:_LONGEST_QUOTE].rstrip(".")
    return ModelFault("empty", f"The model at {endpoint.label} refused to answer: {said}.", other_side=False)


def empty_reply(endpoint: Endpoint) -> ModelFault:
    return ModelFault("empty", f"{endpoint.label} gave an empty answer.", retry=True)


def fault_of(error: Exception, endpoint: Endpoint, model: str, seconds: float) -> ModelFault:
    """The fault behind an exception of the client or of its transport."""
    import httpx
    import openai

    if isinstance(error, LitloopError):  # something is missing on this machine, and the error says what
        return ModelFault("settings", str(error), other_side=False)
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
    if status in _TOO_LONG_STATUS and _TOO_LONG.search(f"{detail} {body}"[:_LONGEST_READ]):
        return too_long(endpoint, model, window_named_in(f"{detail} {body}"[:_LONGEST_READ]), detail)
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
    limit = _REPLY_LIMIT.search(detail)
    most = int(limit[1] or limit[2]) if limit else None
    return ModelFault(
        "request", f"{endpoint.label} refused the request ({status}){said}.", other_side=False, detail=detail,
        most_reply=most,
    )  # fmt: skip


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
    if _TOO_LONG.search(detail):
        return too_long(endpoint, model, window_named_in(detail), detail)
    return ModelFault(
        "server", f"{endpoint.label} failed in the middle of its answer: {detail}.", retry=True, detail=detail
    )


def fault_in_body(body: object, endpoint: Endpoint, model: str) -> ModelFault:
    """The fault behind a body that holds an error although its status says that all is well."""
    detail = _words(body, "")
    if _TOO_LONG.search(f"{detail} {body}"[:_LONGEST_READ]):
        return too_long(endpoint, model, window_named_in(f"{detail} {body}"[:_LONGEST_READ]), detail)
    said = f": {detail}" if detail else ""
    return ModelFault("server", f"{endpoint.label} answered with an error{said}.", retry=True, detail=detail)


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
