from __future__ import annotations

import pytest

from litloop.scholarly import fields


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("H<sub>2</sub>O and <i>in vivo</i>", "H2O and in vivo"),
        ("p < 0.05 and a <b and c> d", "p < 0.05 and a <b and c> d"),
        ("&lt;i&gt;E. coli&lt;/i&gt; &amp; more", "E. coli & more"),
        ("<jats:p>One.</jats:p><jats:p>Two.</jats:p>", "One. Two."),
        ("targeting<jats:italic>MLH1</jats:italic>variants", "targeting MLH1 variants"),
        ("<script>evil()</script>Text<!-- hidden -->", "Text"),
        ('x <mml:math><mml:mi>a</mml:mi><mml:annotation encoding="tex">\\alpha</mml:annotation></mml:math>', "x a"),
        ("nul\0 and\n\t white", "nul and white"),
        ("Patients with <or =5 lesions and >3", "Patients with <or =5 lesions and >3"),
        ("Patients with &lt;or =5 lesions (n>2)", "Patients with <or =5 lesions (n>2)"),
        ("p<.05, a<b, x <alpha> y, age <or=65 or>80", "p<.05, a<b, x <alpha> y, age <or=65 or>80"),
        ("<AbstractText Label='AIM'>Aim<inf>2</inf></AbstractText> <scp>R</scp> <ce:italic>x</ce:italic>", "Aim2 R x"),
        (7, ""),
        (None, ""),
        (["a"], ""),
    ],
)
def test_markup_is_not_text(given, words):
    assert fields.plain(given) == words


def test_the_heading_of_an_abstract_goes_and_its_first_word_stays():
    assert fields.abstract("<jats:title>Abstract</jats:title><jats:p>We show it.</jats:p>") == "We show it."
    assert fields.abstract("Abstract thinking develops late.") == "Abstract thinking develops late."


@pytest.mark.parametrize(
    ("given", "title"),
    [
        ("A title.", "A title"),
        ("[A translated title].", "A translated title"),
        ("And so on...", "And so on..."),
        ("[18F]FDG and [11C]PiB", "[18F]FDG and [11C]PiB"),
    ],
)
def test_titles_lose_what_medline_adds(given, title):
    assert fields.title(given) == title


@pytest.mark.parametrize("mark", ["RETRACTED: Cells", "Retracted Article: Cells", "WITHDRAWN : Cells"])
def test_a_publishers_mark_is_seen(mark):
    assert fields.says_retracted(mark)


def test_a_paper_about_retraction_is_not_retracted():
    assert not fields.says_retracted("Retracted papers: a survey")
    assert not fields.says_retracted("Retraction notice to Cells")
    assert not fields.says_retracted("Withdrawn patients in trials")


@pytest.mark.parametrize(("given", "year"), [(2001, 2001), ("2001-05", 2001), ("n.d.", None), (0, None), (True, None)])
def test_years_are_years(given, year):
    assert fields.year(given) == year


@pytest.mark.parametrize(
    ("given", "number"), [(3, 3), ("12", 12), (-1, None), (True, None), ("1.5", None), (None, None)]
)
def test_counts_are_counts(given, number):
    assert fields.integer(given) == number


def test_an_odd_item_never_spoils_the_page():
    assert list(fields.each([1, "x", None, 2], lambda item: item + 1)) == [2, 3]


@pytest.mark.parametrize("odd", ["javascript:alert(1)", "file:///etc/passwd", "http://a b", "", None, 7])
def test_only_web_addresses_are_addresses(odd):
    assert fields.address(odd) is None
