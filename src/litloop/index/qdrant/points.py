"""Passages as Qdrant points: BM25 weights of our own analysed terms, labels as keywords, filters that mean the same.

The document side of BM25 is stored, tf · (k1 + 1) / (tf + k1 · (1 - b + b · length / average)), and the server
multiplies by its live IDF, ln(1 + (N - n + ½) / (n + ½)). k1 and b are those of the embedded engine. The average
length is that of a collection's first batch and stays until it is built anew: on SciFact's abstracts moving it by
20 % does not change the first ten of a ranking more than a merge of tantivy's segments does.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from litloop.core.filters import Filters
from litloop.core.records import Labels
from litloop.index.engine import IndexPassage
from litloop.index.filters import bounded_year, filter_values

K1, B = 1.2, 0.75


@lru_cache(maxsize=200_000)
def term_number(term: str) -> int:
    """The index of a term in sparse vectors: 32 bits of its hash. Among a million terms about 120 share a number."""
    return int.from_bytes(hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=4).digest(), "big")


def average_length(passages: Sequence[IndexPassage]) -> float:
    """Terms per passage, never under 1."""
    return max(1.0, sum(len(one.terms) for one in passages) / max(len(passages), 1))


def term_weights(terms: Sequence[str], average: float) -> dict[int, float]:
    """The document side of BM25 by term number. Terms that share a number are counted as one."""
    counts = Counter(term_number(term) for term in terms)
    norm = K1 * (1 - B + B * len(terms) / average)
    return {number: count * (K1 + 1) / (count + norm) for number, count in counts.items()}


def query_weights(terms: Mapping[str, float]) -> dict[int, float]:
    """Weights by term number; terms that do not weigh more than 0 are left out."""
    weights: dict[int, float] = {}
    for term, weight in terms.items():
        if weight > 0 and math.isfinite(weight):
            number = term_number(term)
            weights[number] = weights.get(number, 0.0) + weight
    return weights


def occurrences(idf: float, count: int) -> int:
    """In how many of `count` passages a term stands whose IDF the server computed as `idf`."""
    return max(0, min(count, round((count + 1) / math.exp(idf) - 0.5)))


def payload(year: int | None, labels: Labels) -> dict[str, Any]:
    """What filters look at. Name and value of a label are one keyword, so that any name can be held."""
    held: dict[str, Any] = {
        "labels": sorted({_keyword(name, value) for name, given in labels.items() for value in filter_values(given)})
    }
    if year is not None:
        held["year"] = bounded_year(year)
    return held


def condition(filters: Filters) -> Any | None:
    """The filter as Qdrant's; None for no filter. Impossible filters (a label without values) match nothing."""
    from qdrant_client import models

    must: list[Any] = []
    if filters.year_from is not None or filters.year_to is not None:
        first = None if filters.year_from is None else bounded_year(filters.year_from)
        last = None if filters.year_to is None else bounded_year(filters.year_to)
        must.append(models.FieldCondition(key="year", range=models.Range(gte=first, lte=last)))
    for name, wanted in filters.labels.items():
        keywords = [_keyword(name, value) for value in wanted]
        must.append(models.FieldCondition(key="labels", match=models.MatchAny(any=keywords)))
    return models.Filter(must=must) if must else None


def impossible(filters: Filters) -> bool:
    return any(not wanted for wanted in filters.labels.values())


def _keyword(name: str, value: str) -> str:
    """Hashed when long, as the server's keyword index holds short strings best; names cannot run into values."""
    joined = f"{len(name)}:{name}={value}"
    if len(joined) > 512:
        digest = hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()
        return f"{name[:64]}#{digest}".encode("utf-8", "replace").decode()
    return joined.encode("utf-8", "replace").decode()
