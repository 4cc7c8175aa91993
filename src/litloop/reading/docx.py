"""DOCX becomes a document: paragraphs, headings, tables, notes, text boxes and formulas in document order.

Read from the XML itself, because the order across these kinds matters. Comments, deleted text, hidden text, headers and
footers are left out. A note or text box follows the paragraph it hangs on. Source offsets are into the extracted text.
Pages are those of Word's last layout, where it has left its marks in the file: a page counted from hard breaks alone
would be too low.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from litloop.core.errors import SourceError
from litloop.core.records import Document
from litloop.reading.assembly import PAGE_BREAK, Block, build_text
from litloop.reading.docx_equations import equation_text
from litloop.reading.docx_package import Package, W, open_package
from litloop.reading.docx_styles import Styles
from litloop.reading.docx_visibility import is_hidden, is_on
from litloop.reading.line_numbers import numbered_lines
from litloop.reading.metadata import described_document, sensible_title
from litloop.reading.reading_limits import ReadingLimits
from litloop.reading.reference_marks import with_reference_marks
from litloop.reading.result import ReadResult
from litloop.text.characters import raised_mark

PARSER = "docx/1"
MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_SKIPPED = frozenset(
    f"{W}{name}"
    for name in (
        "pPr", "rPr", "del", "moveFrom", "instrText", "delText", "delInstrText", "fldChar", "commentReference",
        "annotationRef", "footnoteRef", "endnoteRef", "separator", "continuationSeparator", "softHyphen", "sdtPr",
        "sdtEndPr", "rt",
    )
)  # fmt: skip
_SIGNS = {f"{W}tab": "\t", f"{W}ptab": "\t", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "-",
          f"{W}lastRenderedPageBreak": PAGE_BREAK}  # fmt: skip
_NOTE_REFERENCES = frozenset({f"{W}footnoteReference", f"{W}endnoteReference"})
_FORMULAS = frozenset({f"{_M}oMath", f"{_M}oMathPara"})
_HEADING_LETTERS = 120  # of a bold line that stands for a heading where no style does


def read_docx(path: Path, limits: ReadingLimits) -> ReadResult:
    """Read a DOCX. Raises SourceError: broken, empty, too_large (a zip bomb), locked."""
    with open_package(path, limits) as package:
        main = package.main_part()
        root = package.xml(main)
        body = root.find(f"{W}body") if root is not None else None
        if body is None:
            raise SourceError("broken", f"{path.name} is broken: it is a zip archive without a Word document in it.")
        reader = _Reader(package, main.rpartition("/")[0])
        blocks = list(reader.blocks(body))
        metadata = _metadata(package)
    if not reader.has_headings:
        blocks = list(_with_bold_headings(blocks, reader.bold_lines))
    text = with_reference_marks(build_text(_without_line_numbers(blocks), PARSER))
    if not text.content.strip():
        raise SourceError("empty", f"{path.name} is empty: there is no text in it.")
    if not sensible_title(metadata.get("title", "")):
        metadata["title"] = reader.title
    return ReadResult((Document(described_document(path, text, metadata), text),), (), MEDIA_TYPE)


class _Reader:
    def __init__(self, package: Package, folder: str) -> None:
        prefix = f"{folder}/" if folder else ""
        self._styles = Styles(package.xml(f"{prefix}styles.xml"))
        self._notes = {
            "footnoteReference": _notes(package.xml(f"{prefix}footnotes.xml"), "footnote"),
            "endnoteReference": _notes(package.xml(f"{prefix}endnotes.xml"), "endnote"),
        }
        self.title = ""
        self.has_headings = False
        self.bold_lines: set[int] = set()  # ids of blocks set wholly in bold

    def blocks(self, container: Any) -> Iterator[Block]:
        """The blocks of a body, cell, text box or note."""
        for child in container:
            if child.tag == f"{W}p":
                yield from self._paragraph(child)
            elif child.tag == f"{W}tbl":
                yield from self._table(child)
            elif child.tag in {f"{W}sdt", f"{W}ins", f"{W}moveTo", f"{W}customXml", f"{W}smartTag"}:
                content = child.find(f"{W}sdtContent")
                yield from self.blocks(child if content is None else content)
            elif child.tag in _FORMULAS:
                yield Block(equation_text(child))

    def _paragraph(self, paragraph: Any) -> Iterator[Block]:
        properties = paragraph.find(f"{W}pPr")
        level = self._styles.heading_level(properties)
        hanging: list[Any] = []
        text = re.sub(r"[ \xa0]{2,}", " ", "".join(self._inline(paragraph, hanging))).strip(" ")
        text = re.sub(rf"^({PAGE_BREAK}+) ", r"\1", text)
        is_title = self._styles.is_title(properties)
        if text.strip() and is_title and not self.title:
            self.title = text.replace(PAGE_BREAK, "").strip()
        if text.strip() and level:
            self.has_headings = True
        block = Block(text, level, "item" if self._styles.is_list_item(properties) and not level else "")
        if _is_bold(paragraph):
            self.bold_lines.add(id(block))
        yield block
        for element in hanging:
            yield from self.blocks(element)

    def _table(self, table: Any) -> Iterator[Block]:
        """Rows as lines, cells apart by tabs. What hangs on a cell follows its row, and so do nested tables."""
        for row in table.iter(f"{W}tr"):
            if next(row.iterancestors(f"{W}tbl")) is not table:
                continue
            cells, after, breaks = [], [], 0
            for cell in row.iter(f"{W}tc"):
                if next(cell.iterancestors(f"{W}tr")) is not row or _is_merged_away(cell):
                    continue
                hanging: list[Any] = []
                lines = ["".join(self._inline(p, hanging)) for p in cell.iterchildren(f"{W}p", f"{W}sdt")]
                breaks = max(breaks, sum(line.count(PAGE_BREAK) for line in lines))  # cells break side by side
                cells.append(" ".join(" ".join(lines).split()))
                after += hanging
                after += cell.iterchildren(f"{W}tbl")
            if any(cells) or breaks:
                yield Block("\t".join(cells).rstrip("\t") + PAGE_BREAK * breaks, series="row")
            for element in after:
                yield from self._table(element) if element.tag == f"{W}tbl" else self.blocks(element)

    def _inline(self, element: Any, hanging: list[Any]) -> Iterator[str]:
        """The text of a paragraph or run. Notes and text boxes met on the way are put into `hanging`."""
        for child in element:
            tag = child.tag
            if tag == f"{W}t":
                yield child.text or ""
            elif tag in _SIGNS:
                yield _SIGNS[tag]
            elif tag == f"{W}r":
                yield from self._run(child, hanging)
            elif tag == f"{W}sym":
                yield _symbol(child)
            elif tag in _FORMULAS:
                yield equation_text(child)
            elif tag == f"{W}txbxContent":
                hanging.append(child)
            elif tag in _NOTE_REFERENCES:
                hanging += self._note(child)
            elif tag not in _SKIPPED:
                chosen = child.find(f"{_MC}Choice") if tag == f"{_MC}AlternateContent" else None
                yield from self._inline(child if chosen is None else chosen, hanging)

    def _note(self, reference: Any) -> list[Any]:
        note = self._notes[reference.tag.rpartition("}")[2]].get(reference.get(f"{W}id"))
        return [] if note is None else [note]

    def _run(self, run: Any, hanging: list[Any]) -> Iterator[str]:
        if is_hidden(run, self._styles):
            return
        text = "".join(self._inline(run, hanging))
        yield raised_mark(text) if text and self._styles.is_raised(run) else text


def _notes(root: Any, kind: str) -> dict[str, Any]:
    if root is None:
        return {}
    return {
        note.get(f"{W}id"): note for note in root.iterfind(f"{W}{kind}") if note.get(f"{W}type", "normal") == "normal"
    }


def _is_bold(paragraph: Any) -> bool:
    runs = [run for run in paragraph.iter(f"{W}r") if "".join(t.text or "" for t in run.iter(f"{W}t")).strip()]
    return bool(runs) and all(is_on(run.find(f"{W}rPr/{W}b")) for run in runs)


def _is_merged_away(cell: Any) -> bool:
    """Whether the cell only continues the one above it."""
    merge = cell.find(f"{W}tcPr/{W}vMerge")
    return merge is not None and merge.get(f"{W}val", "continue") == "continue"


def _symbol(element: Any) -> str:
    try:
        return chr(int(element.get(f"{W}char", ""), 16))
    except (ValueError, OverflowError):
        return ""


def _with_bold_headings(blocks: list[Block], bold: set[int]) -> Iterator[Block]:
    """In documents without heading styles, short bold lines that do not end like a sentence are the headings."""
    for block in blocks:
        text = block.text.strip()
        short = len(text) <= _HEADING_LETTERS and "\n" not in text and not text.endswith((".", ",", ";", ":"))
        if id(block) in bold and short and sum(map(str.isalpha, text)) > 2 and not block.series:
            yield Block(block.text, level=1)
        else:
            yield block


def _without_line_numbers(blocks: list[Block]) -> list[Block]:
    """The blocks without line numbers that were typed or pasted into the text: Word's own are no part of it."""
    lines = [line for block in blocks for line in block.text.split("\n")]
    rests = None if any(block.series for block in blocks) else numbered_lines(lines)
    if rests is None:
        return blocks
    kept = iter([_cut(line, start, end) for line, (start, end) in zip(lines, rests, strict=True)])
    return [replace(block, text="\n".join(next(kept) for _ in block.text.split("\n"))) for block in blocks]


def _cut(line: str, start: int, end: int) -> str:
    """line[start:end], with the page breaks before it."""
    return PAGE_BREAK * line.count(PAGE_BREAK, 0, start) + line[start:end]


def _metadata(package: Package) -> dict[str, str]:
    root = package.xml("docProps/core.xml")
    if root is None:
        return {}
    found = {"title": f"{_DC}title", "author": f"{_DC}creator", "subject": f"{_DC}subject"}
    return {name: root.findtext(tag) or "" for name, tag in found.items()}
