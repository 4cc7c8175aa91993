"""The embedder over a transformer: tokenizer, runtime and pooling, each loaded when first used."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing

import numpy as np

from litloop.core.choices import Precision, RuntimeName
from litloop.core.errors import UsageError
from litloop.embedding.backends import start_runtime
from litloop.embedding.batching import Batch, pack, padded_length, plan
from litloop.embedding.cancellation import check_cancelled
from litloop.embedding.model_graph import graph_of
from litloop.embedding.pooling import pool, unit_rows
from litloop.embedding.protocol import Matrix, TokenVectors, Vector
from litloop.embedding.request_batching import RequestBatcher
from litloop.embedding.runtime import Output, Runtime
from litloop.embedding.spec import EmbedderSpec
from litloop.embedding.tokenizer import ModelTokenizer

# Texts tokenised at a time: enough for full requests of every length, about 30 MB of token ids and offsets.
TOKENISED_AT_ONCE = 1024


class ModelEmbedder:
    """Turns texts into unit vectors with the model a spec describes.

    Making one costs nothing: name, dimension and fingerprint come from the spec, the tokenizer (20 ms) and the
    model (0.2 s, or 1.5 s the first time on a machine) are loaded by the first call that needs them.
    """

    def __init__(
        self,
        spec: EmbedderSpec,
        *,
        runtime: RuntimeName = "auto",
        precision: Precision = "auto",
        batch_size: int = 32,
        threads: int = 0,
    ) -> None:
        if spec.weights is None or spec.tokenizer is None or spec.pooling is None:
            raise ValueError(f"{spec.name} is no model with files.")
        self.spec = spec
        self.name = spec.name
        self.dimension = spec.dimension
        self.fingerprint = spec.fingerprint
        self._weights = spec.weights
        self._tokenizer_file = spec.tokenizer
        self._pooling = spec.pooling
        self._runtime_name: RuntimeName = runtime
        self._precision: Precision = precision
        self._batch_size = batch_size
        self._threads = threads
        self._tokenizer_lock = threading.Lock()
        self._runtime_lock = threading.Lock()
        self._tokenizer: ModelTokenizer | None = None
        self._runtime: Runtime | None = None
        self._together: RequestBatcher[Sequence[int], Vector] = RequestBatcher(
            self._embed_questions, at_once=os.cpu_count() or 2
        )

    @property
    def tokenizer(self) -> ModelTokenizer:
        if self._tokenizer is None:
            with self._tokenizer_lock:
                if self._tokenizer is None:
                    spec = self.spec
                    self._tokenizer = ModelTokenizer(self._tokenizer_file, spec.window, spec.passage_prefix)
        return self._tokenizer

    @property
    def precision(self) -> str:
        """bf16 or f32. Loads the model: only the machine it runs on decides."""
        return self._loaded().precision

    def warm(self) -> threading.Thread:
        """Start loading in the background, while the caller opens other things. A failure shows at first use."""
        thread = threading.Thread(target=self._load_quietly, name="litloop-embedder", daemon=True)
        thread.start()
        return thread

    def embed_passages(self, texts: Sequence[str]) -> Matrix:
        """(len(texts), dimension), in the order of `texts`.

        Raises ValueError when a text has more tokens than the window holds.
        """
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        if not texts:
            return vectors
        # Closed at once when a text is refused: the requests still out go back to the pool.
        with closing(self._loaded().run_many(self._batches(texts))) as results:
            for batch, output in results:
                vectors[list(batch.rows)] = pool(output, batch.mask, self._pooling)
                check_cancelled()
        return vectors

    def embed_query(self, text: str) -> Vector:
        """(dimension,). With the query prefix; a question longer than the window is shortened at its end."""
        ids = self.tokenizer.shortened_ids(self.spec.query_prefix + text)
        # Padded like passages: a server meets few shapes, and each new one costs 5 ms once.
        return self._together(ids, padded_length(len(ids), self.spec.window))

    def token_vectors(self, texts: Sequence[str], *, question: bool = False) -> list[TokenVectors]:
        """What the model makes of every token of each text, special tokens and the prefix left out.

        `question` says which prefix stands before them. A text longer than the window is read up to it.
        Raises UsageError when the model pools itself and so shows no tokens.
        """
        prefix = self.spec.query_prefix if question else self.spec.passage_prefix
        ids = [self.tokenizer.shortened_ids(prefix + text) for text in texts]
        found: dict[int, TokenVectors] = {}
        requests = plan([len(one) for one in ids], self.spec.window, self._batch_size)
        batches = (pack(ids, rows, length, self.spec.pad_id) for length, rows in requests)
        with closing(self._loaded().run_many(batches)) as results:
            for batch, output in results:
                if output.ndim == 2:
                    raise UsageError(f"{self.name} gives one vector for a text and shows none of its tokens.")
                for row, tokens in zip(batch.rows, output, strict=True):
                    found[row] = _told(tokens, self.tokenizer.shortened_spans(prefix + texts[row]), len(prefix))
        return [found[row] for row in range(len(texts))]

    def _embed_questions(self, questions: Sequence[Sequence[int]]) -> list[Vector]:
        """Questions of one padded length, in one request."""
        length = padded_length(len(questions[0]), self.spec.window)
        batch = pack(questions, range(len(questions)), length, self.spec.pad_id)
        return list(pool(self._loaded().run(batch), batch.mask, self._pooling))

    def _batches(self, texts: Sequence[str]) -> Iterator[Batch]:
        """Requests for all texts. A generator: the next texts are tokenised while the last ones are embedded."""
        window = self.spec.window
        for start in range(0, len(texts), TOKENISED_AT_ONCE):
            some = texts[start : start + TOKENISED_AT_ONCE]
            ids = self.tokenizer.ids([self.spec.passage_prefix + text for text in some])
            lengths = [len(one) for one in ids]
            for index, length in enumerate(lengths):
                if length > window:
                    counted = f"Text {start + index} has {length} tokens; {self.name} reads {window}."
                    raise ValueError(f"{counted} Cut it into passages first.")
            for length, rows in plan(lengths, window, self._batch_size):
                batch = pack(ids, rows, length, self.spec.pad_id)
                yield Batch(tuple(start + row for row in rows), batch.ids, batch.mask)

    def _loaded(self) -> Runtime:
        if self._runtime is None:
            with self._runtime_lock:
                if self._runtime is None:
                    self._runtime = start_runtime(
                        self._runtime_name,
                        graph_of(self.spec),
                        precision=self._precision,
                        threads=self._threads,
                    )
        return self._runtime

    def _load_quietly(self) -> None:
        try:
            self._loaded()
            _ = self.tokenizer
        except Exception:
            return


def _told(tokens: Output, spans: Sequence[tuple[int, int] | None], prefix: int) -> TokenVectors:
    """The text's own tokens: those that are not special and begin behind its prefix."""
    kept = [(place, span) for place, span in enumerate(spans) if span is not None and span[0] >= prefix]
    own = tuple((start - prefix, end - prefix) for _, (start, end) in kept)
    return TokenVectors(own, unit_rows(tokens[[place for place, _ in kept]]))
