from __future__ import annotations

import time

import pytest

from litloop.text.retractions import is_banner, notes_say_retracted, opens_as_retracted, read_title

MARKED = [
    ("RETRACTED: A thing in rats", "A thing in rats"),
    ("RETRACTED ARTICLE: Ibuprofen against itch in sheep", "Ibuprofen against itch in sheep"),
    ("Retracted Article: Graphene against itch", "Graphene against itch"),
    ("RETRACTED CHAPTER: Deep things", "Deep things"),
    ("[Retracted] Aspirin against cramps in goats", "Aspirin against cramps in goats"),
    ("(Retracted) Aspirin", "Aspirin"),
    ("<RETRACTED> Aspirin", "Aspirin"),
    ("**RETRACTED**: Aspirin for pain", "Aspirin for pain"),
    ("RETRACTED—Aspirin for pain", "Aspirin for pain"),
    ("RETRACTED - Aspirin for pain", "Aspirin for pain"),
    ("RETRACTED Aspirin for pain in dogs", "Aspirin for pain in dogs"),
    ("WITHDRAWN: Aspirin for headache", "Aspirin for headache"),
    ("WITHDRAWN BY AUTHORS: Aspirin in dogs", "Aspirin in dogs"),
    ("REMOVED: Aspirin in dogs", "Aspirin in dogs"),
    ("This article has been retracted: Aspirin in dogs", "Aspirin in dogs"),
    ("Codeine against pain in cats [RETRACTED]", "Codeine against pain in cats"),
    ("Codeine against pain in cats (Retracted)", "Codeine against pain in cats"),
    ("Codeine against pain in cats [Retracted article]", "Codeine against pain in cats"),
    ("Codeine against pain in cats - RETRACTED", "Codeine against pain in cats"),
    ("Codeine against pain in cats. RETRACTED", "Codeine against pain in cats"),
    ("Codeine against pain in cats [Retracted by the authors]", "Codeine against pain in cats"),
    ("Codeine against pain in cats [Retraction in: J Foo 2010]", "Codeine against pain in cats"),
    ("Restless legs (Retracted article. See vol. 15, pg. 301, 2021)", "Restless legs"),
    ("Restless legs (Retracted Article. See vol 15, pg 301, 2021)", "Restless legs"),
    ("【撤稿】阿司匹林治疗头痛", "阿司匹林治疗头痛"),
]


@pytest.mark.parametrize(("title", "bare"), MARKED)
def test_a_mark_at_either_end_is_taken_off_the_title_and_kept(title: str, bare: str):
    said = read_title(title)
    assert (said.kind, said.title) == ("retracted", bare)
    assert said.mark
    assert said.mark in title
    assert read_title(said.title).kind == ""


@pytest.mark.parametrize(
    "title",
    [
        "Retracted papers in oncology: a review",
        "Retracted articles: a bibliometric study",
        "Retraction of the tongue in sleep",
        "Retraction of the Tongue During Swallowing",
        "Retraction of lung tissue after surgery",
        "Retraction rates in anesthesiology journals",
        "Retraction pockets of the ear drum",
        "Retraction Watch: a decade",
        "Retraction and withdrawal of publications",
        "Retracted ear drums in children (a study)",
        "Citations of retracted articles",
        "Why are papers retracted?",
        "Retracted or not retracted: a study",
        "Repair of tendons: large or retracted",
        "Surgery for rotator cuff tears, large and retracted",
        "Withdrawn patients in trials of statins: a review",
        "Patients withdrawn from dialysis",
        "The withdrawn child",
        "Withdrawal symptoms: a review",
        "Withdrawal: effects on mood in smokers",
        "Alcohol withdrawal: mechanisms",
        "Eyelid retraction: causes and treatment",
        "Clot retraction in mice",
        "Removed teeth: what next?",
        "",
    ],
)
def test_a_title_that_speaks_of_retraction_carries_no_mark(title: str):
    assert read_title(title).kind == ""
    assert read_title(title).title == title


@pytest.mark.parametrize(
    ("title", "about"),
    [
        ("Retraction: Naproxen against cough in pigs", "Naproxen against cough in pigs"),
        ("RETRACTION: On sleep", "On sleep"),
        ("Retraction of: Naproxen against cough", "Naproxen against cough"),
        ('Retraction of "Naproxen against cough in pigs"', "Naproxen against cough in pigs"),
        ("Retraction of Naproxen against cough in pigs", "Naproxen against cough in pigs"),
        ("Retraction—Naproxen against cough", "Naproxen against cough"),
        ("Retraction Note: On sleep", "On sleep"),
        ("Retraction Note to: Naproxen against cough", "Naproxen against cough"),
        (
            "Retraction notice to “Naproxen against cough in pigs” [J. Foo 12 (2010) 1–9]",
            "Naproxen against cough in pigs",
        ),
        ("Notice of retraction: Naproxen", "Naproxen"),
        ("Statement of Retraction: Naproxen", "Naproxen"),
        ("Withdrawal notice: Naproxen", "Naproxen"),
        ("Withdrawal: Naproxen against cough", "Naproxen against cough"),
        ("Editorial retraction: Naproxen", "Naproxen"),
        ("Naproxen against cough (Retraction of vol 12, pg 3, 2010)", "Naproxen against cough"),
        ("Retraction", ""),
        ("Notice of Retraction", ""),
    ],
)
def test_a_notice_is_not_the_work_that_it_takes_back(title: str, about: str):
    said = read_title(title)
    assert (said.kind, said.title, said.about) == ("notice", title, about)


@pytest.mark.parametrize("note", ["Retracted", "PMID: 7; Retracted; x", "Retracted article. See vol 3", "Retraction in: Foo",
                                  "This article has been retracted", "(Retracted article. See vol. 15, pg 3)"])  # fmt: skip
def test_a_note_of_its_own_marks_a_record(note: str):
    assert notes_say_retracted(note)


@pytest.mark.parametrize("note", ["Comments on retracted papers", "Erratum in: foo", "Not retracted so far", "Retraction of: foo",
                                  "patients withdrawn", "Retracted eyelids were seen", "Cites a retracted article"])  # fmt: skip
def test_a_note_that_speaks_of_retraction_marks_nothing(note: str):
    assert not notes_say_retracted(note)


def test_a_text_says_of_itself_that_it_was_taken_back_only_where_a_line_begins_so():
    assert opens_as_retracted("This article has been retracted: please see the policy. Tramadol lowered pain.")
    assert opens_as_retracted("This paper has been withdrawn by the author due to an error in eq. 3.")
    assert opens_as_retracted("Tramadol in dogs\n\nThis article was formally retracted on 3 May.")
    assert not opens_as_retracted("A study linked the two. This paper was retracted in 2010.")
    assert not opens_as_retracted("This article reviews retracted papers. This drug was withdrawn from the market.")


def test_a_banner_is_a_line_that_holds_nothing_else():
    assert all(
        map(is_banner, ["RETRACTED", "R E T R A C T E D", "Retracted article", "[WITHDRAWN]", "RETRACTED ARTICLE"])
    )
    assert not any(map(is_banner, ["Withdrawn", "retracted", "WITHDRAWN (n = 3)", "Retracted articles", "x" * 100, ""]))


@pytest.mark.parametrize(
    "piece", ["retracted ", "[", "(retraction of ", "withdrawn by ", "- ", "R ", "“", "notice of "]
)
def test_the_longest_title_costs_no_time(piece: str):
    started = time.process_time()
    for read in (read_title, notes_say_retracted, opens_as_retracted, is_banner):
        read(piece * 200_000)
    assert time.process_time() - started < 2
