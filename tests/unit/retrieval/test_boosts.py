from __future__ import annotations

import numpy as np
import pytest

from litloop.core.labels import labels_by_row
from litloop.index.engine import Ranking
from litloop.retrieval.boosts import Boost, Topic, asked_topics, boosted

RARE = Boost("rarity", "rare", 1.6)
RANKING = Ranking(np.array([1, 2, 3], np.int64), np.array([0.9, 0.8, 0.7], np.float32))
LABELS = [
    {"rarity": "common", "condition": "stroke"},
    {"rarity": "rare", "condition": "angiitis"},
    {"rarity": "rare", "condition": "CJD"},
]


def topic(name: str) -> Topic:
    return Topic(name, frozenset(name.lower().split()))


TOPICS = [topic("Temporal lobe epilepsy PET"), topic("Frontotemporal dementia PET")]


def test_the_flat_boost_lifts_every_labelled_paper():
    lifted, factors = boosted(RANKING, LABELS, [RARE])
    assert lifted.keys.tolist() == [2, 3, 1]
    assert factors.tolist() == pytest.approx([1.6, 1.6, 1.0])


def test_the_topic_boost_lifts_only_papers_of_the_topic_asked_for():
    lifted, _ = boosted(RANKING, LABELS, [RARE], topic_label="condition", asked=frozenset({"CJD"}))
    assert lifted.keys.tolist() == [3, 1, 2]


def test_a_question_about_something_common_is_left_as_it_was():
    lifted, factors = boosted(RANKING, LABELS, [RARE], topic_label="condition", asked=frozenset({"stroke"}))
    assert lifted.keys.tolist() == [1, 2, 3]
    assert factors.tolist() == [1, 1, 1]


def test_a_topic_boost_without_a_topic_label_lifts_nothing():
    lifted, _ = boosted(RANKING, LABELS, [RARE], asked=frozenset({"CJD"}))
    assert lifted.scores.tolist() == RANKING.scores.tolist()


@pytest.mark.parametrize(("asked", "factor"), [("CJD", 1.6), ("stroke", 1.0)])
def test_a_paper_on_a_rare_and_a_common_topic_is_lifted_for_the_rare_one_only(asked: str, factor: float):
    both = labels_by_row([{"condition": "stroke", "rarity": "common"}, {"condition": "CJD", "rarity": "rare"}])
    one = Ranking(np.array([1], np.int64), np.array([0.9], np.float32))
    _, factors = boosted(one, [both], [RARE], topic_label="condition", asked=frozenset({asked}))
    assert factors.tolist() == pytest.approx([factor])


def test_any_label_can_be_boosted_also_one_with_several_values():
    labels = [{}, {"regions": ("midbrain", "pons")}, {"year": 2020}]
    lifted, _ = boosted(RANKING, labels, [Boost("regions", "pons", 2.0), Boost("year", "2020", 3.0)])
    assert lifted.keys.tolist() == [3, 2, 1]


def test_a_question_that_names_a_topic_asks_for_it():
    assert asked_topics(["epilepsy", "temporal", "lobe", "scan"], TOPICS) == {"Temporal lobe epilepsy PET"}


def test_a_word_that_all_names_share_names_nothing():
    assert asked_topics(["pet"], TOPICS) == frozenset()


def test_half_a_name_is_not_enough_unless_it_is_said_to_be():
    assert asked_topics(["dementia"], TOPICS) == frozenset()
    assert asked_topics(["dementia"], TOPICS, share=0.3) == {"Frontotemporal dementia PET"}


def test_of_two_names_the_better_covered_one_is_meant():
    parts = [topic("aphasia semantic"), topic("aphasia semantic progressive")]
    assert asked_topics(["semantic", "aphasia", "progressive"], parts) == {
        "aphasia semantic",
        "aphasia semantic progressive",
    }
    assert asked_topics(["semantic", "aphasia"], parts) == {"aphasia semantic"}


def test_without_topics_none_is_asked_for():
    assert asked_topics(["pet"], []) == frozenset()
