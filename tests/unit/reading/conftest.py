"""Small PDFs and DOCX files, written byte by byte, so that a test shows what stands where."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

# (x, y, text) with the origin at the lower left, in points; an optional fourth value is the font size.
Placed = tuple[float, float, str] | tuple[float, float, str, float]

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


class PdfPage:
    """What stands on a page. `font` F1 is Helvetica, F2 Helvetica-Bold, F3 a Type 0 font with the given map."""

    def __init__(
        self,
        placed: Sequence[Placed] = (),
        *,
        width: float = 600,
        height: float = 800,
        extra: str = "",
        content: bytes = b"",
        image: bool = False,
    ) -> None:
        self.placed, self.width, self.height, self.extra = placed, width, height, extra
        self.content, self.image = content, image

    def stream(self) -> bytes:
        parts = [self.content]
        for x, y, text, *size in self.placed:
            font = "F2" if text.startswith("**") else "F1"
            shown = text.removeprefix("**").replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
            parts.append(f"BT /{font} {size[0] if size else 10} Tf {x} {y} Td ({shown}) Tj ET".encode("cp1252"))
        if self.image:
            parts.append(b"q 500 0 0 700 50 50 cm /Im Do Q")
        return b"\n".join(parts)


def pdf_bytes(pages: Sequence[PdfPage], unicode_map: dict[int, str] | None = None, info: str = "") -> bytes:
    mapping = "\n".join(f"<{k:04x}> <{v.encode('utf-16-be').hex()}>" for k, v in (unicode_map or {}).items())
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def\n"
        "1 begincodespacerange <0000> <ffff> endcodespacerange\n"
        f"{len(unicode_map or {})} beginbfchar\n{mapping}\nendbfchar\nendcmap end end"
    ).encode()
    to_unicode = "/ToUnicode 6 0 R" if unicode_map is not None and unicode_map else ""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"",  # the page tree, when the pages are numbered
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold/Encoding/WinAnsiEncoding>>",
        f"<</Type/Font/Subtype/Type0/BaseFont/Foo/Encoding/Identity-H/DescendantFonts[7 0 R]{to_unicode}>>".encode(),
        b"<</Length %d>>stream\n%s\nendstream" % (len(cmap), cmap),
        b"<</Type/Font/Subtype/CIDFontType2/BaseFont/Foo/DW 600/FontDescriptor 8 0 R"
        b"/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>>>",
        b"<</Type/FontDescriptor/FontName/Foo/Flags 4/FontBBox[0 -200 1000 800]/ItalicAngle 0/Ascent 800"
        b"/Descent -200/CapHeight 700/StemV 80>>",
        b"<</Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray/Length 1>>stream\n"
        b"\x80\nendstream",
        f"<<{info}>>".encode(),
    ]
    numbers = []
    for page in pages:
        stream = page.stream()
        objects.append(b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream))
        objects.append(
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 {page.width} {page.height}]/Contents {len(objects)} 0 R"
            f"/Resources<</Font<</F1 3 0 R/F2 4 0 R/F3 5 0 R>>/XObject<</Im 9 0 R>>"
            f"/ExtGState<</Clear<</ca 0/CA 0>>>>>>{page.extra}>>".encode()
        )
        numbers.append(len(objects))
    kids = " ".join(f"{number} 0 R" for number in numbers)
    objects[1] = f"<</Type/Pages/Kids[{kids}]/Count {len(numbers)}>>".encode()
    out, offsets = b"%PDF-1.7\n", []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    trailer = b"trailer<</Size %d/Root 1 0 R/Info 10 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, len(out))
    return out + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table + trailer


@pytest.fixture
def page() -> type[PdfPage]:
    return PdfPage


@pytest.fixture
def write_pdf(tmp_path: Path) -> Callable[..., Path]:
    def write(pages: Sequence[PdfPage], *, name: str = "paper.pdf", **options) -> Path:
        path = tmp_path / name
        path.write_bytes(pdf_bytes(pages, **options))
        return path

    return write


@pytest.fixture
def read_pdf_text(write_pdf) -> Callable[..., str]:
    """The reading text of pages given as lists of placed strings."""

    def read(*pages: PdfPage | Sequence[Placed], **options) -> str:
        from litloop.reading.pdf import read_pdf

        made = [each if isinstance(each, PdfPage) else PdfPage(each) for each in pages]
        return read_pdf(write_pdf(made, **options)).documents[0].text.content

    return read


@pytest.fixture
def write_docx(tmp_path: Path) -> Callable[..., Path]:
    """A DOCX with the given body XML and, under their part names, other parts."""

    def write(
        body: str, parts: dict[str, str] | None = None, *, name: str = "paper.docx", compress: bool = True
    ) -> Path:
        path = tmp_path / name
        spaces = (
            f'xmlns:w="{W}" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
            'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
            'xmlns:v="urn:schemas-microsoft-com:vml"'
        )
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED) as archive:
            archive.writestr("word/document.xml", f"<w:document {spaces}><w:body>{body}</w:body></w:document>")
            for part, xml in (parts or {}).items():
                archive.writestr(part, xml.replace("SPACES", spaces))
        return path

    return write


@pytest.fixture
def lorem() -> list[str]:
    """Forty lines of about the same width, each recognisable by its number."""
    words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu"]
    return [
        f"{words[n % 12]} {words[(n * 5 + 1) % 12]} {words[(n * 7 + 2) % 12]} line{n:02d} stays in order"
        for n in range(40)
    ]
