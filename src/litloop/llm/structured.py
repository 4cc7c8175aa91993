"""Structured replies: a schema is asked for, the reply is checked, mended once, and then given up without a fuss."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from litloop.llm.chat import ChatRequest, ChatResult, M, Message, RenderedPrompt, Shape, Usage
from litloop.llm.reasoning import without_reasoning
from litloop.llm.replies import read_as, salvaged

# Looks at a reply and says what is wrong with it, or None. Decides the outcome that the ledger books.
ReplyCheck = Callable[[str], str | None]

_LONGEST_ECHO = 4000  # characters of a broken reply that are shown back to the model
_REPAIR = "That answer cannot be used: {error} Send the whole JSON object again, corrected, and nothing else."
_SHORTEN = "That answer was cut off at the length limit. Send the whole JSON object again, shorter, and nothing else."


class StructuredChat(ABC):
    """Everything a ChatModel does, on top of one `complete`."""

    default_max_tokens: int = 1024
    default_temperature: float = 0.0

    @abstractmethod
    async def complete(self, request: ChatRequest, check: ReplyCheck | None = None) -> ChatResult[None]:
        """One request through whatever retries and fallbacks there are. Never raises but for cancellation."""

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
        """One reply as text, without the model's reasoning."""
        request = self._request(messages, task, max_tokens, temperature, shape, stop, tokens_before)
        result = await self.complete(request)
        return replace(result, content=without_reasoning(result.content))

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
        """One reply as a checked `model`.

        A reply that does not fit goes back once with the error. If the second does not fit either, list items that are
        wrong are left out of it and counted in `dropped`; when nothing is left, the result is degraded and says why.
        """
        shape = Shape(model.__name__, model.model_json_schema())
        request = self._request(messages, task, max_tokens, temperature, shape, (), tokens_before)

        def check(text: str) -> str | None:
            return read_as(model, text).error or None

        first = await self.complete(request, check)
        if first.degraded:
            return _typed(first, dropped=1)
        reading = read_as(model, first.content)
        if reading.value is not None:
            return _typed(first, parsed=reading.value)
        second = await self.complete(_repair(request, first, reading.error), check)
        result, reason = _joined(first, second), ""
        for text in (second.content, first.content):
            reading = read_as(model, text)
            if reading.value is None:
                reading = salvaged(model, text)
            if reading.value is not None:
                kept = f"{reading.dropped} item(s) of the answer were wrong and left out." if reading.dropped else None
                outcome = "invalid" if reading.dropped else "ok"
                return _typed(
                    result, parsed=reading.value, dropped=reading.dropped, degraded=False, reason=kept, outcome=outcome
                )
            # An empty list in place of items that could not be read would say that there is nothing.
            why = "The model's answer does not fit"
            if reading.emptied:
                why = "No item of the model's answer could be used"
            reason = reason or f"{why}: {reading.error}"
        reason = second.reason or reason if second.degraded else reason
        return _typed(result, dropped=1, degraded=True, reason=reason, outcome="invalid")

    def _request(
        self,
        messages: Sequence[Message] | RenderedPrompt,
        task: str,
        max_tokens: int | None,
        temperature: float | None,
        shape: Shape | None,
        stop: Sequence[str],
        tokens_before: int | None,
    ) -> ChatRequest:
        rendered = messages if isinstance(messages, RenderedPrompt) else RenderedPrompt(tuple(messages))
        return ChatRequest(
            rendered.messages,
            task,
            max_tokens or self.default_max_tokens,
            self.default_temperature if temperature is None else temperature,
            shape,
            tuple(stop),
            rendered.prompt,
            tokens_before,
        )


def _repair(request: ChatRequest, first: ChatResult[None], error: str) -> ChatRequest:
    cut = first.finish_reason == "length"
    turn = _SHORTEN if cut else _REPAIR.format(error=error)
    echo = without_reasoning(first.content)[:_LONGEST_ECHO] or "(nothing)"
    messages = (*request.messages, Message("assistant", echo), Message("user", turn))
    return replace(
        request,
        messages=messages,
        max_tokens=request.max_tokens * (2 if cut else 1),
        call_id=first.call_id,
        attempts_before=first.attempts,
    )


def _joined(first: ChatResult[None], second: ChatResult[None]) -> ChatResult[None]:
    """The second result, with what both cost."""
    usage = Usage(
        first.usage.prompt_tokens + second.usage.prompt_tokens,
        first.usage.completion_tokens + second.usage.completion_tokens,
        second.usage.counted_by,
    )
    return replace(
        second,
        usage=usage,
        attempts=first.attempts + second.attempts,
        ms=first.ms + second.ms,
        notice=second.notice or first.notice,
    )


def _typed(result: ChatResult[None], **changes: Any) -> ChatResult[Any]:
    return replace(result, **changes)
