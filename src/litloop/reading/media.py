"""What a file really is, told by its first bytes before its name.

A new format is a kind here, with its endings; a reader in this folder; its line in `file.py`; and its media type in
`server/source_files.py`.
"""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import Literal

from litloop.core.errors import SourceError
from litloop.reading.conversions import may_be_prose, refusal
from litloop.reading.corpus_rows import ENDINGS as CORPUS_ENDINGS
from litloop.reading.reference_exports import refuse_export, refuse_xml_export

Kind = Literal[
    "pdf", "docx", "html", "jats", "markdown", "plain", "corpus", "bibtex", "ris", "medline", "zotero_rdf"
]  # fmt: skip

# Endings of files that `add` picks out of a folder.
READABLE_ENDINGS = (
    ".pdf",
    ".docx",
    ".md",
    ".markdown",
    ".txt",
    ".text",
    ".html",
    ".htm",
    ".xhtml",
    ".xml",
    ".nxml",
    ".bib",
    ".bibtex",
    ".ris",
    ".nbib",
    ".medline",
    ".rdf",
    *CORPUS_ENDINGS,
)
_MARKDOWN_ENDINGS = (".md", ".markdown", ".mdown", ".mkd")
_XML_STARTS = (
    b"<?xml", b"<!DOCTYPE", b"<article", b"<pmc-articleset", b"<rdf:RDF", b"<xml>", b"<PubmedArticle"
)  # fmt: skip
_XML_ENDINGS = (".xml", ".nxml", ".jats")
_BIBLIOGRAPHY_ENDINGS: tuple[tuple[tuple[str, ...], Kind], ...] = (
    ((".bib", ".bibtex"), "bibtex"), ((".ris",), "ris"), ((".nbib", ".medline"), "medline"), ((".rdf",), "zotero_rdf"),
)  # fmt: skip
# How bibliographies begin, whatever their files are called.
_BIBLIOGRAPHIES: tuple[tuple[re.Pattern[bytes], Kind], ...] = (
    (re.compile(rb"\s*+(?:%[^\n]*+\n\s*+)*+@\s*(?:article|book|booklet|conference|inbook|incollection|inproceedings|manual|"
                rb"mastersthesis|misc|phdthesis|proceedings|techreport|unpublished|online|report|thesis|dataset|software|"
                rb"string|preamble|comment)\s*[{(]", re.IGNORECASE), "bibtex"),
    (re.compile(rb"\s*TY  ?- ?[A-Z]{2,12}\s"), "ris"),
    (re.compile(rb"\s*PMID- ?\d+\s"), "medline"),
)  # fmt: skip
_ZOTERO = b"http://www.zotero.org/namespaces/export#"
_HEAD = 4096  # bytes; a PDF header must stand in the first 1024

