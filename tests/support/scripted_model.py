"""A chat model that answers from a script: everything between the request and the checked reply is the real thing."""

from __future__ import annotations

import json
from typing import Any

from litloop.llm.chat import ChatRequest, ChatResult
from litloop.llm.structured import ReplyCheck, StructuredChat


class ScriptedModel(StructuredChat):
    """Gives the next of its replies (JSON values, or text as it is), the last one for ever; None is a failure."""

    def __init__(self, *replies: Any) -> None:
        self.replies = list(replies)
        self.requests: list[ChatRequest] = []

    async def complete(self, request: ChatRequest, check: ReplyCheck | None = None) -> ChatResult[None]:
        self.requests.append(request)
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if reply is None:
            return ChatResult(degraded=True, reason="The model did not answer.", outcome="timeout")
        return ChatResult(content=reply if isinstance(reply, str) else json.dumps(reply))

    @property
    def prompt(self) -> str:
        return "\n".join(message.content for message in self.requests[-1].messages)
