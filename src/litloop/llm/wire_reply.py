"""What comes over the wire, piece by piece, in whichever of the usual shapes a server sends it."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from litloop.llm.chat import Usage

_TEXT_PARTS = ("text", "output_text")
_MOST_TOKENS = 100_000_000  # of one reply: no count, whoever made it
_DONE = re.compile(rb"(?:\A|[\r\n])data:\s*\[DONE\]")
_KEPT = 32  # bytes: the mark of the end may be split between two chunks


@dataclass(slots=True)
class Reply:
    """What came over the wire, growing while it is streamed."""

    model: str = ""
    finish_reason: str | None = None
    usage: Usage | None = None
    odd_usage: bool = False  # it gave a count that cannot be one
    parts: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)  # what the model thought before it answered
    refusal: str = ""
    length: int = 0  # characters, thoughts included

    @property
    def content(self) -> str:
        return "".join(self.parts)

    @property
    def reasoned(self) -> bool:
        return bool(self.thoughts)

    def take(self, message: Any) -> None:
        """A message, or the next piece of one: an object or a dictionary."""
        said, thought = text_of(_of(message, "content")), ""
        for name in ("reasoning_content", "reasoning"):
            thought = thought or text_of(_of(message, name))
        if said:
            self.parts.append(said)
        if thought:
            self.thoughts.append(thought)
        self.refusal += text_of(_of(message, "refusal"))
        self.length += len(said) + len(thought)

    def take_usage(self, usage: Any) -> None:
        """The provider's own count, where it gives one; the last one stands."""
        counts = [_of(usage, name) for name in ("prompt_tokens", "completion_tokens")]
        found = [0 if count is None else count for count in counts]
        if not all(isinstance(n, int) and not isinstance(n, bool) and 0 <= n <= _MOST_TOKENS for n in found):
            self.usage, self.odd_usage = None, True
        elif any(found):
            self.usage = Usage(found[0], found[1], "provider")

    def take_thoughts_for_the_answer(self) -> None:
        """Some servers file a whole answer under the reasoning, and leave the content empty."""
        if not self.content.strip() and "{" in "".join(self.thoughts):
            self.parts = ["".join(self.thoughts)]


def text_of(content: Any) -> str:
    """The text of a message's content, which some servers send as a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = (part if isinstance(part, dict) else getattr(part, "__dict__", {}) for part in content)
        return "".join(str(part.get("text") or "") for part in parts if part.get("type", "text") in _TEXT_PARTS)
    return ""


def _of(holder: Any, name: str) -> Any:
    return holder.get(name) if isinstance(holder, dict) else getattr(holder, name, None)


class EndWatch:
    """Watches the bytes of a stream for the mark of its end, which the client keeps to itself."""

    def __init__(self, response: Any) -> None:
        self.seen = False
        self._bytes = response.aiter_bytes
        response.aiter_bytes = self._watched

    async def _watched(self, *arguments: Any) -> AsyncIterator[bytes]:
        kept = b""
        async for chunk in self._bytes(*arguments):
            # In the JSON of a message a line break is escaped: a model cannot write the mark.
            self.seen = self.seen or bool(_DONE.search(kept + chunk))
            kept = (kept + chunk)[-_KEPT:]
            yield chunk
