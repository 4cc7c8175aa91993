"""Citation markers as models write them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from litloop.text.markers import Marker, MarkerStream, cited_sentences, find_markers, strip_markers


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


def test_marker_belongs_to_its_sentence_or_to_the_one_it_follows() -> None:
    text = "Midbrain atrophy [1] is typical. [2] Falls are early【3】. Gaze palsy follows.[2, 9]"
    found = cited_sentences(text, {1, 2, 3})
    assert [(s.text, s.numbers, s.invalid) for s in found] == [
        ("Midbrain atrophy is typical.", (1, 2), ()),
        ("Falls are early.", (3,), ()),
        ("Gaze palsy follows.", (2,), (9,)),
    ]


def test_marker_at_the_beginning_of_a_line_belongs_to_what_it_introduces() -> None:
    found = cited_sentences("[1] Atrophy was found.\n[2] Falls were early.")
    assert [(s.text, s.numbers) for s in found] == [("Atrophy was found.", (1,)), ("Falls were early.", (2,))]


def test_text_without_sentences_cites_nothing() -> None:
    assert cited_sentences("[1] [2]") == []
    assert cited_sentences("") == []


def test_spans_of_cited_sentences_are_of_the_answer_text() -> None:
    text = "  One [1].  Two [2]. "
    assert [text[slice(*s.span)] for s in cited_sentences(text)] == ["One [1].", "Two [2]."]


# --- Streams ----------------------------------------------------------------------------------------------


def streamed(chunks: list[str], known: set[int] | None = None) -> list[str | Marker]:
    stream = MarkerStream(known)
    pieces = [piece for chunk in chunks for piece in stream.feed(chunk)]
    return pieces + stream.finish()


def joined(pieces: list[str | Marker]) -> list[str | Marker]:
    """Neighbouring stretches of text made one."""
    result: list[str | Marker] = []
    for piece in pieces:
        if isinstance(piece, str) and result and isinstance(result[-1], str):
            result[-1] += piece
        else:
            result.append(piece)
    return result


def test_marker_cut_by_chunks_is_one_marker() -> None:
    pieces = streamed(["Atrophy [", "1", ", 3", "] is", " typical"])
    assert joined(pieces) == ["Atrophy ", Marker((1, 3), (), (8, 14)), " is typical"]


def test_text_is_given_out_as_soon_as_it_cannot_become_a_marker() -> None:
    stream = MarkerStream()
    assert stream.feed("Midbrain atrophy ") == ["Midbrain atrophy "]
    assert stream.feed("[1") == []
    assert stream.feed("] and") == [Marker((1,), (), (17, 20)), " and"]
    assert stream.feed("[18F]FDG ") == ["[18F]FDG "]
    assert stream.finish() == []


def test_bracket_that_never_closes_is_given_out_in_the_end() -> None:
    stream = MarkerStream()
    given_out = "".join(str(piece) for _ in range(100) for piece in stream.feed("[1, 2, 3, 4, "))
    assert len(given_out) > 1300 - 2 * MarkerStream.HOLD
    assert given_out + "".join(map(str, stream.finish())) == "[1, 2, 3, 4, " * 100


ANSWERS = st.lists(
    st.sampled_from(
        ["[", "]", "[[", "]]", "1", "2", "12", ", ", "-", "–", "¹", "²", "⁻", "⁺", "【", "】", "†s", "\\", "(", ")", "https://x", "<sup>", "</sup>", "<",
         "F-", "FDG", "A", "a", " ", ".", "word", "CI ", "Source ", "#", "^", "\n", "2020", "m", "0"]
    ),
    max_size=25,
).map("".join)  # fmt: skip


@given(ANSWERS, st.lists(st.integers(0, 80), max_size=8), st.sampled_from([None, {1, 2, 3}]))
@example("[1](https://x)", [3, 5, 9], None)
@example("[[1]]F-", [1, 2, 3, 4, 5, 6], None)
@example("word¹²⁺ word¹", [5, 6], None)
def test_stream_gives_the_same_however_it_is_cut(text: str, cuts: list[int], known: set[int] | None) -> None:
    edges = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    chunks = [text[start:end] for start, end in pairwise(edges)]
    pieces = joined(streamed(chunks, known))
    assert [piece for piece in pieces if isinstance(piece, Marker)] == find_markers(text, known)
    rebuilt = "".join(piece if isinstance(piece, str) else text[slice(*piece.span)] for piece in pieces)
    assert rebuilt == text


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
    found = find_markers(text)
    assert len(cited_sentences(text)) <= len(text)
    stream = MarkerStream()
    count = 0
    for start in range(0, len(text), 50):
        count += sum(isinstance(piece, Marker) for piece in stream.feed(text[start : start + 50]))
    assert count + sum(isinstance(piece, Marker) for piece in stream.finish()) == len(found)
