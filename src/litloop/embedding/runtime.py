"""The runtime seam: what carries a model's graph, and what every runtime feeds and reads alike."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from litloop.core.errors import UsageError
from litloop.embedding.batching import Batch

Output = NDArray[np.float32]  # (n, length, dimension), or (n, dimension) from a model that pools itself
Graph = Path | bytes  # an ONNX file, or its content when there is no folder to keep it in


class Runtime(Protocol):
    """Runs one model. Safe to call from several threads at once."""

    precision: str  # bf16 or f32: what it computes in

    def run(self, batch: Batch) -> Output:
        """One request, as soon as possible: for queries."""
        ...

    def run_many(self, batches: Iterable[Batch]) -> Generator[tuple[Batch, Output], None, None]:
        """All of them, for throughput: in any order, drawing on `batches` while others run. An output is valid
        until the next is asked for."""
        ...


# What each input of an encoder is given. Graphs differ in which of these they ask for.
INPUTS = ("input_ids", "attention_mask", "token_type_ids", "position_ids")


def feed(batch: Batch, inputs: Iterable[str]) -> dict[str, NDArray[np.int64]]:
    """The arrays for the inputs a graph asks for, as `check_inputs` gave them."""
    known: dict[str, NDArray[np.int64]] = {
        "input_ids": batch.ids,
        "attention_mask": batch.mask,
        "token_type_ids": np.zeros_like(batch.ids),
        "position_ids": np.tile(np.arange(batch.ids.shape[1], dtype=np.int64), (len(batch.ids), 1)),
    }
    return {name: known[name] for name in inputs}


def check_inputs(inputs: Iterable[str]) -> tuple[str, ...]:
    """The names of a graph's inputs. Raises UsageError when one of them is not a text encoder's."""
    names = tuple(inputs)
    strange = [name for name in names if name not in INPUTS]
    if strange:
        raise UsageError(f"The model asks for an input called {strange[0]}: it is no text encoder litloop can run.")
    return names


def choose_output(axes: Iterable[int]) -> int:
    """Which output to use, given the number of axes of each: token vectors when there are any.

    Raises UsageError when no output holds vectors.
    """
    listed = list(axes)
    for wanted in (3, 2):
        if wanted in listed:
            return listed.index(wanted)
    raise UsageError("The model gives no vectors: none of its outputs has two or three axes.")
