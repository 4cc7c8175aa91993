from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litloop.core.records import Anchor, Passage
from litloop.index.analyser import MAX_TERM, STOP_WORDS, TITLE_WEIGHT, Analyser, fold_term

analyser = Analyser()


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Tumours regressed.", ["tumour", "regress"]),
        ("The patients of the study", ["patient", "studi"]),
        ("no effect, not significant", ["no", "effect", "not", "signific"]),
        ("Vitamin C in Type I", ["vitamin", "c", "type", "i"]),
    ],
)
def test_english_words_become_stems_and_function_words_go(text, terms):
    assert analyser.terms(text) == terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("p < 0.05", ["p", "0.05"]),
        ("p<.05", ["p", "0.05"]),
        ("1,000 of 12,345.6", ["1000", "12345.6"]),
        ("10-20 in 1990–2000", ["10", "20", "1990", "2000"]),
        ("3.5mg", ["3.5mg", "3.5", "mg"]),
        ("95%", ["95"]),
        ("version 1.2.3", ["version", "1.2.3"]),
    ],
)
def test_numbers_stay_whole(text, terms):
    assert analyser.terms(text) == terms


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [
        ("IL-6", "IL6", {"il6", "il", "6"}),
        ("IL-6", "IL–6", {"il6", "il", "6"}),
        ("TGF-β1", "TGF-beta1", {"tgfbeta1", "tgf", "beta1"}),
        ("TGF-β", "tgf-beta", {"tgfbeta", "tgf", "beta"}),
        ("TGFβ", "TGF-β", {"tgfbeta", "tgf", "beta"}),
        ("X-rays", "x-ray", {"xray", "x", "ray"}),
        ("¹⁸F-FDG", "18F-FDG", {"18ffdg", "18f", "fdg"}),
        ("CO₂", "CO2", {"co2", "co", "2"}),
        ("p53", "P53", {"p53", "p", "53"}),
    ],
)
def test_spellings_of_one_code_share_the_whole_and_the_parts(one, other, shared):
    assert set(analyser.terms(one)) >= shared
    assert set(analyser.terms(other)) >= shared


def test_hyphenated_words_are_words_and_not_codes():
    assert analyser.terms("low-density") == ["low", "densiti"]
    assert analyser.terms("state-of-the-art") == ["state", "art"]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Alzheimer's disease", ["alzheim", "diseas"]),
        ("Alzheimer’s", ["alzheim"]),
        ("patients' wishes", ["patient", "wish"]),
        ("don't", ["not"]),
        ("O'Brien", ["obrien"]),
        ("e.g. i.v. U.S.", ["iv", "us"]),
    ],
)
def test_possessives_apostrophes_and_dotted_letters(text, terms):
    assert analyser.terms(text) == terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("α", ["alpha"]),
        ("μ-opioid", ["mu", "opioid", "muopioid"]),
        ("5 μg and 3 µm", ["5", "ug", "3", "um"]),
        ("καρδιά", ["καρδια"]),
        ("λόγος", ["λογοσ"]),
    ],
)
def test_greek_symbols_get_names_units_a_u_and_greek_words_stay(text, terms):
    assert analyser.terms(text) == terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Sjögren naïve", ["sjogren", "naiv"]),
        ("Guillain-Barré", ["guillain", "barr"]),
        ("Øystein Łukasz æther", ["oystein", "lukasz", "aether"]),
        ("ﬁbrosis", ["fibrosi"]),
        ("lipo\u00adprotein", ["lipoprotein"]),
    ],
)
def test_latin_accents_ligatures_and_soft_hyphens_do_not_part_words(text, terms):
    assert analyser.terms(text) == terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("肺癌", ["肺癌", "肺", "癌"]),
        ("免疫治疗", ["免疫", "疫治", "治疗", "免", "疫", "治", "疗"]),
        ("癌", ["癌"]),
        ("PD-1抑制", ["pd", "1", "pd1", "抑制", "抑", "制"]),
        ("がん", ["がん"]),
        ("한국어", ["한국", "국어"]),
        ("ไทย", ["ไท", "ทย"]),
    ],
)
def test_scripts_without_spaces_become_character_pairs(text, terms):
    assert analyser.terms(text) == terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("الكِتَاب", ["الكتاب"]),
        ("мой ёж", ["мой", "ёж"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("שָׁלוֹם", ["שלום"]),
    ],
)
def test_words_of_other_scripts_stay_whole(text, terms):
    assert analyser.terms(text) == terms


@pytest.mark.parametrize("text", ["", "   ", "--- ' . ,", "…", "\ud800", "@#$%"])
def test_text_without_words_has_no_terms(text):
    assert analyser.terms(text) == []


def test_a_title_word_counts_twice_and_headings_count():
    one = Passage("p", "p", Anchor("p", "", 0, 0), "text body", heading="Methods", title="Glioma")
    assert analyser.passage_terms(one) == ["glioma"] * TITLE_WEIGHT + ["method", "text", "bodi"]


def test_a_question_weighs_its_terms_by_how_often_they_stand():
    assert analyser.query_terms("pain, pain and glioma") == {"pain": 2.0, "glioma": 1.0}


def test_plain_words_come_with_the_term_they_are_counted_under():
    assert list(analyser.words("The tumours of IL-6 grew 3 times")) == [
        ("tumours", "tumour"),
        ("grew", "grew"),
        ("times", "time"),
    ]


def test_stop_words_keep_what_turns_a_finding_round():
    assert not STOP_WORDS & {"no", "not", "without", "all", "i"}


def test_a_sequence_of_letters_is_cut_to_one_bounded_term():
    assert [len(term) for term in analyser.terms("acgt" * 100)] == [MAX_TERM]


def test_threads_sharing_an_analyser_get_the_terms_they_get_alone():
    texts = [f"inhibition of BRCA{n} signalling in cell{n} lines" for n in range(300)]
    alone = [Analyser().terms(text) for text in texts]
    shared, start = Analyser(), threading.Barrier(4)

    def run(_: int) -> list[list[str]]:
        start.wait()
        return [shared.terms(text) for text in texts]

    with ThreadPoolExecutor(4) as pool:
        assert all(found == alone for found in pool.map(run, range(4)))


def test_terms_do_not_depend_on_what_was_analysed_before(monkeypatch):
    monkeypatch.setattr("litloop.index.analyser.CACHED_TOKENS", 3)
    small = Analyser()
    for _ in range(3):
        assert small.terms("alpha beta gamma delta epsilon") == ["alpha", "beta", "gamma", "delta", "epsilon"]


@given(st.text())
def test_terms_hold_no_white_space_and_are_never_empty(text):
    for term in analyser.terms(text):
        assert term
        assert len(term) <= MAX_TERM
        assert term.split() == [term]


@given(st.text())
def test_folding_twice_changes_nothing(text):
    assert fold_term(fold_term(text)) == fold_term(text)


@given(st.text(), st.text())
def test_a_line_break_separates_words(one, other):
    assert analyser.terms(f"{one}\n{other}") == analyser.terms(one) + analyser.terms(other)


@given(st.text(alphabet="abcxyz019 -'.,βμ肺癌é", max_size=40))
def test_case_makes_no_difference(text):
    assert analyser.terms(text.upper()) == analyser.terms(text.lower())
