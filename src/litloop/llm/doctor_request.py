"""One small shaped request to each model that is set up: does it answer, in the form asked for, and how fast?

A list of models that can be fetched says little: a model may still answer in prose, spend its whole reply on thinking,
or refuse every call on the path that runs use. The request costs about a hundred tokens and goes the way of a run's
calls: through the gateway of its path, with the same clients.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from litloop.core.records import ModelCall
from litloop.core.settings import Settings
from litloop.llm.chat import ChatModel, ChatResult
from litloop.llm.endpoint_client import EndpointClient
from litloop.llm.model_request import RunContext
from litloop.llm.path_model import PathModel
from litloop.llm.prompt import Prompt
from litloop.llm.reply_model import ReplyModel
from litloop.llm.router import LLMRouter

if TYPE_CHECKING:
    import httpx

MAX_TOKENS = 80  # of the reply; a model that thinks has room for it besides
PATIENCE_S = 60.0
SLOW_S = 20.0  # for a reply of twenty tokens; a run makes about ten calls

PROMPT = Prompt(
    name="doctor",
    version=1,
    system="You judge numbers. You answer with JSON and nothing else.",
    user="Is each of these numbers even? 1: 4. 2: 7.\nAnswer as JSON: {shape}",
)
SHAPE = '{"results": [{"id": "1", "even": true}, {"id": "2", "even": false}]}'
FORMATS = {"schema": "with a JSON schema", "json": "in JSON mode", "text": "by the prompt alone"}


class NumberReply(ReplyModel):
    id: str
    even: bool


class NumberReplies(ReplyModel):
    results: list[NumberReply]


@dataclass(frozen=True, slots=True)
class RequestReport:
    """What became of one request. `where` is the path (`direct`, `proxy`) or the role it was asked for; `works` is
    whether a usable reply came from the model that is set up there."""

    where: str
    works: bool
    slow: bool
    sentence: str


async def ask_models(settings: Settings, *, transport: httpx.AsyncBaseTransport | None = None) -> list[RequestReport]:
    """One report for each way a run's calls can go: the direct path, a path with a gateway, roles set apart. Never
    raises for what an endpoint does."""
    llm = settings.llm.model_copy(update={"attempts": 1, "timeout_s": min(settings.llm.timeout_s, PATIENCE_S)})
    router = LLMRouter.build(settings.model_copy(update={"llm": llm}), transport=transport)
    try:
        return [await _asked(where, task, path) for where, task, path in _ways(router, settings)]
    finally:
        await router.aclose()


def _ways(router: LLMRouter, settings: Settings) -> Iterator[tuple[str, str, PathModel]]:
    for where, model in (("direct", router.direct), ("proxy", router.proxy)):
        apart = where == "direct" or settings.paths.proxy.base_url  # otherwise both lead to the same place
        if apart and isinstance(model, PathModel) and model.routes_for("doctor"):
            yield where, "doctor", model
    for role in settings.llm.roles:
        chat: ChatModel | None = router.model_for(role)
        if isinstance(chat, PathModel):
            yield role, role, chat


async def _asked(where: str, task: str, path: PathModel) -> RequestReport:
    first = path.routes_for(task)[0].client
    if first.endpoint.fault:
        return RequestReport(where, False, False, first.endpoint.fault)
    calls: list[ModelCall] = []
    asking = path.bind(RunContext(on_call=calls.append))
    reply = await asking.structured(PROMPT.render(shape=SHAPE), NumberReplies, task=task, max_tokens=MAX_TOKENS)
    return _report(where, reply, calls, first)


def _report(
    where: str, reply: ChatResult[NumberReplies], calls: list[ModelCall], first: EndpointClient
) -> RequestReport:
    failed = next((call.reason for call in calls if call.outcome not in ("ok", "invalid", "cached")), "")
    label = first.endpoint.label
    if reply.parsed is None:
        why = reply.reason or failed or f"{label} gave no answer."
        return RequestReport(where, False, False, f"A small request to {label} failed: {why}")
    if reply.provider != first.endpoint.profile or reply.via_gateway != first.endpoint.via_gateway:
        return RequestReport(
            where, False, False, f"Calls to {label} fail, and {reply.provider} answers in its place: {failed}"
        )
    seconds = reply.ms / 1000
    turns = "kept its form" if len([c for c in calls if c.outcome in ("ok", "invalid")]) == 1 else "needed a second try"
    asked = FORMATS[first.dialect(calls[-1].model).format]
    return RequestReport(
        where,
        True,
        seconds > SLOW_S,
        f"{reply.model} at {label} answered a small request in {seconds:.1f} s with "
        f"{reply.usage.completion_tokens} tokens and {turns}, asked {asked}.",
    )
