"""Inverse document frequency: how much a term tells, from how few texts hold it."""

from __future__ import annotations

import math


def idf(frequency: int, count: int) -> float:
    """ln(1 + (N - n + 1/2) / (n + 1/2)) of a term that n = `frequency` of N = `count` texts hold; never negative.

    The form that BM25 and tantivy use. Source: Robertson and Zaragoza 2009.
    """
    return math.log(1 + (count - frequency + 0.5) / (frequency + 0.5))
