from __future__ import annotations

import pytest

from litloop.core.records import Text
from litloop.reading.assembly import Block, build_text
from litloop.scholarly.references_cut import without_references

BODY = [
    Block("Introduction", 1),
    Block("Statins lower cholesterol. " * 40),
    Block("Discussion", 1),
    Block("They do. " * 40),
]
LIST = [Block("1. Lee A. Sleep and bees. 2011."), Block("2. Ray B. Bees and sleep. 2012.")]


@pytest.mark.parametrize("heading", ["References", "REFERENCES", "7. References", "Bibliography", "Literature Cited", "Literatur",
                                     "参考文献", "Список литературы", "References and Notes"])  # fmt: skip
def test_the_list_under_its_heading_goes(heading: str):
    text = without_references(build_text([*BODY, Block(heading, 1), *LIST], "x/1"))
    assert "Sleep and bees" not in text.content
    assert text.content.rstrip().endswith("They do.")
    assert [h.title for h in text.headings] == ["Introduction", "Discussion"]


def test_an_appendix_behind_the_list_stays_with_its_map():
    whole = build_text([*BODY, Block("References", 1), *LIST, Block("Appendix A", 1), Block("More on statins.")], "x/1")
    text = without_references(whole)
    assert "More on statins." in text.content
    assert "Sleep and bees" not in text.content
    assert [h.title for h in text.headings] == ["Introduction", "Discussion", "Appendix A"]
    assert text.content[text.headings[-1].start : text.headings[-1].end] == "Appendix A"
    place, before = text.content.index("More on"), whole.content.index("More on")
    assert text.source_spans(place, place + 4) == whole.source_spans(before, before + 4)


def test_a_line_of_its_own_is_enough_where_a_format_has_no_headings():
    text = without_references(Text("Statins lower cholesterol.\n" * 40 + "\nReferences\n1. Lee A. Sleep and bees."))
    assert "bees" not in text.content


def test_a_table_of_contents_and_a_word_in_a_sentence_are_no_list():
    early = build_text([Block("References", 1), *BODY], "x/1")
    assert without_references(early) == early
    inside = Text("Statins lower cholesterol.\n" * 40 + "References are given below.\nBees sleep.")
    assert without_references(inside) == inside


def test_the_text_says_that_it_was_cut():
    whole = build_text([*BODY, Block("References", 1), *LIST], "x/1")
    assert without_references(whole).version != whole.version
