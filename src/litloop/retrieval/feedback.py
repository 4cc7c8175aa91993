"""Pseudo-relevance feedback: the first hits say in which words and in which direction to look again.

No model writes anything here. It is what stands in for HyDE and for a refined query where no language model is
configured; as a step of every search it does not pay (`docs/experiments.md`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from litloop.retrieval.plan import WeightedQuery
from litloop.text.idf import idf

FEEDBACK_PASSAGES = 3
FEEDBACK_TERMS = 15
FEEDBACK_SHARE = 0.3


def feedback_query(
    question: WeightedQuery,
    passages: Sequence[Sequence[str]],
    vectors: NDArray[np.float32] | None,
    *,
    document_frequency: Mapping[str, int],
    count: int,
    terms: int = FEEDBACK_TERMS,
    share: float = FEEDBACK_SHARE,
) -> WeightedQuery:
    """`question` moved towards `passages`, as one more query in the role of feedback.

    `passages` are the terms of the hits to learn from, best first; `vectors` (len(passages), dimension) theirs.
    `question` must bring its terms, and its vector if the dense leg is to move as well.
    """
    weights = 1.0 / np.arange(1, len(passages) + 1)
    moved = None
    if question.vector is not None and vectors is not None and len(vectors):
        moved = rocchio(question.vector, vectors, weights, share)
    expanded = expanded_terms(
        question.terms or {},
        passages,
        weights,
        document_frequency=document_frequency,
        count=count,
        terms=terms,
        share=share,
    )
    added = [term for term in expanded if term not in (question.terms or {})]
    text = " ".join([question.text, *added])
    return WeightedQuery(text, question.weight, "feedback", expanded, moved)


def rocchio(
    question: NDArray[np.float32], vectors: NDArray[np.float32], weights: NDArray[np.float64], share: float
) -> NDArray[np.float32]:
    """(1 - share) · question + share · weighted mean of `vectors`, unit length. Source: Rocchio 1971."""
    centre = (weights[:, None] * vectors).sum(axis=0) / weights.sum()
    moved = (1 - share) * question + share * centre
    unit: NDArray[np.float32] = (moved / np.linalg.norm(moved)).astype(np.float32)
    return unit


def expanded_terms(
    question: Mapping[str, float],
    passages: Sequence[Sequence[str]],
    weights: NDArray[np.float64],
    *,
    document_frequency: Mapping[str, int],
    count: int,
    terms: int = FEEDBACK_TERMS,
    share: float = FEEDBACK_SHARE,
) -> dict[str, float]:
    """Question terms (1 - share of the weight) and the passages' best `terms` terms by frequency · IDF (share).

    The weights sum to 1. Source: RM3 (Abdul-Jaleel et al. 2004), with IDF in place of a background model.
    """
    gained: dict[str, float] = {}
    for passage, weight in zip(passages, weights.tolist(), strict=True):
        for term, times in Counter(passage).items():
            rarity = idf(document_frequency.get(term, 0), count)
            gained[term] = gained.get(term, 0.0) + weight * times / len(passage) * rarity
    best = sorted(gained.items(), key=lambda item: (-item[1], item[0]))[:terms]
    expanded = _scaled(question, 1 - share if best else 1.0)
    for term, weight in _scaled(dict(best), share if question else 1.0).items():
        expanded[term] = expanded.get(term, 0.0) + weight
    return expanded


def _scaled(weights: Mapping[str, float], total: float) -> dict[str, float]:
    mass = sum(weights.values())
    return {term: weight / mass * total for term, weight in weights.items()} if mass else {}
