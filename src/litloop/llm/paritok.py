"""Paritok: a hosted model that rewrites long texts shorter. Whatever goes wrong, the texts pass through as they are."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from litloop.llm.compressor import Compressed, CompressionReport, passed_through, tokens_of
from litloop.llm.endpoint_client import Health
from litloop.llm.prompt import PromptDocument
from litloop.llm.tokens import TokenCounter
from litloop.net.breaker import Breaker
from litloop.net.proxies import proxies_understood

if TYPE_CHECKING:
    import httpx

HOSTED_URL = "https://www.paritok.com/api"

# What the service leaves in its output for its own use.
_OWN_TAGS = re.compile(r"\[REF:[^\]\n]{0,200}\]|\[/?SEG\b[^\]\n]{0,200}\]")


class ParitokCompressor:
    """`POST {base_url}/compress`, all documents in one text, so that short ones profit too.

    The service may be asleep (its GPU takes 45 s to start and meanwhile echoes the text), slow, wrong, or generous: a
    reply that is late, empty, longer, or that lost the lines between the documents is not used.
    """

    name = "paritok"

    def __init__(
        self,
        counter: TokenCounter,
        breaker: Breaker,
        *,
        base_url: str = HOSTED_URL,
        api_key: str = "",
        model: str = "paritok-4b-v1",
        upstream_model: str = "",
        timeout_s: float = 8.0,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._counter = counter
        self._breaker = breaker
        self._base_url = base_url.rstrip("/")
        self._api_key = api_key
        self._model = model
        self._upstream_model = upstream_model
        self._timeout_s = timeout_s
        self._transport = transport
        self._http: httpx.AsyncClient | None = None
        self._calls = 0
        self._failures = 0
        self._last_fault: str | None = None

    async def compress(self, documents: Sequence[PromptDocument], *, query: str, task: str = "compress") -> Compressed:
        started = time.perf_counter()
        before = await asyncio.to_thread(tokens_of, self._counter, documents)
        why, short = await self._shortened(documents, query)
        ms = (time.perf_counter() - started) * 1000
        if short is None:
            return passed_through(self.name, documents, before, why, ms=ms)
        after = tokens_of(self._counter, short)
        if after >= before:
            return passed_through(self.name, documents, before, "Paritok's text was not shorter.", ms=ms)
        return Compressed(short, CompressionReport(self.name, before, after, ms=ms))

    def health(self) -> Health:
        return Health(
            f"paritok ({self._base_url})", self._breaker.state, self._calls, self._failures, self._last_fault,
            self._breaker.seconds_left(),
        )  # fmt: skip

    async def aclose(self) -> None:
        if self._http is not None:
            await self._http.aclose()
            self._http = None

    async def _shortened(
        self, documents: Sequence[PromptDocument], query: str
    ) -> tuple[str, tuple[PromptDocument, ...] | None]:
        """The shorter documents, or why there are none."""
        if not self._breaker.allow():
            return f"Paritok failed repeatedly and is paused for {self._breaker.seconds_left():.0f} s.", None
        self._calls += 1
        try:
            async with asyncio.timeout(self._timeout_s):
                answer = await self._ask(_together(documents), query)
        except asyncio.CancelledError:
            self._breaker.abandoned()
            raise
        except TimeoutError:
            return self._failed(f"Paritok gave no answer within {self._timeout_s:g} s."), None
        except Exception as error:
            return self._failed(f"Paritok failed: {_in_words(error)}."), None
        if not isinstance(answer, dict) or not isinstance(answer.get("compressed"), str):
            return self._failed("Paritok's answer has no compressed text."), None
        self._breaker.succeeded()
        if not answer.get("gpu_available", True):
            return "Paritok's GPU is not ready; it gave the text back as it was.", None
        text = _OWN_TAGS.sub("", answer["compressed"]).strip()
        if not text:
            return "Paritok's text was empty.", None
        short = _apart(documents, text)
        return ("", short) if short else ("Paritok's text lost the lines between the documents.", None)

    async def _ask(self, text: str, query: str) -> Any:
        from importlib.metadata import version

        import httpx

        if self._http is None:
            # The service refuses some default agents with the status of a wrong key.
            headers = {"User-Agent": f"litloop/{version('litloop')}"}
            if self._api_key:
                headers["Authorization"] = f"Bearer {self._api_key}"
            with proxies_understood():
                self._http = httpx.AsyncClient(transport=self._transport, headers=headers, timeout=self._timeout_s)
        body = {"model": self._model, "content": text, "query": query, "upstream_model": self._upstream_model}
        response = await self._http.post(f"{self._base_url}/compress", json=body)
        response.raise_for_status()
        return response.json()

    def _failed(self, why: str) -> str:
        self._breaker.failed()
        self._failures += 1
        self._last_fault = why
        return why


def _together(documents: Sequence[PromptDocument]) -> str:
    if len(documents) == 1:
        return documents[0].text
    return "\n\n".join(f"{_heading(number)}\n{document.text}" for number, document in enumerate(documents, start=1))


def _apart(documents: Sequence[PromptDocument], text: str) -> tuple[PromptDocument, ...] | None:
    """The documents cut apart at their headings; None when these are not all there in order, or a part is empty."""
    if len(documents) == 1:
        return (replace(documents[0], text=text),)
    parts: list[str] = []
    rest = text
    for number in range(1, len(documents) + 1):
        before, heading, rest = rest.partition(_heading(number))
        if not heading or (number == 1 and before.strip()):
            return None
        parts.append(before.strip())
    texts = [*parts[1:], rest.strip()]
    if not all(texts):
        return None
    return tuple(replace(document, text=part) for document, part in zip(documents, texts, strict=True))


def _heading(number: int) -> str:
    return f"=== Document {number} ==="


def _in_words(error: Exception) -> str:
    import httpx

    if isinstance(error, httpx.HTTPStatusError):
        status = error.response.status_code
        return f"status {status}, check LITLOOP_COMPRESSION__API_KEY" if status in {401, 403} else f"status {status}"
    if isinstance(error, httpx.TimeoutException):
        return "no answer in time"
    if isinstance(error, httpx.TransportError):
        return "it cannot be reached"
    return "its answer cannot be read"
