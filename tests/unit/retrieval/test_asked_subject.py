from __future__ import annotations

import pytest

from litloop.retrieval.asked_subject import LEAST_PASSAGES, MOST_WORDS, rare_subject_mass, untitled_share

FREQUENCY = {"tunnel": 192, "wind": 132, "helmet": 0, "cyclist": 1, "flow": 861}


def test_the_subject_is_what_the_collection_hardly_holds_and_weighs_by_its_rarity():
    rare = rare_subject_mass(["wind", "tunnel", "helmet", "cyclist"], FREQUENCY, 1400)
    assert set(rare) == {"helmet", "cyclist"}
    assert rare["helmet"] > rare["cyclist"] > 0.25
    assert sum(rare.values()) < 1


def test_a_question_in_the_words_of_the_collection_has_no_foreign_subject():
    assert rare_subject_mass(["wind", "tunnel", "flow"], FREQUENCY, 1400) == {}


@pytest.mark.parametrize(
    ("terms", "count"),
    [([], 1400), (["helmet"], LEAST_PASSAGES - 1), ([f"w{n}" for n in range(MOST_WORDS + 1)], 1400)],
)
def test_nothing_is_told_of_no_word_too_few_passages_or_a_question_of_many_words(terms, count):
    assert rare_subject_mass(terms, {}, count) == {}


def test_a_title_that_names_the_subject_lacks_nothing_and_one_of_the_method_alone_lacks_it_all():
    rare = rare_subject_mass(["wind", "tunnel", "helmet", "cyclist"], FREQUENCY, 1400)
    assert untitled_share(rare, {"helmet", "cyclist", "study"}) == 0
    assert untitled_share(rare, {"wind", "tunnel"}) == pytest.approx(sum(rare.values()))
