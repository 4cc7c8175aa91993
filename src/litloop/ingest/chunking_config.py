"""How papers are cut and embedded. Its name is stored with every file: another chunking makes it count as changed."""

from __future__ import annotations

from dataclasses import dataclass

from litloop.catalogue import PreparedDocument
from litloop.chunking import PASSAGES_VERSION, make_passages
from litloop.core.records import Document
from litloop.embedding.protocol import Embedder, Tokenizer
from litloop.reading import PARSERS_VERSION


@dataclass(frozen=True, slots=True)
class ChunkingConfig:
    """Passages of at most `size` tokens, `overlap` of them shared with the one before."""

    tokenizer: Tokenizer
    size: int
    overlap: int
    name: str

    @classmethod
    def of(cls, embedder: Embedder, size: int, overlap: int) -> ChunkingConfig:
        name = f"parsers/{PARSERS_VERSION} passages/{PASSAGES_VERSION}/{size}/{overlap} {embedder.fingerprint}"
        return cls(embedder.tokenizer, size, overlap, name)

    def prepare(self, document: Document) -> PreparedDocument:
        passages = make_passages(document.paper, document.text, self.tokenizer, size=self.size, overlap=self.overlap)
        return PreparedDocument(document, passages, self.name)
