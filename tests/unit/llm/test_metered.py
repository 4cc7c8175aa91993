import asyncio

from litloop.llm.compressor import Compressed, CompressionReport
from litloop.llm.metered import MeteredCompressor
from litloop.llm.model_request import RunContext
from litloop.llm.prompt import PromptDocument
from litloop.llm.tokens import RankedTokens

COUNTER = RankedTokens()
LONG = [PromptDocument("1", "A long sentence about a drug. " * 40)]
SHORT = [PromptDocument("1", "A sentence.")]


class Halves:
    """A compressor that keeps the first half of each text, and remembers being asked."""

    name = "extractive"

    def __init__(self):
        self.asked = 0

    async def compress(self, documents, *, query, task="compress"):
        self.asked += 1
        cut = tuple(PromptDocument(document.id, document.text[: len(document.text) // 2]) for document in documents)
        return Compressed(cut, CompressionReport(self.name, 240, 120, ms=3.0))


class Breaks:
    name = "extractive"

    async def compress(self, documents, *, query, task="compress"):
        raise RuntimeError("the embedder is gone")


def compress(compressor, documents=LONG):
    return asyncio.run(compressor.compress(documents, query="q", task="summarise"))


def test_below_the_threshold_nothing_is_done_and_that_is_reported():
    inner, calls = Halves(), []
    result = compress(MeteredCompressor(inner, COUNTER, min_tokens=512, run=RunContext(on_call=calls.append)), SHORT)
    assert inner.asked == 0
    assert result.documents == tuple(SHORT)
    assert result.report.passthrough == "3 tokens are below the threshold of 512."
    assert calls[0].reason == result.report.passthrough


def test_every_use_leaves_a_row_with_tokens_before_and_after():
    calls = []
    compress(MeteredCompressor(Halves(), COUNTER, min_tokens=1, run=RunContext("r1", on_call=calls.append)))
    call = calls[0]
    assert (call.path, call.task, call.run_id, call.provider) == ("compression", "summarise", "r1", "extractive")
    assert (call.tokens_before_compression, call.tokens_after_compression, call.prompt_tokens) == (240, 120, 0)
    assert call.cost == 0.0


def test_a_compressor_that_breaks_passes_the_texts_through():
    result = compress(MeteredCompressor(Breaks(), COUNTER, min_tokens=1))
    assert result.documents == tuple(LONG)
    assert result.report.passthrough == "Compression failed (RuntimeError)."
