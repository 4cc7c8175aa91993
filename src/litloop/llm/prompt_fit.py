"""Fitting a prompt into a model's window: asked again with less when it was refused, noticed when it was cut."""

from __future__ import annotations

from dataclasses import replace

from litloop.llm.chat import ChatRequest, Usage
from litloop.llm.faults import ModelFault
from litloop.llm.profiles import Endpoint
from litloop.llm.shortening import shortened

SHORTENED = "The prompt did not fit the window of the model at {label}: it was shown {share:.0%} of it."
CUT = (
    "{label} read only {read} of about {sent} tokens of the prompt, so it cannot have judged all of it: "
    "give its model a larger window (num_ctx, OLLAMA_CONTEXT_LENGTH, --ctx-size)."
)
_MOST_TIMES = 4  # a prompt is shortened for one request
_HALF = 0.5
_FILLED = 0.9  # of a window that is used: the server counts otherwise than we do
_LEAST_REPLY = 64  # tokens
_READ = 0.5  # of the tokens we count: tokenizers differ by a third, seldom by more
_MISSING = 400  # tokens; fewer are no document


class PromptFit:
    """What one request did to fit. `notice` says how much of the prompt is left, once it was shortened."""

    def __init__(self) -> None:
        self.notice: str | None = None
        self._prompt_tokens = 0
        self._reply_tokens = 0
        self._most: int | None = None  # tokens of the reply
        self._times = 0
        self._share = 1.0

    def tried(self, prompt_tokens: int, reply_tokens: int) -> int:
        """Notes what an attempt asks for, and gives the tokens that its reply may have."""
        self._prompt_tokens = prompt_tokens
        self._reply_tokens = min(reply_tokens, self._most) if self._most else reply_tokens
        return self._reply_tokens

    def smaller(self, request: ChatRequest, fault: ModelFault, label: str) -> ChatRequest | None:
        """The request with less in it, after a refusal for its length; None when nothing more can be done."""
        if fault.most_reply and fault.most_reply < self._reply_tokens:
            self._most = fault.most_reply
            return request
        if fault.kind != "too_long" or self._times >= _MOST_TIMES:
            return None
        self._times += 1
        share = _HALF
        if fault.window and fault.window >= 2 * _LEAST_REPLY:
            reply = min(self._reply_tokens, max(fault.window // 4, _LEAST_REPLY))
            share = (fault.window * _FILLED - reply) / max(1, self._prompt_tokens)
            if reply < self._reply_tokens:
                self._most = reply
                if share >= 1:  # room was short for the reply alone
                    return request
            share = min(share, _FILLED)  # refused although it should fit: the server counts more than we do
        messages = shortened(request.messages, share)
        if messages is None:
            return None
        before = sum(len(message.content) for message in request.messages)
        self._share *= sum(len(message.content) for message in messages) / max(1, before)
        self.notice = SHORTENED.format(label=label, share=self._share)
        return replace(request, messages=messages)


def cut_in_silence(told: Usage, prompt_tokens: int, endpoint: Endpoint) -> str | None:
    """A server that is given more than its window holds may drop the rest unsaid: its count of tokens tells. (A gateway
    may compress, which is what it is there for.)"""
    if told.counted_by != "provider" or endpoint.via_gateway or not told.prompt_tokens:
        return None
    if told.prompt_tokens >= _READ * prompt_tokens or prompt_tokens - told.prompt_tokens < _MISSING:
        return None
    return CUT.format(label=endpoint.label, read=told.prompt_tokens, sent=prompt_tokens)
