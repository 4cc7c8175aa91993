"""Paraphrases without a model: names as the hits define them, words that they lend."""

from __future__ import annotations

from litloop.loop.paraphrase import offline_paraphrases, renamed

TEXTS = ["Progressive supranuclear palsy (PSP) lowers midbrain uptake.", "On FDG-PET, PSP (steele syndrome) is seen."]
QUESTION = "What does FDG-PET show in PSP?"


def test_the_first_phrasing_writes_out_what_the_hits_define_and_the_second_borrows_their_words():
    named, borrowed = offline_paraphrases(QUESTION, TEXTS, ["midbrain", "uptake"])
    assert "progressive supranuclear palsy" in named.lower()
    assert "PSP" not in named.split()
    assert borrowed.endswith("midbrain uptake")
    assert "What" not in borrowed


def test_a_long_name_is_abbreviated_as_the_hits_do():
    assert renamed("gaze in Progressive Supranuclear Palsy", {"PSP": "progressive supranuclear palsy"}) == "gaze in PSP"


def test_part_of_a_word_is_not_a_name():
    assert renamed("PSPs and XPSP", {"PSP": "progressive supranuclear palsy"}) == "PSPs and XPSP"


def test_what_adds_nothing_to_the_query_is_left_out():
    assert offline_paraphrases("midbrain uptake", [], []) == ()
    assert offline_paraphrases(QUESTION, TEXTS, ["uptake"]) == offline_paraphrases(QUESTION, TEXTS, ["uptake"])
