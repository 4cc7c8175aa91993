from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from litloop.reading.docx import read_docx
from litloop.reading.line_numbers import numbered_lines
from litloop.reading.plain import plain_text
from litloop.reading.reading_limits import ReadingLimits

_ABOUT_GOATS = (
    "Background restless legs are common among goats that stand in wet grass for hours at a time and we asked whether a "
    "warm stable helps them. We treated 64 goats with two blankets each or with none for 12 weeks in three farms and "
    "counted their steps at night. The number of steps fell from 24 to 13 with blankets and from 23 to 21 without "
    "them while sleep was longer by 18 minutes. Two goats left the study because of "
    "boredom and one because of a wolf that came down from the hills. Blankets lowered the restlessness of goats within the "
    "weeks of the study and farmers were content with that. Further work should ask whether sheep would gain as well "
    "as goats do and whether wool makes any difference to what was found here in the present study of the farms."
)
# Three different stretches, for what repeats on every page is taken for a running head.
PROSE = " ".join(
    [
        _ABOUT_GOATS,
        _ABOUT_GOATS.replace("goats", "heavy horses").replace("restless", "unquiet"),
        _ABOUT_GOATS.replace("goats", "old sheep").replace("blankets", "wool").replace("study", "long trial"),
    ]
)


def lines_of(width: int, text: str = PROSE) -> list[str]:
    lines: list[str] = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) >= width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


LINES = lines_of(60)
Place = tuple[float, float, str, float]


