"""Replies as a cache keeps them, and the name each is kept under."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from litloop.llm.chat import ChatRequest, ChatResult, Usage
from litloop.llm.profiles import Endpoint


@dataclass(frozen=True, slots=True)
class StoredReply:
    """A result as it is kept. `key` is what `cache_key` gives."""

    key: str
    result: ChatResult[None]

    def to_json(self) -> str:
        """With a checksum: a damaged reply must not be taken for what the model said."""
        raw = asdict(self.result)
        return json.dumps({**raw, "sum": _sum(raw)}, ensure_ascii=False)

    @classmethod
    def from_json(cls, key: str, text: str) -> StoredReply:
        """Raises ValueError when `text` is not such a reply."""
        try:
            raw = json.loads(text)
            told = raw.pop("sum", None)  # none before 0.2
            if told is not None and told != _sum(raw):
                raise ValueError("it does not match its checksum")
            usage = Usage(**raw.pop("usage"))
            return cls(key, ChatResult(**{**raw, "usage": usage}))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ValueError("A stored reply cannot be read.") from error


def _sum(raw: Mapping[str, Any]) -> int:
    return zlib.crc32(json.dumps(raw, sort_keys=True).encode())


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
    address = f"{endpoint.base_url}?{endpoint.query}" if endpoint.query else endpoint.base_url
    return hashlib.sha256(f"{address}\0{model}\0{request.digest()}".encode()).hexdigest()
