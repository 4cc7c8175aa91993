import asyncio

from litloop.llm.compressor import CompressionReport, NoCompressor, tokens_of
from litloop.llm.prompt import PromptDocument
from litloop.llm.tokens import RankedTokens

COUNTER = RankedTokens()


def test_no_compression_says_why_and_counts():
    documents = [PromptDocument("1", "One sentence."), PromptDocument("2", "Another.")]
    result = asyncio.run(NoCompressor(COUNTER).compress(documents, query="q"))
    assert result.documents == tuple(documents)
    assert result.report == CompressionReport("off", 5, 5, "Compression is off.")
    assert result.report.saved == 0


def test_the_share_saved_is_of_the_tokens_before():
    assert CompressionReport("extractive", 200, 50).saved == 0.75
    assert CompressionReport("extractive", 0, 0).saved == 0


def test_the_tokens_of_documents_are_those_of_their_texts():
    assert tokens_of(COUNTER, [PromptDocument("1", "One sentence.", "A title that is not compressed")]) == 3