def manuscript(
    *,
    left: bool = True,
    restart: bool = False,
    step: int = 1,
    pages: int = 2,
    first: int = 1,
    align_right: bool = False,
) -> list[list[Place]]:
    """Pages of numbered lines, their numbers in 8 point in one margin."""
    per_page = -(-len(LINES) // pages)
    result: list[list[Place]] = []
    number = first - 1
    for page in range(pages):
        number = first - 1 if restart else number
        placed: list[Place] = []
        for row, line in enumerate(LINES[page * per_page : (page + 1) * per_page]):
            number += 1
            placed.append((90, 740 - 18 * row, line, 11))
            if number % step == 0:
                shown = str(number)
                x = 60 - (4.4 * len(shown) if align_right else 0) if left else 545
                placed.append((x, 740 - 18 * row, shown, 8))
        result.append(placed)
    return result


@pytest.mark.parametrize(
    "options",
    [
        {}, {"left": False}, {"restart": True}, {"step": 5}, {"step": 5, "left": False}, {"step": 5, "restart": True},
        {"pages": 3}, {"pages": 3, "step": 5}, {"first": 95}, {"first": 95, "align_right": True}, {"step": 2},
    ],
    ids=str,
)  # fmt: skip
def test_line_numbers_of_a_pdf_are_no_part_of_its_text(read_pdf_text, options):
    pages = manuscript(**options)
    text = " ".join(read_pdf_text(*pages).split())
    assert text == PROSE


def test_numbers_of_both_margins_go_as_reviewing_drafts_have_them(read_pdf_text):
    pages = [
        [*page, *((545, y, f"{54 + k:03d}", 8) for k, (_, y, _, _) in enumerate(page[::2]))] for page in manuscript()
    ]
    assert " ".join(read_pdf_text(*pages).split()) == PROSE


def test_the_title_and_headings_of_a_numbered_manuscript_have_no_number(write_pdf, page):
    from litloop.reading.pdf import read_pdf

    first = [(90, 772, "**Blankets for goats", 16), (60, 772, "1", 8), *manuscript(first=2)[0]]
    document = read_pdf(write_pdf([page(first)])).documents[0]
    assert document.paper.title == "Blankets for goats"
    assert [heading.title for heading in document.text.headings] == ["Blankets for goats"]


def listed(row: Callable[[int], Sequence[Place]], rows: int = 14) -> list[Place]:
    return [place for k in range(rows) for place in row(k)]


BODY = [(60.0, 740.0 - 14 * k, line, 10.0) for k, line in enumerate(LINES[:12])]


@pytest.mark.parametrize(
    ("placed", "kept"),
    [
        (listed(lambda k: [(60, 500 - 14 * k, f"{k + 1}. Feed the goat number {k} well", 10)]), "7. Feed the goat number 6 well"),
        (listed(lambda k: [(60, 500 - 14 * k, str(k + 1), 10), (120, 500 - 14 * k, "Goat", 10), (300, 500 - 14 * k, f"{k * 3}", 10)]),
         "7\tGoat\t18"),
        (listed(lambda k: [(60, 520 - 28 * k, str(k + 1), 9), (80, 520 - 28 * k, "Smith J, Ng A. A study of goats and sheep", 9),
                           (80, 509 - 28 * k, f"in barns. Farm Reports 20{10 + k}; 1: 2-3.", 9)]), "7"),
        (listed(lambda k: [(60, 500 - 14 * k, f"[{k + 1}] Smith J. Goats. 20{10 + k}.", 10)]), "[7] Smith J. Goats. 2016."),
    ],
    ids=["a numbered list", "a table that counts its rows", "references that hang on their numbers", "references in brackets"],
)  # fmt: skip
def test_numbers_that_belong_to_the_text_stay(read_pdf_text, placed, kept: str):
    text = read_pdf_text([*BODY, *placed])
    assert kept in text
    assert all(str(k) in text for k in range(1, 14))


def test_a_page_that_is_only_a_table_keeps_the_numbers_of_its_rows(read_pdf_text):
    table = listed(
        lambda k: [
            (60, 700 - 20 * k, str(k + 1), 10),
            (150, 700 - 20 * k, "Goat", 10),
            (300, 700 - 20 * k, f"{k * 3}.5", 10),
        ],
        20,
    )
    text = read_pdf_text(BODY, [(60, 760, "Table 1. All goats of the study", 10), *table], BODY[::-1])
    assert "7\tGoat\t18.5" in text


def test_lines_of_plain_text_lose_their_numbers_and_keep_their_places():
    raw = "\n".join(f"{k:>3}  {line}" for k, line in enumerate(LINES, start=1))
    text = plain_text(raw)
    assert " ".join(text.content.split()) == PROSE
    place = text.content.index("boredom")
    ((_, start, end),) = text.source_spans(place, place + 7)
    assert raw[start:end] == "boredom"


@pytest.mark.parametrize("form", ["{line}    {k}", "{k}\t{line}", "{k} {line}", "  {k}   {line}"])
def test_every_form_of_numbered_lines_is_known_in_plain_text(form: str):
    raw = "\r\n".join(form.format(k=k, line=line) for k, line in enumerate(LINES, start=1))
    assert " ".join(plain_text(raw).content.split()) == PROSE


def test_every_fifth_line_numbered_and_pages_that_begin_anew_are_known_in_plain_text():
    raw = "\n".join(f"{k if k % 5 == 0 else '':>3} {line}" for k, line in enumerate(LINES, start=1))
    assert " ".join(plain_text(raw).content.split()) == PROSE
    half = len(LINES) // 2
    raw = "\n".join(f"{k % half + 1:>3} {line}" for k, line in enumerate(LINES[: 2 * half]))
    assert plain_text(raw).content.split()[0] == "Background"


def test_a_word_divided_at_the_end_of_a_numbered_line_is_made_whole():
    lines = [*LINES[:8], "and of those goats that were un-", "doubtedly content with a blan-", "ket"]
    text = plain_text("\n".join(f"{k} {line}" for k, line in enumerate(lines, start=1))).content
    assert "were undoubtedly content with a blanket" in text


@pytest.mark.parametrize(
    "raw",
    [
        "\n".join(f"{k} Apples are eaten by the goat." for k in range(1, 30)),
        "\n".join(f"{k}. apples are eaten by the goat" for k in range(1, 30)),
        "\n".join(f"{k}\t{k * 3}\t{k * 5}" for k in range(1, 30)),
        "\n".join(f"{k}" for k in range(1, 30)),
        "\n".join(f"[{k}] Smith J. goats, {1990 + k}" for k in range(1, 30)),
        "\n".join(f"In {1990 + k} goats were counted and" for k in range(1, 30)),
    ],
    ids=["items", "a list", "a table", "only numbers", "references", "years"],
)
def test_lists_tables_and_references_in_plain_text_keep_their_numbers(raw: str):
    assert numbered_lines(raw.splitlines()) is None
    assert plain_text(raw).content == raw


def test_line_numbers_pasted_into_a_docx_go(write_docx):
    body = "".join(f"<w:p><w:r><w:t>{k} {line}</w:t></w:r></w:p>" for k, line in enumerate(LINES, start=1))
    text = read_docx(write_docx(body), ReadingLimits()).documents[0].text.content
    assert " ".join(text.split()) == PROSE


def test_a_short_last_page_loses_its_numbers_with_the_others(read_pdf_text):
    last = [(90, 740, "The authors thank the wolf.", 11), (60, 740, str(len(LINES) + 1), 8)]
    assert " ".join(read_pdf_text(*manuscript(), last).split()) == f"{PROSE} The authors thank the wolf."
