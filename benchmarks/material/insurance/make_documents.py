"""Makes the documents of the insurance demo: texts/*.md become DOCX and PDF files, the same bytes each time.

    python -m benchmarks.material.insurance.make_documents FOLDER

Needs python-docx and fpdf2. A text begins with a front matter (id, file, title, author, dated) and uses five
marks: headings, paragraphs, bullets, tables (the first row is the header) and `---` for a new page.
"""

from __future__ import annotations

import argparse
import io
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from docx.document import Document as WordDocument
    from fpdf import FPDF

TEXTS = Path(__file__).resolve().parent / "texts"
PRODUCER = "insurance demo"
ZIP_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest moment a ZIP entry can carry


@dataclass(frozen=True, slots=True)
class Heading:
    level: int  # 1 is the title of the document
    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    text: str


@dataclass(frozen=True, slots=True)
class Bullets:
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class NewPage:
    pass


Block = Heading | Paragraph | Bullets | Table | NewPage


@dataclass(frozen=True, slots=True)
class DemoText:
    """One text of the demo, parsed. `file` is the name it is written under; its suffix decides the format."""

    id: str
    file: str
    title: str
    author: str
    dated: datetime
    blocks: tuple[Block, ...]

    @property
    def headings(self) -> tuple[str, ...]:
        return tuple(block.text for block in self.blocks if isinstance(block, Heading))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Write the documents of the insurance demo into a folder.")
    parser.add_argument("folder", type=Path, help="where the documents go; made if missing")
    for path in make_documents(parser.parse_args(arguments).folder):
        print(path)


