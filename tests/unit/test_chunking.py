"""Passages cover a text, fit the window, and keep their names."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litloop.chunking import make_passages
from litloop.core.records import Heading, Paper, Passage, Text, TextRun
from litloop.embedding import load_embedder
from litloop.embedding.protocol import Tokenizer


class Words:
    """One token for each word between white space."""

    def __init__(self, window: int = 512, special: int = 2) -> None:
        self.window, self.special = window, special

    def spans(self, text: str) -> Sequence[tuple[int, int]]:
        return [match.span() for match in re.finditer(r"\S+", text)]


class Characters(Words):
    """One token for each character, white space included."""

    def spans(self, text: str) -> Sequence[tuple[int, int]]:
        return [(place, place + 1) for place in range(len(text))]


class Bytes(Words):
    """One token for each byte of UTF-8: several tokens share the span of one character."""

    def spans(self, text: str) -> Sequence[tuple[int, int]]:
        return [(place, place + 1) for place, char in enumerate(text) for _ in char.encode("utf-8", "surrogatepass")]


class Triples(Words):
    """Three characters a token from the start of the text on: what precedes a stretch changes its tokens."""

    def spans(self, text: str) -> Sequence[tuple[int, int]]:
        return [(place, min(place + 3, len(text))) for place in range(0, len(text), 3)]


class LongWordsAreOne(Words):
    """A word of more than 10 characters is one unknown token, a shorter one a token per character: cutting a
    word makes its parts more than the whole, as with word pieces."""

    def spans(self, text: str) -> Sequence[tuple[int, int]]:
        spans: list[tuple[int, int]] = []
        for start, end in Words.spans(self, text):
            spans += [(start, end)] if end - start > 10 else [(place, place + 1) for place in range(start, end)]
        return spans


class Deaf(Words):
    """Drops every character it does not know, here all of them."""

    def spans(self, text: str) -> Sequence[tuple[int, int]]:
        return []


class ShortIsMore(Words):
    """Counts the words of a short text twice: the parts of a text are more together than the whole."""

    def spans(self, text: str) -> Sequence[tuple[int, int]]:
        return [span for span in super().spans(text) for _ in range(2 if len(text) < 100 else 1)]


PAPER = Paper("p1", "Midbrain atrophy")


def bodies(passages: Sequence[Passage]) -> list[str]:
    return [passage.text for passage in passages]


def sentence(number: int, words: int = 10) -> str:
    return f"S{number} " + "word " * (words - 2) + "end."


def text_of(count: int, words: int = 10) -> str:
    return " ".join(sentence(number, words) for number in range(count))


def test_short_text_is_one_passage_with_its_title_and_place() -> None:
    (passage,) = make_passages(PAPER, Text("Atrophy was found. It was mild."), Words())
    assert passage.text == "Atrophy was found. It was mild."
    assert (passage.anchor.start, passage.anchor.end) == (0, 31)
    assert passage.embedded_text == "Midbrain atrophy\nAtrophy was found. It was mild."
    assert passage.tokens == 6


def test_sentences_are_packed_whole_and_repeated_up_to_the_overlap() -> None:
    passages = make_passages(PAPER, Text(text_of(7)), Words(), size=35, overlap=12)
    assert [re.findall(r"S\d", body) for body in bodies(passages)] == [
        ["S0", "S1", "S2"],
        ["S2", "S3", "S4"],
        ["S4", "S5", "S6"],
    ]
    assert all(body.startswith("S") and body.endswith("end.") for body in bodies(passages))


def test_last_sentence_longer_than_the_overlap_is_not_repeated() -> None:
    passages = make_passages(PAPER, Text(text_of(6)), Words(), size=35, overlap=9)
    assert [re.findall(r"S\d", body) for body in bodies(passages)] == [["S0", "S1", "S2"], ["S3", "S4", "S5"]]


def test_end_is_drawn_back_to_a_paragraph_that_ends_near_it() -> None:
    content = " ".join(map(sentence, range(4))) + "\n\n" + " ".join(map(sentence, range(4, 8)))
    passages = make_passages(PAPER, Text(content), Words(), size=55, overlap=0)
    assert [re.findall(r"S\d", body) for body in bodies(passages)] == [
        ["S0", "S1", "S2", "S3"],
        ["S4", "S5", "S6", "S7"],
    ]


def with_headings(*parts: tuple[int, str]) -> Text:
    """Parts are (level, text); level 0 is body."""
    content, headings = "", []
    for level, part in parts:
        if level:
            headings.append(Heading(len(content), len(content) + len(part), level, part))
        content += part + "\n\n"
    return Text(content, headings=tuple(headings))


def test_top_heading_opens_a_passage_and_stands_above_the_next_ones() -> None:
    text = with_headings((1, "Methods"), (0, text_of(2)), (1, "Results"), (0, text_of(5)))
    passages = make_passages(PAPER, text, Words(), size=35, overlap=12)
    assert [body.split()[0] for body in bodies(passages)] == ["Methods", "Results", "S2"]
    assert [passage.heading for passage in passages] == ["", "", "Results"]


def test_overlap_does_not_reach_over_a_heading() -> None:
    text = with_headings((1, "Methods"), (0, text_of(3)), (1, "Results"), (0, text_of(3)))
    passages = make_passages(PAPER, text, Words(), size=40, overlap=12)
    assert [body.count("S2") for body in bodies(passages)] == [1, 1]


def test_tiny_section_is_joined_with_the_next() -> None:
    text = with_headings((1, "Funding"), (0, "None."), (1, "Results"), (0, text_of(2)))
    assert len(make_passages(PAPER, text, Words(), size=64)) == 1


def test_heading_is_never_the_last_line_of_a_passage() -> None:
    text = with_headings((1, "Methods"), (0, text_of(2)), (2, "Second part of it"), (0, text_of(3)))
    passages = make_passages(PAPER, text, Words(), size=27, overlap=0)
    assert not any(body.endswith("Second part of it") for body in bodies(passages))


def test_nested_headings_are_joined_and_the_paper_title_is_left_out_of_them() -> None:
    text = with_headings((1, PAPER.title), (2, "Methods"), (3, "Image analysis"), (0, text_of(6)))
    passages = make_passages(PAPER, text, Words(), size=35, overlap=0)
    assert passages[-1].heading == "Methods › Image analysis"


@pytest.mark.parametrize(
    ("content", "ends"),
    [
        ("word " * 30 + "of, " + "word " * 40, "of,"),
        ("word " * 80, "word"),
    ],
)
def test_very_long_sentence_is_cut_at_a_clause_or_a_space(content: str, ends: str) -> None:
    passages = make_passages(PAPER, Text(content), Words(), size=40, overlap=0)
    assert passages[0].text.endswith(ends)
    assert all(passage.tokens <= 40 for passage in passages)


def test_word_longer_than_a_passage_is_cut_between_tokens() -> None:
    passages = make_passages(PAPER, Text("x" * 100), Characters(), size=40, overlap=0)
    assert bodies(passages) == ["x" * 40, "x" * 40, "x" * 20]


def test_long_context_is_shortened_and_the_text_is_not() -> None:
    paper = Paper("p1", "A title " * 20)
    text = with_headings((1, "Outer heading of seven words in all"), (2, "Inner heading"), (0, text_of(4)))
    passages = make_passages(paper, text, Words(window=62), size=40, overlap=0)
    assert all(len(Words().spans(passage.embedded_text)) <= 60 for passage in passages)
    assert " ".join(bodies(passages)).split() == text.content.split()
    assert passages[-1].title.startswith("A title A title")
    roomy = make_passages(replace(paper, title="Short"), text, Words(window=48), size=40, overlap=0)
    assert roomy[-1].heading == "Outer heading of seven words in all › Inner heading"
    narrow = make_passages(replace(paper, title="Short"), text, Words(window=20), size=40, overlap=0)
    assert narrow[-1].heading == "Inner heading"


def test_page_is_where_the_passage_begins() -> None:
    content = text_of(4)
    middle = content.index("S2")
    text = Text(
        content, runs=(TextRun(0, middle, 1, 0, middle), TextRun(middle, len(content), 2, 0, len(content) - middle))
    )
    assert [passage.page for passage in make_passages(PAPER, text, Words(), size=20, overlap=0)] == [1, 2]
    assert make_passages(PAPER, Text(content), Words())[0].page is None


def test_paper_without_text_is_found_by_its_title_and_anchored_nowhere() -> None:
    (passage,) = make_passages(PAPER, Text(" \n "), Words())
    assert passage.embedded_text == PAPER.title
    assert (passage.anchor.start, passage.anchor.end) == (0, 0)


def test_paper_without_text_and_title_has_no_passage() -> None:
    assert make_passages(Paper("p1", " "), Text(""), Words()) == []


def test_title_alone_is_shortened_to_the_window() -> None:
    (passage,) = make_passages(Paper("p1", "word " * 50), Text(""), Words(window=12))
    assert len(Words().spans(passage.embedded_text)) == 10


def test_stretch_that_turns_out_longer_than_it_was_counted_is_cut_again() -> None:
    tokenizer = ShortIsMore(window=34)
    text = Text("w " * 300)
    passages = make_passages(Paper("p1", ""), text, tokenizer, size=200, overlap=0)
    assert all(len(tokenizer.spans(passage.embedded_text)) <= 32 for passage in passages)
    assert " ".join(bodies(passages)).split() == text.content.split()


def test_character_that_the_window_holds_only_alone_is_embedded_alone() -> None:
    passages = make_passages(Paper("p1", "T"), Text("😀 ab"), Bytes(window=7), size=5, overlap=0)
    assert [passage.embedded_text for passage in passages if "😀" in passage.text] == ["😀"]


def test_accents_stay_on_their_letter_where_a_word_is_cut() -> None:
    passages = make_passages(PAPER, Text("e\u0301" * 20), Characters(), size=5, overlap=0)
    assert all(not body.startswith("\u0301") for body in bodies(passages))


def test_ids_name_the_paper_and_stay_when_the_text_is_read_again() -> None:
    first = make_passages(PAPER, Text(text_of(9)), Words(), size=35)
    again = make_passages(PAPER, Text(text_of(9).replace(" ", "  "), parser="other/2"), Words(), size=35)
    assert [passage.id for passage in first] == [passage.id for passage in again]
    assert all(re.fullmatch(r"p1::[0-9a-f]{8}", passage.id) for passage in first)


def test_change_in_one_section_leaves_the_ids_of_the_others() -> None:
    parts = [(1, "Methods"), (0, text_of(9)), (1, "Results"), (0, text_of(12)), (1, "Discussion"), (0, text_of(7))]
    before = make_passages(PAPER, with_headings(*parts), Words(), size=35)
    parts[3] = (0, "A new first sentence. " + text_of(12))
    after = make_passages(PAPER, with_headings(*parts), Words(), size=35)
    kept = {passage.id for passage in before} & {passage.id for passage in after}
    outside = {passage.id for passage in before if "Results" not in passage.heading + passage.text}
    assert outside <= kept


def test_repeated_texts_get_different_ids() -> None:
    passages = make_passages(PAPER, Text("\n\n".join(["word " * 19 + "end."] * 4)), Words(), size=20, overlap=0)
    assert len(bodies(passages)) == 4
    assert len({passage.id for passage in passages}) == 4


# --- Properties -------------------------------------------------------------------------------------------

PIECES = st.sampled_from(
    ["Atrophy was found. ", "word ", "x" * 30, " ", "\n\n", "\n", "。", "脳萎縮", ". ", ", ", "e\u0301\u0301", "😀", "\u00a0", "A", "\ud800", "\u00ad"]
)  # fmt: skip
CONTENTS = st.lists(PIECES, max_size=40).map("".join)
KINDS = st.sampled_from([Words, Characters, Bytes, Triples, LongWordsAreOne, Deaf])


@st.composite
def texts(draw: st.DrawFn) -> Text:
    content = draw(CONTENTS)
    headings = []
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(content)))
        end = draw(st.integers(start, min(start + 20, len(content) + 2)))
        headings.append(Heading(start, end, draw(st.integers(1, 3)), content[start:end]))
    return Text(content, headings=tuple(headings))


@given(
    texts(),
    st.sampled_from(["", "A title", "word " * 30, "x" * 50]),
    KINDS,
    st.integers(8, 60),
    st.integers(1, 50),
    st.integers(0, 20),
)
def test_every_visible_character_is_in_a_passage_that_fits(
    text: Text, title: str, kind: type[Words], window: int, size: int, overlap: int
) -> None:
    tokenizer = kind(window)
    paper = Paper("p1", title)
    passages = make_passages(paper, text, tokenizer, size=size, overlap=min(overlap, size - 1))
    covered = bytearray(len(text.content))
    previous = (-1, -1)
    for passage in passages:
        start, end = passage.anchor.start, passage.anchor.end
        assert len(tokenizer.spans(passage.embedded_text)) <= window - 2
        if not text.content.strip():
            continue
        assert passage.text == text.content[start:end] == passage.text.strip()
        assert passage.tokens <= size or end - start == 1
        assert (start, end) > previous
        assert end > previous[1]
        previous = (start, end)
        covered[start:end] = b"x" * (end - start)
    if text.content.strip():
        assert all(covered[place] for place, char in enumerate(text.content) if not char.isspace())
    assert len({passage.id for passage in passages}) == len(passages)
    assert passages == make_passages(paper, text, kind(window), size=size, overlap=min(overlap, size - 1))


# --- With real tokenizers ---------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=["bge-small-en-v1.5", "hashing-256"])
def tokenizer(request: pytest.FixtureRequest) -> Tokenizer:
    return load_embedder(request.param).tokenizer


@pytest.mark.parametrize("size", [64, 256, 4096])
def test_real_abstracts_fit_a_real_window_and_lose_nothing(tokenizer: Tokenizer, size: int, test_data: Path) -> None:
    with gzip.open(test_data / "collections" / "scifact" / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line, _ in zip(lines, range(120), strict=False)]
    for first in range(0, len(records), 6):
        text = with_headings(
            *((level, part) for r in records[first : first + 6] for level, part in ((1, r["title"]), (0, r["text"])))
        )
        passages = make_passages(Paper("p1", records[first]["title"]), text, tokenizer, size=size)
        seen = "".join("x" for _ in text.content)
        for passage in passages:
            assert len(tokenizer.spans(passage.embedded_text)) <= tokenizer.window - tokenizer.special
            start, end = passage.anchor.start, passage.anchor.end
            seen = seen[:start] + " " * (end - start) + seen[end:]
        assert not [char for char, mark in zip(text.content, seen, strict=True) if mark == "x" and not char.isspace()]


@settings(max_examples=40)
@given(CONTENTS, st.integers(16, 300))
def test_odd_text_fits_a_real_window(tokenizer: Tokenizer, content: str, size: int) -> None:
    for passage in make_passages(PAPER, Text(content * 6), tokenizer, size=size, overlap=15):
        assert len(tokenizer.spans(passage.embedded_text)) <= tokenizer.window - tokenizer.special


def test_marks_without_a_letter_are_cut_like_any_long_word() -> None:
    """Not mark by mark, for fear of parting a letter from its accents: 1 MB of them were a million pieces."""
    marks = "\u0301\u0323" * 2_000
    passages = make_passages(PAPER, Text(marks), Characters(), size=100, overlap=0)
    assert len(passages) < 60
    assert passages[-1].anchor.end == len(marks)


def test_a_letter_keeps_its_accents_where_a_long_word_is_cut() -> None:
    word = "e\u0301\u0323" * 400
    for passage in make_passages(PAPER, Text(word), Characters(), size=100, overlap=0):
        assert passage.text.startswith("e")
