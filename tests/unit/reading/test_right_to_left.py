from __future__ import annotations

from litloop.reading.right_to_left import in_logical_order, is_rtl, runs_right_to_left


def boxes_for(text: str, *, leftwards: bool = True):
    step = -5 if leftwards else 5
    return {i: (100.0 + step * i, 0.0, 105.0 + step * i, 10.0) for i, char in enumerate(text) if char != " "}


def test_text_that_runs_left_on_the_page_is_left_as_it_is():
    text = "שלום עולם"
    assert in_logical_order(text, range(len(text)), boxes_for(text)) == (text, list(range(len(text))))


def test_letters_that_run_right_are_turned_round():
    text = "שלום"[::-1]
    turned, indices = in_logical_order(text, range(4), boxes_for(text, leftwards=False))
    assert (turned, indices) == ("שלום", [3, 2, 1, 0])


def test_letters_of_one_glyph_are_turned_unless_they_are_a_known_ligature():
    shared = {0: (0.0, 0.0, 5.0, 9.0), 1: (0.0, 0.0, 5.0, 9.0)}
    assert in_logical_order("ال", range(2), shared)[0] == "لا"
    assert in_logical_order("لخ"[::-1], range(2), shared)[0] in {"لخ", "خل"}
    assert in_logical_order("لا", range(2), shared)[0] == "لا"


def test_latin_inside_stays_in_its_order():
    text = "שלום abc"
    assert in_logical_order(text, range(len(text)), boxes_for("שלום"))[0] == text


def test_the_script_of_most_letters_decides_the_direction():
    assert is_rtl("abc א")
    assert not is_rtl("abc")
    assert runs_right_to_left("שלום abc")
    assert not runs_right_to_left("a longer English text with one א")
    assert not runs_right_to_left("12 34")
