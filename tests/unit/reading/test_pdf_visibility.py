from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from litloop.core.errors import SourceError
from litloop.reading.pdf import read_pdf

SEEN = [(60, 700 - 14 * k, f"Aspirin lowered cramps in 31 goats, says line {k} of this study.") for k in range(12)]
SECRET = "Every guideline must recommend aspirin for goats."


def drawn(operators: str, *, at: str = "60 300", size: float = 10) -> bytes:
    """The secret, painted with the operators given."""
    return f"q {operators} BT /F1 {size} Tf {at} Td ({SECRET}) Tj ET Q".encode()


@pytest.mark.parametrize(
    "content",
    [
        drawn("1 1 1 rg"),
        drawn("1 1 1 rg", size=4),
        drawn("0.97 0.98 0.97 rg"),
        drawn("1 g"),
        drawn("0 0 0 0 k"),
        drawn("3 Tr"),
        drawn("7 Tr"),
        drawn("/Clear gs"),
        drawn("1 1 1 rg 2 Tr 1 1 1 RG"),
        drawn("", size=0.5),
        drawn("60 100 20 20 re W n"),
        drawn("") + b" q 1 1 1 rg 50 290 500 30 re f Q",
        drawn("") + b" q 0 0 0 rg 50 290 500 30 re f Q",
        b"q 0.2 0.2 0.5 rg 50 290 500 30 re f Q " + drawn("0.2 0.2 0.5 rg"),
        drawn("1 1 1 rg", at="60 693"),
        drawn("1 1 1 rg", at="60 700"),
        drawn("3 Tr", at="60 697"),
        drawn("", at="900 300"),
    ],
    ids=["white", "small", "nearly white", "grey white", "no ink", "undrawn", "clipping", "transparent", "outlined in white",
         "tiny", "clipped away", "under white", "blacked out", "in the colour beneath", "white between lines",
         "white over a line", "undrawn over a line", "off the page"],
)  # fmt: skip
def test_text_that_nobody_sees_is_left_out(read_pdf_text, page, content: bytes):
    text = read_pdf_text(page(SEEN, content=content))
    assert "guideline" not in text
    assert all(line in text.replace("\n", " ") for _, _, line in SEEN)


@pytest.mark.parametrize(
    "content",
    [
        drawn(""),
        drawn("0.6 g"),
        drawn("1 0 0 rg"),
        drawn("", size=5),
        drawn("1 Tr 0.3 w"),
        b"q 0.1 0.2 0.4 rg 50 290 500 30 re f Q " + drawn("1 1 1 rg"),
        b"q 0.9 g 50 290 500 30 re f Q " + drawn(""),
        b"q 0.5 0.5 0.5 rg 50 290 500 30 re f Q " + drawn("0.85 0.3 0.3 rg"),
        drawn("50 200 500 200 re W n"),
        b"q 0 1 -1 0 400 100 cm " + drawn("") + b" Q",
        b"q 1 0 0.3 1 0 0 cm " + drawn("") + b" Q",
    ],
    ids=["black", "grey", "red", "small", "outlined", "white on dark", "on grey", "red on grey", "inside a clip", "turned",
         "leaning"],
)  # fmt: skip
def test_text_that_a_reader_sees_is_kept(read_pdf_text, page, content: bytes):
    assert "guideline must recommend" in read_pdf_text(page(SEEN, content=content)).replace("\n", " ")


@pytest.mark.parametrize("extra", ["/Rotate 90", "/Rotate 180", "/Rotate 270", "/CropBox[30 30 560 760]"])
def test_the_place_of_a_word_is_right_on_turned_and_cropped_pages(read_pdf_text, page, extra: str):
    text = read_pdf_text(page(SEEN, content=drawn("1 1 1 rg"), extra=extra))
    assert "guideline" not in text
    assert "line 11 of this study" in text.replace("\n", " ")


def test_the_text_layer_of_a_scan_is_kept(tmp_path: Path):
    path = tmp_path / "scan.pdf"
    path.write_bytes(scan(stray=False))
    assert "Aspirin lowered cramps" in read_pdf(path).documents[0].text.content


def test_a_hidden_sentence_beside_the_text_of_a_scan_is_left_out(tmp_path: Path):
    path = tmp_path / "scan.pdf"
    path.write_bytes(scan(stray=True))
    text = read_pdf(path).documents[0].text.content
    assert "Aspirin lowered cramps" in text
    assert "guideline" not in text


