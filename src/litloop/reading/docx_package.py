"""A DOCX file as a zip of XML parts, opened with care: sizes are checked before anything is unpacked."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from litloop.core.errors import SourceError
from litloop.reading.reading_limits import MEGABYTE, ReadingLimits
from litloop.text.safe_xml import UnsafeXML, parse_xml

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_STRICT = "{http://purl.oclc.org/ooxml/wordprocessingml/main}"
_MAX_RATIO = 200  # unpacked to packed; the XML of real documents reaches 40
_SUSPICIOUS_FROM = 20 * MEGABYTE  # unpacked: below this no ratio does harm
_ENCRYPTED = 0x1
# What reading a damaged archive or part may raise.
_DAMAGE = (UnsafeXML, ValueError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError)


class Package:
    """The parts of an open DOCX."""

    def __init__(self, archive: zipfile.ZipFile, name: str, limits: ReadingLimits) -> None:
        self._archive = archive
        self._name = name
        self._limit = int(limits.max_unpacked_mb * MEGABYTE)
        self._unpacked = 0
        self._check_declared_sizes()

    def xml(self, part: str) -> Any:
        """The root element of a part, or None where the part is absent. Raises SourceError when it is broken."""
        from lxml import etree

        try:
            info = self._archive.getinfo(part)
        except KeyError:
            return None
        try:
            data = self._unpack(info)
            return parse_xml(data.replace(_STRICT[1:-1].encode(), W[1:-1].encode()))
        except (etree.XMLSyntaxError, *_DAMAGE) as error:
            raise SourceError("broken", f"{self._name} is broken: its part {part} cannot be read.") from error

    def main_part(self) -> str:
        """The name of the document part: the one that the package's relations name, usually word/document.xml."""
        root = self.xml("_rels/.rels")
        for relation in root if root is not None else ():
            if str(relation.get("Type", "")).endswith("/officeDocument"):
                return str(relation.get("Target", "")).lstrip("/")
        return "word/document.xml"

    def _check_declared_sizes(self) -> None:
        members = self._archive.infolist()
        unpacked, packed = sum(m.file_size for m in members), sum(m.compress_size for m in members)
        if unpacked > self._limit:
            raise self._too_large(unpacked)
        if unpacked > _SUSPICIOUS_FROM and unpacked > _MAX_RATIO * max(packed, 1):
            raise self._too_large(unpacked)
        if any(m.flag_bits & _ENCRYPTED for m in members):
            raise SourceError(
                "locked", f"{self._name} is locked: it needs a password. Save a copy without one and add that."
            )

    def _unpack(self, info: zipfile.ZipInfo) -> bytes:
        """The bytes of a part, counted as they come: what the file declares of itself may be false."""
        with self._archive.open(info) as stream:
            data = stream.read(self._limit - self._unpacked + 1)
        self._unpacked += len(data)
        if self._unpacked > self._limit:
            raise self._too_large(self._unpacked)
        return data

    def _too_large(self, unpacked: int) -> SourceError:
        return SourceError(
            "too_large",
            f"{self._name} would unpack to {unpacked / MEGABYTE:,.0f} MB: it "
            "looks like a zip bomb. If it is not, raise reading.max_unpacked_mb.",
        )


@contextmanager
def open_package(path: Path, limits: ReadingLimits) -> Iterator[Package]:
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, EOFError, ValueError, NotImplementedError) as error:
        raise SourceError(
            "broken", f"{path.name} is broken: it is cut short or damaged and cannot be opened as a DOCX."
        ) from error
    with archive:
        yield Package(archive, path.name, limits)
