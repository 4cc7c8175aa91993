"""Compression: fewer prompt tokens for the same evidence. What a compressor is, and what it reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from litloop.llm.prompt import PromptDocument
from litloop.llm.tokens import TokenCounter


@dataclass(frozen=True, slots=True)
class CompressionReport:
    """What one use of a compressor did. `passthrough` says why the texts were left as they were; None: they were not.
    Tokens are those of the texts alone, without the prompt around them."""

    by: str  # extractive, paritok, off
    tokens_before: int
    tokens_after: int
    passthrough: str | None = None
    ms: float = 0.0

    @property
    def saved(self) -> float:
        """The share of tokens saved, 0 to 1."""
        return 1 - self.tokens_after / self.tokens_before if self.tokens_before else 0.0


@dataclass(frozen=True, slots=True)
class Compressed:
    """The documents as they should be sent, and the report. Quotes from them are checked against the originals."""

    documents: tuple[PromptDocument, ...]
    report: CompressionReport


class Compressor(Protocol):
    """Shortens documents for one question. Never raises but for cancellation: what fails is passed through."""

    name: str

    async def compress(self, documents: Sequence[PromptDocument], *, query: str, task: str = "compress") -> Compressed:
        """As many documents as were given, under the same ids, in the same order."""
        ...


class NoCompressor:
    """Passes everything through."""

    name = "off"

    def __init__(self, counter: TokenCounter, why: str = "Compression is off.") -> None:
        self._counter = counter
        self._why = why

    async def compress(self, documents: Sequence[PromptDocument], *, query: str, task: str = "compress") -> Compressed:
        return passed_through(self.name, documents, tokens_of(self._counter, documents), self._why)


def tokens_of(counter: TokenCounter, documents: Sequence[PromptDocument]) -> int:
    return sum(counter.count(document.text) for document in documents)


def passed_through(
    by: str, documents: Sequence[PromptDocument], tokens: int, why: str, *, ms: float = 0.0
) -> Compressed:
    return Compressed(tuple(documents), CompressionReport(by, tokens, tokens, why, ms))