def make_documents(folder: Path) -> list[Path]:
    """Write every document into `folder` and return the paths, in the order of the ids."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for text in load_texts():
        path = folder / text.file
        path.write_bytes(as_docx(text) if path.suffix == ".docx" else as_pdf(text))
        paths.append(path)
    return paths


# --- Reading the texts ------------------------------------------------------------------------------------


def load_texts(folder: Path = TEXTS) -> list[DemoText]:
    return [parse(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.md"))]


def parse(source: str) -> DemoText:
    """Parse front matter and blocks. A missing field or a ragged table raises ValueError."""
    _, front, body = source.split("---\n", 2)
    fields = dict(line.split(": ", 1) for line in front.strip().splitlines())
    missing = {"id", "file", "title", "author", "dated"} - fields.keys()
    if missing:
        raise ValueError(f"front matter lacks {', '.join(sorted(missing))}")
    return DemoText(
        id=fields["id"],
        file=fields["file"],
        title=fields["title"],
        author=fields["author"],
        dated=datetime.fromisoformat(fields["dated"]).replace(tzinfo=UTC),
        blocks=tuple(_blocks(body)),
    )


def _blocks(body: str) -> Iterator[Block]:
    for filled, group in groupby(body.splitlines(), key=lambda line: bool(line.strip())):
        if filled:
            yield _block([line.strip() for line in group])


def _block(lines: list[str]) -> Block:
    first = lines[0]
    if first == "---":
        return NewPage()
    if first.startswith("#"):
        marks, text = first.split(" ", 1)
        return Heading(len(marks), text)
    if first.startswith("- "):
        return Bullets(tuple(line.removeprefix("- ") for line in lines))
    if first.startswith("|"):
        rows = tuple(tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines)
        if len({len(row) for row in rows}) != 1:
            raise ValueError(f"rows of unequal length in the table that begins with {first}")
        return Table(rows)
    return Paragraph(" ".join(lines))


# --- DOCX -------------------------------------------------------------------------------------------------


def as_docx(text: DemoText) -> bytes:
    """The text as a Word file. Stored, not deflated, so that no version of zlib shows in the bytes."""
    import docx
    from docx.shared import Mm, Pt

    document = docx.Document()
    page = document.sections[0]
    page.page_width, page.page_height = Mm(210), Mm(297)
    page.left_margin = page.right_margin = Mm(25)
    document.styles["Normal"].font.size = Pt(11)
    page.header.paragraphs[0].text = f"{text.author} - {text.title}"
    for block in text.blocks:
        _add_to_docx(document, block)

    properties = document.core_properties
    properties.title, properties.author, properties.last_modified_by = text.title, text.author, text.author
    properties.created = properties.modified = text.dated
    properties.comments = ""
    properties.revision = 1
    written = io.BytesIO()
    document.save(written)
    return _with_fixed_dates(written.getvalue())


def _add_to_docx(document: WordDocument, block: Block) -> None:
    match block:
        case Heading(level, text):
            document.add_heading(text, level=level - 1)  # level 0 is Word's title style
        case Paragraph(text):
            document.add_paragraph(text)
        case Bullets(items):
            for item in items:
                document.add_paragraph(item, style="List Bullet")
        case Table(rows):
            table = document.add_table(rows=len(rows), cols=len(rows[0]), style="Table Grid")
            for cells, row in zip(table.rows, rows, strict=True):
                for cell, value in zip(cells.cells, row, strict=True):
                    cell.text = value
            for cell in table.rows[0].cells:
                cell.paragraphs[0].runs[0].bold = True
            document.add_paragraph()  # Word joins two tables that touch
        case NewPage():
            document.add_page_break()


def _with_fixed_dates(archive: bytes) -> bytes:
    """The same ZIP with every entry dated alike: python-docx stamps them with the clock."""
    rewritten = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(rewritten, "w", zipfile.ZIP_STORED) as new:
        for entry in old.infolist():
            new.writestr(zipfile.ZipInfo(entry.filename, ZIP_EPOCH), old.read(entry))
    return rewritten.getvalue()


# --- PDF --------------------------------------------------------------------------------------------------

SIZES = {1: 18, 2: 14, 3: 12}  # points, by level of heading
BODY = 11  # points
LINE = 5.2  # mm


def as_pdf(text: DemoText) -> bytes:
    """The text as a PDF with bookmarks, in the built-in Times face; a character outside Latin-1 raises."""
    pdf = _blank_pdf(text)
    pdf.add_page()
    for block in text.blocks:
        _add_to_pdf(pdf, block)
    return bytes(pdf.output())


def _blank_pdf(text: DemoText) -> FPDF:
    from fpdf import FPDF

    class Pages(FPDF):
        def header(self) -> None:
            self.set_font("Times", "I", 9)
            self.cell(0, 8, f"{text.author} - {text.title}", align="C", new_x="LMARGIN", new_y="NEXT")
            self.ln(3)

        def footer(self) -> None:
            self.set_y(-16)
            self.set_font("Times", "I", 9)
            self.cell(0, 8, f"Page {self.page_no()} of {{nb}}", align="C")

    pdf = Pages(format="A4")
    pdf.set_compression(False)  # so that no version of zlib shows in the bytes
    pdf.set_creation_date(text.dated)
    pdf.set_producer(PRODUCER)
    pdf.set_title(text.title)
    pdf.set_author(text.author)
    pdf.set_lang("en")
    pdf.set_margin(23)
    pdf.set_auto_page_break(True, margin=25)
    return pdf


def _add_to_pdf(pdf: FPDF, block: Block) -> None:
    match block:
        case Heading(level, title):
            _add_heading_to_pdf(pdf, level, title)
        case Paragraph(words):
            _write_paragraph(pdf, words)
        case Bullets(items):
            for item in items:
                _write_paragraph(pdf, f"\u00b7 {item}")
        case Table(rows):
            _add_table_to_pdf(pdf, rows)
        case NewPage():
            pdf.add_page()


def _add_heading_to_pdf(pdf: FPDF, level: int, title: str) -> None:
    if pdf.will_page_break(5 * LINE):  # a heading never stands alone at the foot of a page
        pdf.add_page()
    pdf.ln(2)
    pdf.start_section(title, level=level - 1)
    pdf.set_font("Times", "B", SIZES[level])
    pdf.multi_cell(0, SIZES[level] * 0.5, title, align="L", new_x="LMARGIN", new_y="NEXT")
    pdf.ln(2)


def _write_paragraph(pdf: FPDF, words: str) -> None:
    pdf.set_font("Times", "", BODY)
    pdf.multi_cell(0, LINE, words, align="L", new_x="LMARGIN", new_y="NEXT")
    pdf.ln(2)


def _add_table_to_pdf(pdf: FPDF, rows: tuple[tuple[str, ...], ...]) -> None:
    pdf.set_font("Times", "", BODY - 1)
    with pdf.table(text_align="LEFT", line_height=LINE + 0.4, padding=0.6) as table:
        for cells in rows:
            row = table.row()
            for cell in cells:
                row.cell(cell)
    pdf.ln(3)


if __name__ == "__main__":
    main()
