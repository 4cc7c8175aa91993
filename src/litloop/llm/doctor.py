"""What is missing for the models to work, and how to mend it: one row for each thing that was looked at."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal

from litloop.core.errors import LitloopError, SettingsError
from litloop.core.logs import hide, redact, secrets_of
from litloop.core.settings import Settings
from litloop.llm.doctor_request import RequestReport, ask_models
from litloop.llm.endpoint_client import EndpointClient
from litloop.llm.faults import AttemptFailed, owner_of_key
from litloop.llm.paritok import HOSTED_URL
from litloop.llm.prices import price_of
from litloop.llm.profiles import (
    PROFILES,
    Endpoint,
    chosen_profile,
    fallback,
    gateway_of,
    primary,
    role_endpoint,
    without_version,
)
from litloop.llm.tokens import counter_for
from litloop.net.breaker import Breaker
from litloop.net.proxies import proxies_understood

if TYPE_CHECKING:
    import httpx

State = Literal["ok", "warn", "fail", "off"]

_PATIENCE_S = 5.0
_LISTED = 5  # models named in a sentence

# Where each key belongs, by the setting that holds it.
_KEY_VARIABLES: Mapping[str, str] = {
    facts.key_setting: facts.key_variable for facts in PROFILES.values() if facts.key_setting
}


@dataclass(frozen=True, slots=True)
class DoctorRow:
    """One finding. `mend` says what to do, empty when nothing needs to be done."""

    name: str
    state: State
    sentence: str
    mend: str = ""


def check_settings(load: Callable[[], Settings]) -> tuple[Settings | None, DoctorRow]:
    """The settings, or the row that says why they cannot be read."""
    try:
        return load(), DoctorRow("settings", "ok", "The settings are well formed.")
    except SettingsError as error:
        return None, DoctorRow("settings", "fail", str(error), "Correct this setting.")


async def check_models(
    settings: Settings,
    *,
    ask: bool = False,
    environ: Mapping[str, str] | None = None,
    transport: httpx.AsyncBaseTransport | None = None,
) -> list[DoctorRow]:
    """Look at keys, endpoints, models, gateways, compression and token counting. Each endpoint is asked once for its
    list of models, which costs nothing; with `ask`, each model that is set up also answers one small request."""
    hide(secrets_of(settings))
    environ = os.environ if environ is None else environ
    rows = [_profile_row(settings), *_key_rows(settings, environ)]
    first = primary(settings)
    if first is not None:
        rows += await _endpoint_rows("model", first, transport)
        rows.append(_price_row(first))
    second = fallback(settings)
    if second is not None:
        rows += await _endpoint_rows("fallback", second, transport)
    for role in settings.llm.roles:
        endpoint = role_endpoint(settings, role)
        if isinstance(endpoint, Endpoint):
            rows += await _endpoint_rows(f"role {role}", endpoint, transport)
        else:
            rows.append(DoctorRow(f"role {role}", "off", f"{role} is judged without a model."))
    for name, path in (("proxy", settings.paths.proxy), ("direct", settings.paths.direct)):
        if path.base_url:
            rows.append(await _gateway_row(name, path.base_url, first, transport))
    rows.append(await _compression_row(settings, transport))
    rows.append(_tokens_row(first.model if first else ""))
    return with_replies(rows, await ask_models(settings, transport=transport)) if ask else rows


def with_replies(rows: Sequence[DoctorRow], reports: Sequence[RequestReport]) -> list[DoctorRow]:
    """The rows with one for each request that was made. What was said twice stands once; a model that answers is no
    failure, although its server may not list it."""
    said = {row.sentence for row in rows if row.state in ("fail", "warn")}
    works = {report.where for report in reports if report.works}
    found = [
        replace(row, state="warn", mend="It answers all the same.")
        if row.state == "fail"
        and ((row.name == "model" and "direct" in works) or row.name.removeprefix("role ") in works)
        else row
        for row in rows
    ]
    for report in reports:
        name = "reply" if report.where == "direct" else f"reply {report.where}"
        if report.works:
            mend = "A run makes about ten calls: choose a faster model, or give it more power." if report.slow else ""
            found.append(DoctorRow(name, "warn" if report.slow else "ok", report.sentence, mend))
        elif not any(sentence in report.sentence for sentence in said):
            mend = "Runs are judged without a model until it answers: check its key, name, window and address."
            found.append(DoctorRow(name, "fail", report.sentence, mend))
    return found


def _profile_row(settings: Settings) -> DoctorRow:
    profile = chosen_profile(settings)
    if profile == "offline":
        if settings.withheld:
            return DoctorRow("profile", "warn", settings.withheld)
        if settings.llm.profile == "offline":
            return DoctorRow("profile", "off", "The profile is offline: everything is judged without a model.")
        return DoctorRow(
            "profile", "off", "No key and no endpoint is set, so everything is judged without a model.",
            "For a model, set GROQ_API_KEY, or LITLOOP_LLM__PROFILE=ollama, or LITLOOP_LLM__BASE_URL.",
        )  # fmt: skip
    how = "was chosen by what is set" if settings.llm.profile == "auto" else "is set"
    return DoctorRow("profile", "ok", f"The profile {profile} {how}.")


def _key_rows(settings: Settings, environ: Mapping[str, str]) -> list[DoctorRow]:
    """Keys that stand in the wrong variable, and names that look like ours but are not read."""
    rows = []
    for setting, variable in _KEY_VARIABLES.items():
        secret = getattr(settings, setting)
        owner = owner_of_key(secret.get_secret_value()) if secret else None
        rightful = next(name for name, facts in PROFILES.items() if facts.key_setting == setting)
        if owner and owner != rightful:
            right = PROFILES[owner].key_variable if owner in PROFILES else "TAVILY_API_KEY"  # type: ignore[index]
            rows.append(
                DoctorRow("key", "fail", f"{variable} holds what looks like a key of {owner}.", f"Put it in {right}.")
            )
    if environ.get("GOOGLE_API_KEY") and not settings.gemini_api_key:
        rows.append(DoctorRow("key", "warn", "GOOGLE_API_KEY is set but not read.", "For Gemini, set GEMINI_API_KEY."))
    return rows


async def _endpoint_rows(name: str, endpoint: Endpoint, transport: httpx.AsyncBaseTransport | None) -> list[DoctorRow]:
    if endpoint.fault:
        mend = endpoint.fault.partition(": ")[2]
        return [DoctorRow(name, "fail", endpoint.fault, mend[:1].upper() + mend[1:])]
    client = _client(endpoint, transport)
    try:
        listed = await client.models(seconds=_PATIENCE_S)
    except AttemptFailed as failure:
        return [_failed_row(name, endpoint, failure)]
    finally:
        await client.aclose()
    return [_model_row(name, endpoint, listed)]


def _failed_row(name: str, endpoint: Endpoint, failure: AttemptFailed) -> DoctorRow:
    fault = failure.fault
    mend = {
        "key": f"Set {PROFILES[endpoint.profile].key_variable or 'LITLOOP_LLM__API_KEY'} to a key that is valid there.",
        "unreachable": _start(endpoint),
        "timeout": "Check whether the server is busy, or raise LITLOOP_LLM__TIMEOUT_S.",
        "not_found": "Check LITLOOP_LLM__BASE_URL: it usually ends in /v1.",
        "settings": "Install what is missing, or correct the setting.",
        "not_compatible": "Check LITLOOP_LLM__BASE_URL: it must lead to an OpenAI-compatible endpoint.",
    }.get(fault.kind, "Try again in a while.")
    return DoctorRow(name, "warn" if fault.kind == "rate_limited" else "fail", fault.sentence, mend)


def _start(endpoint: Endpoint) -> str:
    if endpoint.profile == "ollama":
        return "Start it with `ollama serve`, or set LITLOOP_LLM__BASE_URL."
    if endpoint.loopback:
        return f"Start the server at {endpoint.host}, or set LITLOOP_LLM__BASE_URL."
    return "Check the network and LITLOOP_LLM__BASE_URL."


def _model_row(name: str, endpoint: Endpoint, listed: list[str]) -> DoctorRow:
    ids = [model.removeprefix("models/") for model in listed]
    if not ids:
        return DoctorRow(name, "fail", f"{endpoint.label} lists no model.", "Load a model there.")
    if not endpoint.model:
        return DoctorRow(name, "ok", f"{endpoint.label} answers and serves {ids[0]}.")
    wanted = endpoint.model.removeprefix("models/")
    if wanted in ids or f"{wanted}:latest" in ids:
        return DoctorRow(name, "ok", f"{endpoint.label} answers and has {endpoint.model}.")
    some = ", ".join(ids[:_LISTED]) + (f" and {len(ids) - _LISTED} more" if len(ids) > _LISTED else "")
    # llama.cpp serves what it has under whatever name it is asked for.
    state: State = "warn" if endpoint.profile == "llamacpp" else "fail"
    mend = f"Set LITLOOP_LLM__MODEL to one of: {some}."
    return DoctorRow(name, state, f"{endpoint.label} has no model called {endpoint.model}.", mend)


def _price_row(endpoint: Endpoint) -> DoctorRow:
    price = price_of(endpoint, endpoint.model)
    if price is None:
        return DoctorRow(
            "price", "warn", f"The price of {endpoint.model or 'the model'} at {endpoint.label} is unknown.",
            "For costs, set LITLOOP_LLM__INPUT_USD_PER_MILLION and LITLOOP_LLM__OUTPUT_USD_PER_MILLION.",
        )  # fmt: skip
    if price.input == price.output == 0:
        return DoctorRow("price", "ok", "The model costs nothing per token.")
    seen = f" (as of {price.as_of})" if price.as_of else ""
    return DoctorRow("price", "ok", f"A million tokens cost ${price.input:g} in and ${price.output:g} out{seen}.")


async def _gateway_row(
    name: str, base_url: str, first: Endpoint | None, transport: httpx.AsyncBaseTransport | None
) -> DoctorRow:
    if first is None:
        return DoctorRow(
            f"{name} gateway", "warn", f"A gateway is set for the {name} path, but no model to reach through it.",
            "Set a profile.",
        )  # fmt: skip
    url = without_version(base_url) + "/health"
    status = await _status(url, transport)
    if status == 200:
        return DoctorRow(f"{name} gateway", "ok", f"The gateway at {base_url} answers.")
    if status is not None:  # other gateways have no /health; that it answers at all is all that can be asked for free
        gateway = gateway_of(first, base_url)
        return (await _endpoint_rows(f"{name} gateway", gateway, transport))[0]
    return DoctorRow(
        f"{name} gateway", "fail", f"The gateway at {base_url} cannot be reached; calls go straight to {first.label}.",
        f"Start it, or unset LITLOOP_PATHS__{name.upper()}__BASE_URL.",
    )  # fmt: skip


async def _compression_row(settings: Settings, transport: httpx.AsyncBaseTransport | None) -> DoctorRow:
    options = settings.compression
    remote = options.kind == "paritok" or (options.kind == "auto" and (options.base_url or options.api_key))
    if not remote:
        state: State = "off" if options.kind == "off" else "ok"
        what = "is off" if options.kind == "off" else "selects sentences on this machine"
        return DoctorRow("compression", state, f"Compression {what}.")
    base_url = options.base_url or HOSTED_URL
    key = options.api_key.get_secret_value() if options.api_key else ""
    status = await _status(f"{base_url.rstrip('/')}/test", transport, key)
    if status == 200:
        return DoctorRow("compression", "ok", f"Paritok answers at {base_url}.")
    if status in {401, 403}:
        return DoctorRow(
            "compression",
            "fail",
            f"Paritok refused the key ({status}).",
            "Set LITLOOP_COMPRESSION__API_KEY, or kind to extractive.",
        )
    said = "cannot be reached" if status is None else f"answered with status {status}"
    return DoctorRow(
        "compression", "warn", f"Paritok at {base_url} {said}; texts will be sent uncompressed.",
        "Set LITLOOP_COMPRESSION__KIND=extractive to compress on this machine.",
    )  # fmt: skip


def _tokens_row(model: str) -> DoctorRow:
    counter = counter_for(model)
    if counter.exact and find_spec("tiktoken"):
        return DoctorRow("tokens", "ok", f"Tokens are counted offline with {counter.name}.")
    return DoctorRow(
        "tokens", "warn", "The token ranks are missing, so tokens are estimated.", "Reinstall the package paritok."
    )


async def _status(url: str, transport: httpx.AsyncBaseTransport | None, key: str = "") -> int | None:
    """The status of a GET; None when nobody answers."""
    import httpx

    from litloop.net.safe_addresses import is_loopback

    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        with proxies_understood():
            client = httpx.AsyncClient(
                transport=transport, timeout=_PATIENCE_S, trust_env=not is_loopback(url), headers=headers
            )
        async with client:
            return (await client.get(url)).status_code
    except (httpx.HTTPError, LitloopError):
        return None


def _client(endpoint: Endpoint, transport: httpx.AsyncBaseTransport | None) -> EndpointClient:
    return EndpointClient(endpoint, Breaker(1, 1.0, now=lambda: 0.0), timeout_s=_PATIENCE_S, transport=transport)


def redacted(rows: list[DoctorRow]) -> list[DoctorRow]:
    """The rows without keys: an endpoint may repeat in an error what it was sent."""
    return [replace(row, sentence=redact(row.sentence), mend=redact(row.mend)) for row in rows]
