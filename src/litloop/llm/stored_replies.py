"""Replies as a cache keeps them, and the name each is kept under."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Protocol

from litloop.llm.chat import ChatRequest, ChatResult, Usage
from litloop.llm.profiles import Endpoint


@dataclass(frozen=True, slots=True)
class StoredReply:
    """A result as it is kept. `key` is what `cache_key` gives."""

    key: str
    result: ChatResult[None]

    def to_json(self) -> str:
        return json.dumps(asdict(self.result), ensure_ascii=False)

    @classmethod
    def from_json(cls, key: str, text: str) -> StoredReply:
        """Raises ValueError when `text` is not such a reply."""
        try:
            raw = json.loads(text)
            usage = Usage(**raw.pop("usage"))
            return cls(key, ChatResult(**{**raw, "usage": usage}))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ValueError("A stored reply cannot be read.") from error


class ReplyStore(Protocol):
    """Where replies are looked up before a call and put after it. Neither method raises."""

    def get(self, key: str) -> StoredReply | None:
        """The reply kept under `key`."""
        ...

    def put(self, reply: StoredReply) -> None:
        """Keep `reply` under its key."""
        ...


def cache_key(endpoint: Endpoint, model: str, request: ChatRequest) -> str:
    """A hash of everything that bears on the reply: the address, the model and the whole request."""
    return hashlib.sha256(f"{endpoint.base_url}\0{model}\0{request.digest()}".encode()).hexdigest()