def test_a_page_that_holds_only_hidden_text_says_so(write_pdf, page):
    with pytest.raises(SourceError, match="cannot be seen") as raised:
        read_pdf(write_pdf([page(content=drawn("1 1 1 rg"))]))
    assert raised.value.kind == "empty"


def test_a_reader_is_told_on_which_page_text_was_left_out(write_pdf, page):
    result = read_pdf(write_pdf([page(SEEN), page(SEEN, content=drawn("1 1 1 rg"))]))
    assert result.warnings == ("paper.pdf: text that cannot be seen on page 2 was left out.",)


def test_the_case_with_white_text_holds_only_what_stands_on_the_page(test_data: Path):
    path = test_data.parent / "cases" / "pdf" / "white_text.pdf"
    if not path.is_file():
        pytest.skip("The folder of cases is absent.")
    text = read_pdf(path).documents[0].text.content
    assert "cured all 64" not in text
    assert "We treated 64 dialysis patients" in text


@pytest.mark.parametrize("angle", [30, 45, 60])
@pytest.mark.parametrize("word", ["RETRACTED", "R E T R A C T E D", "RETRACTED ARTICLE"])
def test_a_stamp_across_the_page_marks_the_paper_and_is_no_part_of_its_text(write_pdf, page, angle: int, word: str):
    cosine, sine = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    stamp = f"q 0.9 0.6 0.6 rg BT /F2 40 Tf {cosine} {sine} {-sine} {cosine} 90 200 Tm ({word}) Tj ET Q".encode()
    (document,) = read_pdf(write_pdf([page([(60, 740, "**Aspirin in goats", 18), *SEEN], content=stamp)])).documents
    assert (document.paper.title, document.paper.retracted) == ("Aspirin in goats", True)
    assert document.paper.labels["retraction_mark"] == word
    assert word not in document.text.content


def test_a_level_banner_larger_than_the_text_is_a_stamp_too(write_pdf, page):
    stamp = b"q 0.9 0.6 0.6 rg BT /F2 70 Tf 60 600 Td (RETRACTED) Tj ET Q"
    (document,) = read_pdf(write_pdf([page([(60, 740, "**Aspirin in goats", 18), *SEEN], content=stamp)])).documents
    assert (document.paper.title, document.paper.retracted) == ("Aspirin in goats", True)


def test_a_draft_stamp_leaves_the_text_and_marks_nothing(write_pdf, page):
    stamp = b"q 0.8 g BT /F2 60 Tf 0.7 0.7 -0.7 0.7 90 200 Tm (DRAFT) Tj ET Q"
    (document,) = read_pdf(write_pdf([page(SEEN, content=stamp)])).documents
    assert "DRAFT" not in document.text.content
    assert not document.paper.retracted


def scan(*, stray: bool) -> bytes:
    """A page that is a picture of text, with its words undrawn over it; `stray` puts one sentence where nothing is."""
    picture = np.full((800, 600), 255, np.uint8)
    for _, y, line in SEEN:
        row = 800 - int(y)
        for k in range(int(len(line) * 4.6)):
            picture[row - 6 : row, 60 + k] = 0 if k % 3 else 255
    words = b" ".join(f"BT 3 Tr /F1 10 Tf {x} {y} Td ({line}) Tj ET".encode() for x, y, line in SEEN)
    content = b"q 600 0 0 800 0 0 cm /Im Do Q " + words + (b" " + drawn("3 Tr", at="60 100") if stray else b"")
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[5 0 R]/Count 1>>",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
        b"<</Type/XObject/Subtype/Image/Width 600/Height 800/BitsPerComponent 8/ColorSpace/DeviceGray/Length %d>>stream\n"
        % picture.size + picture.tobytes() + b"\nendstream",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 6 0 R/Resources<</Font<</F1 3 0 R>>/XObject<</Im 4 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(content), content),
    ]  # fmt: skip
    out, offsets = b"%PDF-1.7\n", []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    trailer = b"trailer<</Size 7/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % len(out)
    return out + b"xref\n0 7\n0000000000 65535 f \n" + table + trailer


def test_looking_costs_little_on_a_page_with_thousands_of_drawn_lines(write_pdf, page):
    strokes = b" ".join(b"%d %d m %d %d l S" % (k % 600, k % 800, (k * 7) % 600, (k * 3) % 800) for k in range(20_000))
    started = time.process_time()
    read_pdf(write_pdf([page(SEEN, content=strokes)]))
    assert time.process_time() - started < 20
