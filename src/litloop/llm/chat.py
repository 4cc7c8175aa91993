"""What is said to a language model and what comes back: messages, requests, results, and what a ChatModel is."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, Protocol, TypeVar

from pydantic import BaseModel

from litloop.core.records import EgressPath, ModelCall, Outcome

Role = Literal["system", "user", "assistant"]
CallWatcher = Callable[[ModelCall], None]
M = TypeVar("M", bound=BaseModel)
P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class Message:
    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class RenderedPrompt:
    """A prompt with its values filled in. `prompt` names it and its version: `relevance/3`."""

    messages: tuple[Message, ...]
    prompt: str = ""


@dataclass(frozen=True, slots=True)
class Shape:
    """The JSON a reply must be: a name and a JSON schema."""

    name: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One request, without saying who answers it. `max_tokens` bounds the reply."""

    messages: tuple[Message, ...]
    task: str
    max_tokens: int
    temperature: float = 0.0
    shape: Shape | None = None
    stop: tuple[str, ...] = ()
    prompt: str = ""
    tokens_before: int | None = None  # of the prompt before its texts were compressed
    call_id: str = ""  # set when this is a later turn of an earlier call
    attempts_before: int = 0

    def digest(self) -> str:
        """A hash of everything that bears on the reply except the model: equal requests, equal digests."""
        content = {
            "messages": [[message.role, message.content] for message in self.messages],
            "task": self.task,
            "shape": [self.shape.name, dict(self.shape.schema)] if self.shape else None,
            "stop": list(self.stop),
            "prompt": self.prompt,
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
        }
        return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


def new_call_id() -> str:
    return uuid.uuid4().hex[:16]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one reply, as the provider reports them or else as counted here."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    counted_by: Literal["provider", "local"] = "local"


@dataclass(frozen=True, slots=True)
class ChatResult(Generic[P]):
    """What a request came to. Always returned, never raised.

    `degraded` is true when there is no usable reply, and `reason` then says why in one sentence; a reply cut at the
    token limit is not degraded but has `finish_reason` "length" and a reason. `dropped` counts the items of a
    structured reply that were wrong and left out. `attempts` counts what went over the wire. `notice` says what a
    reader of the reply has to know of it: that the model was shown, or read, only a part of its prompt.
    """

    content: str = ""
    parsed: P | None = None
    usage: Usage = field(default_factory=Usage)
    provider: str = ""
    model: str = ""
    path: EgressPath = "direct"
    via_gateway: bool = False
    attempts: int = 0
    degraded: bool = False
    reason: str | None = None
    outcome: Outcome = "ok"
    finish_reason: str | None = None
    dropped: int = 0
    ms: float = 0.0
    call_id: str = ""
    notice: str | None = None


class ChatModel(Protocol):
    """Answers messages. Never raises but for cancellation, whatever happens outside."""

    async def chat(
        self,
        messages: Sequence[Message] | RenderedPrompt,
        *,
        task: str,
        max_tokens: int | None = None,
        temperature: float | None = None,
        shape: Shape | None = None,
        stop: Sequence[str] = (),
        tokens_before: int | None = None,
    ) -> ChatResult[None]:
        """One reply as text."""
        ...

    async def structured(
        self,
        messages: Sequence[Message] | RenderedPrompt,
        model: type[M],
        *,
        task: str,
        max_tokens: int | None = None,
        temperature: float | None = None,
        tokens_before: int | None = None,
    ) -> ChatResult[M]:
        """One reply as a checked `model`, in `parsed`; None there means degraded."""
        ...
