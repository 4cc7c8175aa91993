"""What a report of adding says of the files that a folder holds and litloop does not read."""

from __future__ import annotations

from litloop.ingest import AddReport
from litloop.reading.conversions import conversions_for


def test_the_most_frequent_endings_come_first_and_a_long_list_is_cut() -> None:
    report = AddReport("default", passed_over={".csv": 1, ".doc": 3, **{f".x{n}": 1 for n in range(20)}})
    sentence = report.passed_over_sentence()
    assert sentence.startswith("24 files of other kinds passed over: 3 .doc, 1 .csv, ")
    assert sentence.endswith(", 10 more endings.")


def test_only_endings_that_a_conversion_helps_get_advice() -> None:
    report = AddReport("default", conversions=conversions_for([".doc", ".odt", ".epub", ".exe", "Makefile"]))
    assert report.conversion_sentences() == [".doc, .odt: save as DOCX or PDF", ".epub: convert to HTML or PDF"]


def test_nothing_is_said_where_nothing_was_passed_over() -> None:
    report = AddReport("default")
    assert (report.passed_over_sentence(), report.conversion_sentences()) == ("", [])


def test_a_notebook_shows_what_was_passed_over_as_text() -> None:
    shown = AddReport("default", passed_over={".<b>": 2})._repr_html_()
    assert "2 .&lt;b&gt;" in shown
