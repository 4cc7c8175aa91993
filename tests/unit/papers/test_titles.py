from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litloop.papers.people import same_first_author
from litloop.papers.titles import similarity, title_name


@pytest.mark.parametrize(
    "title",
    [
        "Editorial", "EDITORIAL.", "Guest Editorial", "Editorial 12", "Preface", "Foreword", "Introduction", "Reply",
        "Authors' reply", "Letter to the Editor", "Book Reviews", "Book review", "Erratum", "Corrigendum", "Index",
        "Table of Contents", "In Memoriam", "Introduction to the special issue", "Editor's note", "Éditorial", "Préface",
        "Vorwort", "Введение", "От редакции", "前言", "編集後記", "はじめに", "Untitled", "", "...", "2020",
    ],
)  # fmt: skip
def test_headings_of_columns_name_no_work(title: str):
    assert title_name(title).generic
    assert not title_name(title).distinctive


@pytest.mark.parametrize(
    "title",
    ["Introduction to algorithms", "Response surface methodology", "Reply times of emergency services", "Indexing the web",
     "Deep learning", "Correction of refractive errors in schoolchildren", "深度学习在医学图像分割中的应用"],
)  # fmt: skip
def test_titles_that_only_begin_like_a_heading_name_a_work(title: str):
    assert not title_name(title).generic


def test_titles_in_scripts_without_latin_letters_keep_them():
    titles = [
        "深度学习在医学图像中的应用",
        "强化学习在自动驾驶中的应用",
        "Роль сна в памяти",
        "Роль стресса в памяти",
        "النوم والذاكرة",
        "수면과 기억",
    ]
    keys = [title_name(title).key for title in titles]
    assert len(set(keys)) == len(titles)
    assert all(keys)


@pytest.mark.parametrize("title", ["Erratum to: On sleep", "Corrigendum: On sleep", "Retraction Note: On sleep",
                                   "Author Correction: On sleep", "Comment on “On sleep”", "Reply to: On sleep"])  # fmt: skip
def test_a_notice_says_what_it_is_about(title: str):
    name = title_name(title)
    assert name.notice
    assert name.about == title_name("On sleep").key
    assert name.key != title_name("On sleep").key


def test_a_retraction_takes_back_and_a_retracted_work_keeps_its_name():
    assert title_name("Retraction: On sleep").retracts
    assert not title_name("Erratum: On sleep").retracts
    withdrawn = title_name("RETRACTED ARTICLE: On sleep")
    assert (withdrawn.withdrawn, withdrawn.notice, withdrawn.key) == (True, False, title_name("On sleep").key)


def test_a_subtitle_that_tells_a_part_or_a_reply_is_no_mere_subtitle():
    assert (
        title_name("Boundary layers on rotating discs: theory").main
        == title_name("Boundary layers on rotating discs").key
    )
    for tail in ("Part II", "volume 3", "a reply to Jones: reply", "second edition", "2019"):
        assert title_name(f"Boundary layers on rotating discs: {tail}").main == "" or "reply" in tail
    assert title_name("Boundary layers on rotating discs: reply").main == ""


def test_similarity_counts_words_and_letter_pairs_of_scripts_without_spaces():
    assert similarity("Sleep and memory", "Memory and sleep in rats") == 1.0
    assert similarity("Sleep and memory", "Gut bacteria") == 0.0
    assert 0.3 < similarity("深度学习在医学图像中的应用", "强化学习在医学图像中的应用") < 1.0
    assert similarity("", "Sleep") == 0.0


@given(st.text(max_size=60))
def test_a_name_ignores_case_and_surrounding_space(title: str):
    assert title_name(f"  {title} ").key == title_name(title).key
    assert title_name(title) == title_name(title)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (["De Strooper B"], ["Bart De Strooper"], True),
        (["De Strooper, Bart"], ["B. de Strooper"], True),
        (["Xi Chen", "Bo Wang"], ["Bo Wang", "Xi Chen"], True),
        (["田中 太郎"], ["田中太郎"], True),
        (["Ann Lee"], ["Bob Ray"], False),
        (["van der Berg J"], ["van der Meer J"], False),
        (["王伟"], ["Wei Wang"], None),
        ([], ["Ann Lee"], None),
        (["A."], ["Ann Lee"], None),
    ],
)
def test_first_authors_are_compared_as_people(one: list[str], other: list[str], same: bool | None):
    assert same_first_author(one, other) is same
    assert same_first_author(other, one) is same
