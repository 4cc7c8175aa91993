"""Compression within a run: below the threshold nothing is done, and every use leaves a row in the ledger."""

from __future__ import annotations

import time
from collections.abc import Sequence

from litloop.core.errors import LitloopError
from litloop.core.logs import Log
from litloop.core.records import ModelCall
from litloop.llm.chat import new_call_id
from litloop.llm.compressor import Compressed, CompressionReport, Compressor, passed_through, tokens_of
from litloop.llm.model_request import RunContext, notify
from litloop.llm.prompt import PromptDocument
from litloop.llm.tokens import TokenCounter

log = Log("compression")


class MeteredCompressor:
    """A compressor with the run's threshold and ledger around it."""

    def __init__(
        self, inner: Compressor, counter: TokenCounter, *, min_tokens: int, run: RunContext | None = None
    ) -> None:
        self.name = inner.name
        self.inner = inner
        self._counter = counter
        self._min_tokens = min_tokens
        self._run = run or RunContext()

    def bind(self, run: RunContext) -> MeteredCompressor:
        """The same compressor for another run."""
        return MeteredCompressor(self.inner, self._counter, min_tokens=self._min_tokens, run=run)

    async def compress(self, documents: Sequence[PromptDocument], *, query: str, task: str = "compress") -> Compressed:
        """Never raises but for cancellation. Below `min_tokens` (measured: nothing is gained) nothing is done."""
        tokens = tokens_of(self._counter, documents)
        if tokens < self._min_tokens:
            why = f"{tokens} tokens are below the threshold of {self._min_tokens}."
            result = passed_through(self.name, documents, tokens, why)
        else:
            try:
                result = await self.inner.compress(documents, query=query, task=task)
            except Exception as error:  # an embedder may fail, and the answer must not fail with it
                log.error("compression broke", by=self.name, error=repr(error))
                why = str(error) if isinstance(error, LitloopError) else f"Compression failed ({type(error).__name__})."
                result = passed_through(self.name, documents, tokens, why)
        self._report(result, documents, query, task)
        return result

    def _report(self, result: Compressed, documents: Sequence[PromptDocument], query: str, task: str) -> None:
        report = result.report
        log.info(
            "compression", task=task, by=report.by, before=report.tokens_before, after=report.tokens_after,
            passthrough=report.passthrough, ms=round(report.ms),
        )  # fmt: skip
        notify(self._run.on_call, compression_call(report, task, self._run.run_id))


def compression_call(report: CompressionReport, task: str, run_id: str) -> ModelCall:
    """The ledger's row. Its prompt tokens are 0: the texts are counted where they are sent to a model."""
    return ModelCall(
        call_id=new_call_id(),
        task=task,
        path="compression",
        provider=report.by,
        model=report.by,
        attempt=1,
        outcome="ok" if report.passthrough is None else "refused",
        tokens_before_compression=report.tokens_before,
        tokens_after_compression=report.tokens_after,
        cost=None if report.by == "paritok" else 0.0,
        ms=report.ms,
        run_id=run_id,
        at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        reason=report.passthrough or "",
    )