_OLE = bytes.fromhex("d0cf11e0a1b11ae1")
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
# Formats that are recognised in order to say what they are.
_OTHERS = (
    (b"{\\rtf", "an RTF document; save it as DOCX or PDF"),
    (b"\x89PNG", "a picture; it needs OCR"),
    (b"\xff\xd8\xff", "a picture; it needs OCR"),
    (b"GIF8", "a picture; it needs OCR"),
    (b"II*\x00", "a picture; it needs OCR"),
    (b"MM\x00*", "a picture; it needs OCR"),
    (b"%!PS", "a PostScript file; convert it to PDF"),
    (b"7z\xbc\xaf\x27\x1c", "an archive; unpack it first"),
    (b"Rar!", "an archive; unpack it first"),
    (b"BZh", "an archive; unpack it first"),
    (b"\xfd7zXZ", "an archive; unpack it first"),
    (b"\x28\xb5\x2f\xfd", "an archive; unpack it first"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90", "a program"),
    (b"SQLite format 3", "a database"),
)
# A file in a zip, and what that makes of it.
_ZIPPED = (
    ("xl/", "a spreadsheet; export references as RIS or BibTeX"), ("ppt/", "a presentation; export it as PDF"),
    ("META-INF/container.xml", "an e-book; convert it to HTML or PDF"),
    ("content.xml", "an OpenDocument file; save it as DOCX or PDF"),
)  # fmt: skip
_HTML_START = re.compile(
    rb"\s*+(?:<\?xml[^>]*\?>\s*+)?(?:<!--(?:(?!-->).)*+-->\s*+)*+<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_ARTICLE = re.compile(rb"<(?:!DOCTYPE\s+)?(?:pmc-articleset|article|[\w-]*article-?set)\b|JATS|NLM//DTD", re.IGNORECASE)


def kind_of(path: Path) -> Kind:
    """The format to read a file in. Raises SourceError: empty, broken, locked or unsupported, with the reason."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    name = path.name.lower()
    if not head.strip(b"\0 \t\r\n\xef\xbb\xbf"):
        raise SourceError("empty", f"{path.name} is empty.")
    if b"%PDF-" in head[:1024]:
        return "pdf"
    if head.startswith(b"PK\x03\x04") or head.startswith(b"PK\x05\x06"):
        return _zipped(path)
    if head.startswith(_OLE):
        raise _ole(path)
    if head.startswith(b"\x1f\x8b"):
        if name.endswith(CORPUS_ENDINGS):
            return "corpus"
        raise SourceError("unsupported", f"{path.name} is a compressed file; unpack it first.")
    for magic, what in _OTHERS:
        if head.startswith(magic):
            raise SourceError("unsupported", f"{path.name} is {what}.")
    return _text_kind(path, head, name)


def _text_kind(path: Path, head: bytes, name: str) -> Kind:
    readable = (
        head.decode("utf-16", "ignore").encode()
        if head[:2] in (b"\xff\xfe", b"\xfe\xff")
        else head.removeprefix(b"\xef\xbb\xbf")
    )
    if _HTML_START.match(readable):
        return "html"
    if readable.lstrip().startswith(_XML_STARTS):
        if _ZOTERO in readable:
            return "zotero_rdf"
        refuse_xml_export(path.name, readable)
        if _ARTICLE.search(readable):
            return "jats"
        raise SourceError("unsupported", f"{path.name} is XML, but not a JATS article.")
    if name.endswith((".pdf", ".docx")):
        raise SourceError(
            "broken",
            f"{path.name} is broken or mislabelled: it does not begin as a {path.suffix[1:].upper()} file does.",
        )
    if name.endswith(CORPUS_ENDINGS):
        return "corpus"
    if kind := _bibliography(readable, name):
        return kind
    refuse_export(path.name, readable)
    if name.endswith((".html", ".htm", ".xhtml")):
        return "html"
    if name.endswith(_XML_ENDINGS):
        return "jats"
    if name.endswith(_MARKDOWN_ENDINGS):
        return "markdown"
    if not may_be_prose(name):
        raise SourceError("unsupported", refusal(path.name))
    return "plain"


def _bibliography(readable: bytes, name: str) -> Kind | None:
    begun = next((kind for pattern, kind in _BIBLIOGRAPHIES if pattern.match(readable)), None)
    return begun or next((kind for endings, kind in _BIBLIOGRAPHY_ENDINGS if name.endswith(endings)), None)


def _zipped(path: Path) -> Kind:
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, EOFError, ValueError, NotImplementedError, OSError) as error:
        raise SourceError(
            "broken", f"{path.name} is broken: it is cut short or damaged and cannot be unpacked."
        ) from error
    if any(name.startswith("word/") for name in names):
        return "docx"
    for part, what in _ZIPPED:
        if any(name.startswith(part) for name in names):
            raise SourceError("unsupported", f"{path.name} is {what}.")
    if path.name.lower().endswith(".docx"):
        raise SourceError("broken", f"{path.name} is broken: it is a zip archive without a Word document in it.")
    raise SourceError("unsupported", f"{path.name} is a zip archive; unpack it first.")


def _ole(path: Path) -> SourceError:
    """Old Office files and encrypted new ones share a container; the second holds an encrypted package."""
    if _ENCRYPTED_PACKAGE in path.read_bytes():
        return SourceError(
            "locked", f"{path.name} is locked: it needs a password. Save a copy without one and add that."
        )
    return SourceError("unsupported", f"{path.name} is an old Office file; save it as DOCX or PDF.")
