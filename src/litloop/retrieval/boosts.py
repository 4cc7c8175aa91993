"""Boosts: a label of a paper multiplies its score.

Three forms. `off`. `flat`, as NeuLitTrace has it: every paper that carries the label is lifted, whatever is
asked. `topic`: a labelled paper is lifted only when the question asks for its topic. The flat form sinks every
question about something common (a rare paper of another disease overtakes the right common one); the topic form
cannot, because it never lifts a paper of a topic that was not asked for.

Labels are looked at only when a boost is on.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from litloop.core.labels import label_rows
from litloop.core.records import Labels
from litloop.index.engine import Ranking
from litloop.retrieval.fusion import ordered


@dataclass(frozen=True, slots=True)
class Boost:
    """Papers whose `label` is, or contains, `value` have their score multiplied by `factor`."""

    label: str
    value: str
    factor: float


# The share of a topic's name that a question must hold to ask for it. Lower lifts more of what is right and more of
# what is wrong: `benchmarks/quality/boosts.py`. That the topic's centroid lies nearest was tried as a second way to be
# asked for; it lifts the wrong topic as often as the right one.
NAME_SHARE = 0.6


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic's name, and the name analysed."""

    name: str
    terms: frozenset[str]


def asked_topics(
    question_terms: Collection[str], topics: Sequence[Topic], *, share: float = NAME_SHARE
) -> frozenset[str]:
    """The topics that a question names: those of whose names it holds most, at least `share` by weight.

    A term weighs the less the more topics' names hold it ("disease", "PET"), so that what names share names nothing.
    """
    holders = Counter(term for topic in topics for term in topic.terms)
    question = frozenset(question_terms)
    covered = {topic.name: _covered(question, topic, holders, len(topics)) for topic in topics}
    best = max(covered.values(), default=0.0)
    return frozenset(name for name, part in covered.items() if part >= share and part == best)


def boosted(
    ranking: Ranking,
    labels: Sequence[Labels],
    boosts: Sequence[Boost],
    *,
    topic_label: str | None = None,
    asked: frozenset[str] | None = None,
) -> tuple[Ranking, NDArray[np.float32]]:
    """`ranking` with its scores multiplied, and each key's factor in the new order.

    `labels` stand in the order of `ranking`. `asked` None is the flat form; otherwise only papers whose
    `topic_label` is among `asked` are lifted.
    """
    factors = np.ones(len(ranking), np.float32)
    for place, paper in enumerate(labels):
        # Of a paper on two topics, the rare one must not lift it where the common one was asked for.
        rows = [
            row
            for row in label_rows(paper)
            if asked is None or (topic_label is not None and _values(row, topic_label) & asked)
        ]
        for boost in boosts:
            if any(boost.value in _values(row, boost.label) for row in rows):
                factors[place] *= boost.factor
    lifted = ordered(ranking.keys, ranking.scores * factors)
    by_key = dict(zip(ranking.keys.tolist(), factors.tolist(), strict=True))
    return lifted, np.array([by_key[key] for key in lifted.keys.tolist()], np.float32)


def _covered(question: frozenset[str], topic: Topic, holders: Mapping[str, int], topics: int) -> float:
    """The share of the name's weight that the question holds, 0-1."""
    weights = {term: math.log(1 + topics / holders[term]) for term in topic.terms}
    total = sum(weights.values())
    return sum(weights[term] for term in topic.terms & question) / total if total else 0.0


def _values(labels: Labels, name: str) -> frozenset[str]:
    value = labels.get(name)
    if value is None:
        return frozenset()
    return frozenset(value) if isinstance(value, tuple) else frozenset({str(value)})
