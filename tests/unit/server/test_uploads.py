from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from litloop.server.uploads import LONGEST_NAME, safe_name, shown_name


@given(st.text(max_size=400))
def test_any_name_becomes_one_that_stays_in_its_folder(name):
    safe = safe_name(name)
    assert safe
    assert len(safe) <= LONGEST_NAME
    assert len(safe.encode("utf-8")) < 250
    assert not set(safe) & set('/\\<>:"|?*\x00\n')
    assert not safe.startswith(".")
    assert safe == safe_name(safe)


def test_the_ending_of_a_long_name_is_kept():
    assert safe_name("x" * 500 + ".pdf").endswith("x.pdf")
    assert safe_name("dir/paper.v2.PDF") == "paper.v2.PDF"


def test_the_same_letters_written_in_two_ways_are_one_file():
    assert safe_name("e\u0301tude.pdf") == safe_name("\u00e9tude.pdf")


def test_a_name_is_told_again_on_one_line():
    assert shown_name("a\nb\x1b[31m.pdf") == "a b [31m.pdf"
    assert shown_name("") == "upload"
