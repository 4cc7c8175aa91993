"""Replies that were had before: kept for a cache, or for replaying a run with the network closed."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol

from litloop.core.records import EgressPath, ModelCall
from litloop.llm.chat import CallWatcher, ChatRequest, ChatResult, Usage
from litloop.llm.profiles import Endpoint
from litloop.llm.structured import ReplyCheck, StructuredChat


@dataclass(frozen=True, slots=True)
class StoredReply:
    """A result as it is kept. `key` is the digest of the request (recordings) or more than that (cache)."""

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


class RepliesInMemory:
    """A ReplyStore that lives as long as the process."""

    def __init__(self) -> None:
        self._replies: dict[str, StoredReply] = {}

    def get(self, key: str) -> StoredReply | None:
        return self._replies.get(key)

    def put(self, reply: StoredReply) -> None:
        self._replies[reply.key] = reply


def cache_key(endpoint: Endpoint, model: str, request: ChatRequest) -> str:
    """A hash of everything that bears on the reply: the address, the model and the whole request."""
    return hashlib.sha256(f"{endpoint.base_url}\0{model}\0{request.digest()}".encode()).hexdigest()


class Recording:
    """The replies of one run by the digest of their requests. Equal requests get their replies in the order in which
    they came; the last one is repeated."""

    def __init__(self, replies: Sequence[StoredReply], compressed: Mapping[str, str] | None = None) -> None:
        self._replies: dict[str, list[StoredReply]] = {}
        for reply in replies:
            self._replies.setdefault(reply.key, []).append(reply)
        self.compressed = dict(compressed or {})

    def next(self, digest: str) -> StoredReply | None:
        queue = self._replies.get(digest)
        if not queue:
            return None
        return queue.pop(0) if len(queue) > 1 else queue[0]


class ReplayChatModel(StructuredChat):
    """Answers from a recording, and from nothing else: no network, no model, no key."""

    def __init__(
        self,
        recording: Recording,
        path: EgressPath,
        *,
        run_id: str = "",
        on_call: CallWatcher | None = None,
        max_tokens: int = 1024,
        temperature: float = 0.0,
    ) -> None:
        self._recording = recording
        self._path = path
        self._run_id = run_id
        self._on_call = on_call
        self.default_max_tokens = max_tokens
        self.default_temperature = temperature

    async def complete(self, request: ChatRequest, check: ReplyCheck | None = None) -> ChatResult[None]:
        """The recorded result, degraded where it was; a request that was never made is degraded and says so."""
        stored = self._recording.next(request.asked_digest())
        if stored is None:
            reason = f"The recording holds no answer to this request ({request.task})."
            result: ChatResult[None] = ChatResult(path=self._path, degraded=True, reason=reason, outcome="refused")
        else:
            result = replace(stored.result, outcome=stored.result.outcome if stored.result.degraded else "replayed")
        self._report(request, result)
        return result

    def _report(self, request: ChatRequest, result: ChatResult[Any]) -> None:
        if self._on_call is None:
            return
        call = ModelCall(
            call_id=result.call_id, task=request.task, path=self._path, provider=result.provider, model=result.model,
            attempt=0, outcome=result.outcome if result.degraded else "replayed", cost=0.0, run_id=self._run_id,
            at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), reason=result.reason or "",
            tokens_before_compression=request.tokens_before,
        )  # fmt: skip
        self._on_call(call)
