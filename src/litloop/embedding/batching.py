"""Texts of like length go through the model together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]  # (n, length)

# Lengths are padded up to a multiple of this. With AMX tiles a batch of 4 x 256 tokens takes 127 ms and one of
# 4 x 255 takes 156: odd lengths cost more than the padding that avoids them.
LENGTH_STEP = 16
# Tokens in one request. Beyond this the activations fall out of the second-level cache: 4 x 256 ran as fast per
# passage as 8 x 256 or faster, and small requests balance better over the cores.
REQUEST_TOKENS = 1024


@dataclass(frozen=True, slots=True)
class Batch:
    """One request: token ids and their mask, and which of the caller's texts its rows are."""

    rows: tuple[int, ...]
    ids: Ids
    mask: Ids


def padded_length(tokens: int, window: int) -> int:
    """The length to which a text of `tokens` tokens is padded."""
    return min(window, -(-max(tokens, 1) // LENGTH_STEP) * LENGTH_STEP)


def plan(lengths: Sequence[int], window: int, batch_size: int) -> list[tuple[int, list[int]]]:
    """(padded length, indices) of each request, longest first so that the last ones to finish are short.

    Only texts of one padded length share a request. So a text is padded the same whatever its neighbours are,
    and no request carries more than LENGTH_STEP - 1 idle tokens per text.
    """
    buckets: dict[int, list[int]] = defaultdict(list)
    for index, tokens in enumerate(lengths):
        buckets[padded_length(tokens, window)].append(index)
    requests: list[tuple[int, list[int]]] = []
    for length in sorted(buckets, reverse=True):
        size = max(1, min(batch_size, REQUEST_TOKENS // length))
        members = buckets[length]
        requests.extend((length, members[start : start + size]) for start in range(0, len(members), size))
    return requests


def pack(token_ids: Sequence[Sequence[int]], rows: Iterable[int], length: int, pad_id: int) -> Batch:
    """The texts at `rows`, padded to `length`."""
    chosen = tuple(rows)
    ids = np.full((len(chosen), length), pad_id, dtype=np.int64)
    mask = np.zeros((len(chosen), length), dtype=np.int64)
    for place, row in enumerate(chosen):
        count = len(token_ids[row])
        ids[place, :count] = token_ids[row]
        mask[place, :count] = 1
    return Batch(chosen, ids, mask)
