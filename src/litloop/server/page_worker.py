"""A process that opens PDFs for the server: sizes of pages, boxes of characters, pictures. It may be killed.

Reads one JSON request a line, writes one JSON answer a line. PDFium may crash or hang on a hostile file and is not
safe to use from two threads: here that costs one answer, not the server.
"""

from __future__ import annotations

import json
import struct
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from litloop.reading.reading_limits import limit_memory

MOST_PIXELS = 12_000_000  # of one picture: 36 MB while it is drawn
_GRID = 100_000  # PDFium's device coordinates are whole numbers: this many to a page side


def main() -> None:
    memory_mb = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    if memory_mb:
        limit_memory(memory_mb)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = {"ok": _ANSWERS[request["do"]](request)}
        except Exception as error:  # whatever a hostile file brings about belongs into the answer
            answer = {"error": f"{type(error).__name__}: {error}"[:300]}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def sizes(request: dict[str, Any]) -> list[tuple[float, float]]:
    """Width and height of every page in points, as it is shown (rotated and cropped)."""
    with _document(request["path"]) as document:
        return [document.get_page_size(index) for index in range(min(len(document), request["most"]))]


def boxes(request: dict[str, Any]) -> list[dict[str, Any]]:
    """For each page of `spans` [(page, first, last + 1)]: its size and one box for each line of the characters."""
    by_page: dict[int, list[tuple[int, int]]] = {}
    for number, first, last in request["spans"]:
        by_page.setdefault(number, []).append((first, last))
    found = []
    with _document(request["path"]) as document:
        for number, spans in sorted(by_page.items()):
            if not 1 <= number <= len(document):
                continue
            page = document[number - 1]
            try:
                width, height = page.get_size()
                found.append({"page": number, "width": width, "height": height, "boxes": _lines(page, spans)})
            finally:
                page.close()
    return found


def picture(request: dict[str, Any]) -> dict[str, Any]:
    """Draw a page into the file `to` as PNG, `width` pixels wide (less when it would be too large)."""
    with _document(request["path"]) as document:
        if not 1 <= request["page"] <= len(document):
            return {"pages": len(document)}
        page = document[request["page"] - 1]
        try:
            width, height = page.get_size()
            scale = request["width"] / max(width, 1.0)
            scale = min(scale, (MOST_PIXELS / max(width * height, 1.0)) ** 0.5)
            bitmap = page.render(scale=scale, rev_byteorder=True)
            pixels = bitmap.to_numpy()
            grey = bool((pixels[..., 0] == pixels[..., 1]).all() and (pixels[..., 1] == pixels[..., 2]).all())
            rows = pixels[..., :1] if grey else pixels[..., :3]
            png = _png(bitmap.width, bitmap.height, [row.tobytes() for row in rows], grey=grey)
        finally:
            page.close()
    with open(request["to"], "wb") as file:  # noqa: PTH123 (a path that the server made)
        file.write(png)
    return {"bytes": len(png)}


def _lines(page: Any, spans: Sequence[tuple[int, int]]) -> list[tuple[float, float, float, float]]:
    """Boxes (x, y, width, height) as fractions of the page as shown, from its top left corner."""
    textpage = page.get_textpage()
    try:
        lines: list[list[float]] = []
        for first, last in spans:
            for box in _characters(page, textpage, first, min(last, textpage.count_chars())):
                if lines and _same_line(lines[-1], box):
                    line = lines[-1]
                    lines[-1] = [min(line[0], box[0]), min(line[1], box[1]), max(line[2], box[2]), max(line[3], box[3])]
                else:
                    lines.append(box)
    finally:
        textpage.close()
    return [(x0, y0, x1 - x0, y1 - y0) for x0, y0, x1, y1 in lines]


def _characters(page: Any, textpage: Any, first: int, last: int) -> Iterator[list[float]]:
    """One box [left, top, right, bottom] for each drawn character, in fractions of the page as shown."""
    for index in range(first, last):
        left, bottom, right, top = textpage.get_charbox(index, loose=True)
        if right <= left or top <= bottom:
            continue  # a blank
        ax, ay = _shown(page, left, top)
        bx, by = _shown(page, right, bottom)
        box = [max(0.0, min(ax, bx)), max(0.0, min(ay, by)), min(1.0, max(ax, bx)), min(1.0, max(ay, by))]
        if box[0] < box[2] and box[1] < box[3]:
            yield box


def _shown(page: Any, x: float, y: float) -> tuple[float, float]:
    """A point of page space on the page as shown: rotation and crop box are PDFium's business."""
    import ctypes

    device_x, device_y = ctypes.c_int(), ctypes.c_int()
    pdfium.FPDF_PageToDevice(page.raw, 0, 0, _GRID, _GRID, 0, x, y, ctypes.byref(device_x), ctypes.byref(device_y))
    return device_x.value / _GRID, device_y.value / _GRID


def _same_line(line: list[float], box: list[float]) -> bool:
    """Whether a character goes on in the line before it: they overlap in height (or in width, for upright text),
    and no gap wider than a column's gutter lies between."""
    tall = min(line[3] - line[1], box[3] - box[1])
    wide = min(line[2] - line[0], box[2] - box[0])
    beside = min(line[3], box[3]) - max(line[1], box[1]) > 0.5 * tall
    below = min(line[2], box[2]) - max(line[0], box[0]) > 0.5 * wide
    gap_x = max(box[0] - line[2], line[0] - box[2])
    gap_y = max(box[1] - line[3], line[1] - box[3])
    return (beside and gap_x < 0.05) or (below and wide > tall and gap_y < 0.002)


def _png(width: int, height: int, rows: Sequence[bytes], *, grey: bool) -> bytes:
    """A PNG of 8-bit rows, grey or RGB. Each row is filtered by the one above, which suits pages."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    packer, packed = zlib.compressobj(6), []
    for row in rows:
        packed.append(packer.compress(b"\0" + row))
    packed.append(packer.flush())
    header = struct.pack(">IIBBBBB", width, height, 8, 0 if grey else 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", b"".join(packed)) + chunk(b"IEND", b"")


@contextmanager
def _document(path: str) -> Iterator[Any]:
    document = pypdfium2.PdfDocument(path)
    try:
        yield document
    finally:
        document.close()


_ANSWERS = {"sizes": sizes, "boxes": boxes, "picture": picture}

if __name__ == "__main__":
    main()
