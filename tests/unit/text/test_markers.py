"""Citation markers as models write them."""

from __future__ import annotations

import pytest

from litloop.text.markers import find_markers, strip_markers


def numbers(text: str, known: set[int] | None = None) -> list[int]:
    return [number for marker in find_markers(text, known) for number in marker.numbers]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Atrophy [1].", [1]), ("Atrophy [[4]].", [4]), ("Atrophy [1, 3].", [1, 3]), ("Atrophy [1,3].", [1, 3]), ("Atrophy [1;3].", [1, 3]),
        ("Atrophy [1][2].", [1, 2]), ("Atrophy [1] [2].", [1, 2]), ("Atrophy [1-3].", [1, 2, 3]), ("Atrophy [1–3].", [1, 2, 3]),
        ("Atrophy [1, 3-5].", [1, 3, 4, 5]), ("Atrophy [1 and 2].", [1, 2]), ("Atrophy [1 & 2].", [1, 2]), ("Atrophy [1 to 3].", [1, 2, 3]),
        ("Atrophy [3-1].", [3, 1]), ("Atrophy 【1】.", [1]), ("Atrophy 【1†source】.", [1]), ("Atrophy ［1］.", [1]), (r"Atrophy \[1\].", [1]),
        ("Atrophy [^1].", [1]), ("Atrophy [#1].", [1]), ("Atrophy [Source 1].", [1]), ("Atrophy [source 1, source 2].", [1, 2]),
        ("Atrophy [ 1 ].", [1]), ("Atrophy [1](https://example.org/a).", [1]), ("Atrophy[1].", [1]), ("Atrophy.[1] It", [1]),
        ("Atrophy<sup>1,2</sup>.", [1, 2]), ("Atrophy¹.", [1]), ("Atrophy.¹ It", [1]), ("Atrophy¹,².", [1, 2]), ("Atrophy¹⁻³.", [1, 2, 3]),
        ("Atrophy¹².", [12]), ("萎縮 [1]。", [1]), ("Atrophy [١].", [1]),
    ],
)  # fmt: skip
def test_marker_is_read_however_it_is_written(text: str, expected: list[int]) -> None:
    assert numbers(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "PSP (1) is rare", "[18F]FDG", "[11C]PiB", "[18]F-FDG uptake", "published [2020]", "[2019-2021]", "CI [1, 3]", "95% CI: [1-3]", "range [1, 3]",
        "x = [1, 2]", "[0, 1]", "[0.01, 0.16]", "[]", "[a]", "[see 1]", "5 m²", "kg/m²", "10⁵ cells", "Ca²⁺", "R² = 0.3", "5 mol³", "[sic]",
        "[1", "1]", "[1}", "[-1]", "[1.5]", "<sup>a</sup>", "[1234567890123]", "array[i]",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_marker_is_left_alone(text: str) -> None:
    assert find_markers(text) == []
    assert strip_markers(text) == text


def test_numbers_of_no_paper_are_invalid() -> None:
    (marker,) = find_markers("Atrophy [1, 7].", {1, 2, 3})
    assert (marker.numbers, marker.invalid) == ((1,), (7,))
    assert find_markers("Atrophy [0].")[0].invalid == (0,)
    assert find_markers("Atrophy [7].", set())[0].invalid == (7,)


def test_known_number_may_be_as_large_as_a_year() -> None:
    assert numbers("Atrophy [2020].", {2020}) == [2020]


def test_raised_digits_are_papers_of_their_own_when_there_is_no_such_number() -> None:
    assert numbers("Atrophy¹².", {1, 2, 3}) == [1, 2]
    assert numbers("Atrophy¹².", set(range(1, 13))) == [12]


def test_huge_range_names_the_papers_there_are_and_one_there_is_not() -> None:
    (marker,) = find_markers("Atrophy [1-999999].", {1, 2, 3})
    assert (marker.numbers, marker.invalid) == ((1, 2, 3), (999999,))
    assert len(find_markers("Atrophy [1-999999999999].")[0].numbers) <= 100


def test_sentence_is_given_without_its_markers() -> None:
    assert (
        strip_markers("Midbrain atrophy [1], seen early [2][3], is typical. [4]")
        == "Midbrain atrophy, seen early, is typical."
    )


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("in vivo [2], [3] and in vitro [6] under stress", "in vivo and in vitro under stress"), ("Found [1], [2], and [3].", "Found."),
        ("Seen early [1]; [2]–[4]. Then", "Seen early. Then"), ("Seen [1] and [2], it fell", "Seen, it fell"),
        ("Rats [1], mice [2] and men [3] fell.", "Rats, mice and men fell."), ("It rose [1] to 5 [2].", "It rose to 5."),
        ("研究した [1]、[2]。", "研究した。"), ("Kept.[1] And [2] more", "Kept. And more"),
    ],
)  # fmt: skip
def test_what_joins_two_markers_goes_with_them(text: str, without: str) -> None:
    assert strip_markers(text) == without


@pytest.mark.parametrize(
    "unit",
    [
        "[",
        "[1",
        "[1,",
        "[[",
        "]",
        "¹",
        "¹,",
        "\\[",
        "<sup>",
        "<sup>1",
        "[1][",
        "[source ",
        "[1-9 to ",
        "a.[1] ",
        "【1†",
        "[1](https://x",
    ],
)
def test_hostile_text_is_read_in_one_pass(unit: str) -> None:
    text = unit * (60_000 // len(unit))
    assert len(strip_markers(text)) <= len(text)
