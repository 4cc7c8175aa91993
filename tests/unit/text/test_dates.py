"""Dates become ISO dates at the precision they are written in."""

from __future__ import annotations

import pytest

from litloop.text.dates import find_dates, to_iso


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2020-03-05", "2020-03-05"),
        ("2020/3/5", "2020-03-05"),
        ("5 March 2020", "2020-03-05"),
        ("5th of March, 2020", "2020-03-05"),
        ("March 5, 2020", "2020-03-05"),
        ("Mar. 5th, 2020", "2020-03-05"),
        ("Sept 30 1999", "1999-09-30"),
        ("05.03.2020", "2020-03-05"),
        ("25/12/2020", "2020-12-25"),
        ("12/25/2020", "2020-12-25"),
        ("7/7/2020", "2020-07-07"),
        ("March 2020", "2020-03"),
        ("Feb. 2020", "2020-02"),
        ("2020年3月5日", "2020-03-05"),
        ("2020년 3월", "2020-03"),
        ("2020", "2020"),
        ("05-MAR-2020", "2020-03-05"),
        ("29 February 2020", "2020-02-29"),
    ],
)
def test_date_is_written_the_iso_way(text: str, iso: str) -> None:
    assert to_iso(text) == iso


def test_order_that_differs_between_countries_leaves_only_the_year() -> None:
    assert to_iso("03/05/2020") == "2020"


@pytest.mark.parametrize(
    "text",
    [
        "31 February 2020",
        "2020-13-01",
        "32.01.2020",
        "5 Marble 2020",
        "12/2020/3",
        "March",
        "",
        "10.1038/2020.03.05",
        "29 February 2021",
    ],
)
def test_what_the_calendar_does_not_have_is_no_date(text: str) -> None:
    assert to_iso(text) is None


def test_dates_are_found_in_running_text_with_their_places() -> None:
    text = "Between May 1, 2019 and 3 June 2020 (registered 2018-11-30), 12 patients were seen; it ended in July 2021."
    found = find_dates(text)
    assert [mention.iso for mention in found] == ["2019-05-01", "2020-06-03", "2018-11-30", "2021-07"]
    assert text[found[0].start : found[0].end] == "May 1, 2019"
