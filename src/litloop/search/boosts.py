"""Boosts: a label of a paper multiplies its score.

Three forms. `off`. `flat`, as the first seed has it: every paper that carries the label is lifted, whatever is
asked. `topic`: a labelled paper is lifted only when the question asks for its topic. The flat form sinks every
question about something common (a rare paper of another disease overtakes the right common one); the topic form
cannot, because it never lifts a paper of a topic that was not asked for.

Labels are looked at only when a boost is on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from litloop.index.engine import Ranking
from litloop.records import Labels
from litloop.search.fusion import ordered

BoostForm = Literal["off", "flat", "topic"]


@dataclass(frozen=True, slots=True)
class Boost:
    """Papers whose `label` is, or contains, `value` have their score multiplied by `factor`."""

    label: str
    value: str
    factor: float


@dataclass(frozen=True, slots=True)
class Topic:
    """What is known of one topic: its name, the name analysed, and its centroid (dimension,), unit length."""

    name: str
    terms: frozenset[str]
    centroid: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class TopicRule:
    """When a question counts as asking for a topic.

    By name: the question holds at least `name_share` of the weight of the name's terms. By meaning: the topic's
    centroid is the nearest, and nearer than the second by `lead` in cosine.
    """

    name_share: float = 0.5
    lead: float = 0.03


def asked_topics(
    question_terms: Sequence[str],
    question_vector: NDArray[np.float32] | None,
    topics: Sequence[Topic],
    rule: TopicRule | None = None,
) -> frozenset[str]:
    """The topics that a question asks for; none when it is not clear.

    A name's term weighs the less the more topics' names hold it ("disease", "PET"), so that what is shared by
    names names nothing. A name decides before nearness does.
    """
    rule = rule or TopicRule()
    named = _named(frozenset(question_terms), topics, rule.name_share)
    if named or question_vector is None or not topics:
        return named
    cosines = np.stack([topic.centroid for topic in topics]) @ question_vector
    order = np.argsort(-cosines, kind="stable")
    clear = len(order) == 1 or cosines[order[0]] - cosines[order[1]] >= rule.lead
    return frozenset({topics[int(order[0])].name}) if clear else frozenset()


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
        if asked is not None and (topic_label is None or not _values(paper, topic_label) & asked):
            continue
        for boost in boosts:
            if boost.value in _values(paper, boost.label):
                factors[place] *= boost.factor
    lifted = ordered(ranking.keys, ranking.scores * factors)
    by_key = dict(zip(ranking.keys.tolist(), factors.tolist(), strict=True))
    return lifted, np.array([by_key[key] for key in lifted.keys.tolist()], np.float32)


def _named(question: frozenset[str], topics: Sequence[Topic], share: float) -> frozenset[str]:
    holders: dict[str, int] = {}
    for topic in topics:
        for term in topic.terms:
            holders[term] = holders.get(term, 0) + 1
    covered = {topic.name: _covered(question, topic, holders, len(topics)) for topic in topics}
    best = max(covered.values(), default=0.0)
    return frozenset(name for name, part in covered.items() if part >= share and part == best)


def _covered(question: frozenset[str], topic: Topic, holders: Mapping[str, int], topics: int) -> float:
    """The share of the name's weight that the question holds, 0-1."""
    weights = {term: np.log(1 + topics / holders[term]) for term in topic.terms}
    total = sum(weights.values())
    return float(sum(weights[term] for term in topic.terms & question) / total) if total else 0.0


def _values(labels: Labels, name: str) -> frozenset[str]:
    value = labels.get(name)
    if value is None:
        return frozenset()
    return frozenset(value) if isinstance(value, tuple) else frozenset({str(value)})
