from __future__ import annotations

import gzip
import json
import os
import sys
import zipfile
from pathlib import Path

import pytest

import litloop.reading as reading
from litloop.core.errors import SourceError
from litloop.reading import ReadingLimits, read_file
from support.without_rights import open_folder, tried


@pytest.fixture
def refusal(tmp_path: Path):
    """The kind and sentence with which a file of the given name and bytes is refused."""

    def refuse(name: str, data: bytes, **options) -> tuple[str, str]:
        path = tmp_path / name
        path.write_bytes(data)
        with pytest.raises(SourceError) as error:
            read_file(path, **options)
        return error.value.kind, str(error.value)

    return refuse


def zipped(*names: str) -> bytes:
    import io

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "data", "kind", "word"),
    [
        ("a.pdf", b"", "empty", "empty"),
        ("a.txt", b"\0\0\0\n", "empty", "empty"),
        ("a.pdf", b"this is no PDF at all", "broken", "PDF"),
        ("a.docx", b"nor is this a DOCX", "broken", "DOCX"),
        ("a.docx", b"PK\x03\x04 cut", "broken", "damaged"),
        ("a.docx", zipped("other/thing.xml"), "broken", "without a Word document"),
        ("a.zip", zipped("paper.pdf"), "unsupported", "zip archive"),
        ("a.docx", zipped("xl/workbook.xml"), "unsupported", "spreadsheet"),
        ("a.pptx", zipped("ppt/presentation.xml"), "unsupported", "presentation"),
        ("a.epub", zipped("META-INF/container.xml"), "unsupported", "e-book"),
        ("a.odt", zipped("content.xml"), "unsupported", "OpenDocument"),
        ("a.doc", bytes.fromhex("d0cf11e0a1b11ae1") + bytes(100), "unsupported", "old Office"),
        ("a.docx", bytes.fromhex("d0cf11e0a1b11ae1") + "EncryptedPackage".encode("utf-16-le"), "locked", "password"),
        ("a.rtf", b"{\\rtf1 text}", "unsupported", "RTF"),
        ("a.png", b"\x89PNG\r\n", "unsupported", "OCR"),
        ("a.gz", gzip.compress(b"text", mtime=0), "unsupported", "compressed"),
        ("a.xml", b"<?xml version='1.0'?><rss/>", "unsupported", "JATS"),
        ("a.nxml", b"text", "broken", "XML"),
    ],
)
def test_a_file_that_cannot_be_read_says_why_in_a_sentence(refusal, name: str, data: bytes, kind: str, word: str):
    found, sentence = refusal(name, data)
    assert found == kind
    assert word in sentence
    assert name in sentence
    assert sentence.endswith(".")


def test_content_decides_before_the_ending(tmp_path: Path, write_docx, write_pdf, page):
    docx = write_docx("<w:p><w:r><w:t>a Word file</w:t></w:r></w:p>", name="paper.pdf")
    assert read_file(docx).documents[0].text.content == "a Word file"
    pdf = write_pdf([page([(50, 700, "a PDF file")])], name="paper.docx")
    assert read_file(pdf).media_type == "application/pdf"
    html = tmp_path / "landing.pdf"
    html.write_text("<!DOCTYPE html><html><body><p>Please log in.</p></body></html>")
    assert read_file(html).media_type == "text/html"
    jats = tmp_path / "article.txt"
    jats.write_text("<article><front/><body><p>JATS.</p></body></article>")
    assert read_file(jats).media_type == "application/jats+xml"


@pytest.mark.parametrize(
    ("name", "text", "media_type"),
    [
        ("a.md", "# Title", "text/markdown"),
        ("a.txt", "# Title", "text/plain"),
        ("README", "# Title", "text/plain"),
        ("notes.rst", "Title", "text/plain"),
        (".notes", "Title", "text/plain"),
        ("Smith et al. 2020", "Title", "text/plain"),
        ("draft v1.2", "Title", "text/plain"),
        ("a.html", "<p>Text", "text/html"),
        ("a.json", '[{"title": "T"}]', "application/json"),
        ("a.jsonl", '{"title": "T"}', "application/jsonl"),
    ],
)
def test_texts_are_read_by_their_ending(tmp_path: Path, name: str, text: str, media_type: str):
    (tmp_path / name).write_text(text)
    result = read_file(tmp_path / name)
    assert result.media_type == media_type
    assert len(result.documents) == 1


@pytest.mark.parametrize(
    ("name", "because"),
    [
        ("slides.PPTX", "it is not what its ending says"),
        ("a.zip", "it is not what its ending says"),
        ("b.7z", "it is not what its ending says"),
        ("letter.doc", "it is not what its ending says"),
        ("code.py", "its ending is not that of a text"),
        ("x.y.config", "its ending is not that of a text"),
    ],
)
def test_a_text_whose_name_says_something_else_is_no_paper(tmp_path: Path, name: str, because: str):
    (tmp_path / name).write_text("Levodopa was given, 300 mg.\n")
    with pytest.raises(SourceError) as refused:
        read_file(tmp_path / name)
    assert refused.value.kind == "unsupported"
    assert str(refused.value).startswith(f"{name} cannot be read as a paper: {because}")
    assert "litloop reads PDF, DOCX, Markdown, text" in str(refused.value)


def test_what_begins_as_something_known_is_read_whatever_its_ending(tmp_path: Path):
    (tmp_path / "refs.csv").write_text("@article{lee2017, title={Statins after stroke}, year=2017}")
    assert read_file(tmp_path / "refs.csv").documents[0].paper.title == "Statins after stroke"


def test_warnings_of_a_corpus_come_with_its_papers(tmp_path: Path):
    path = tmp_path / "corpus.jsonl.gz"
    path.write_bytes(gzip.compress(b"\n".join([json.dumps({"title": "T"}).encode(), b"{"])))
    result = read_file(path)
    assert (len(result.documents), len(result.warnings)) == (1, 1)


def test_missing_files_folders_and_odd_paths_are_refused(tmp_path: Path):
    for path, kind in [(tmp_path / "none.pdf", "missing"), (tmp_path, "unsupported"), (tmp_path / "a\0b", "missing")]:
        with pytest.raises(SourceError) as error:
            read_file(path)
        assert error.value.kind == kind


def test_a_device_is_not_read():
    with pytest.raises(SourceError) as error:
        read_file("/dev/null")
    assert error.value.kind == "unsupported"


@pytest.mark.skipif(os.name == "nt", reason="file modes are of POSIX systems")
def test_a_file_without_permission_is_unreadable():
    with open_folder() as folder:
        path = folder / "secret.txt"
        path.write_text("text")
        path.chmod(0)
        told = tried("read", path)
    assert not told["may_read"]
    assert told["kind"] == "unreadable"
    assert "permission" in told["message"]


@pytest.mark.skipif(sys.platform != "linux", reason="needs a file whose reading fails")
def test_a_file_whose_reading_fails_is_unreadable():
    with pytest.raises(SourceError) as error:
        read_file("/proc/self/mem")
    assert error.value.kind == "unreadable"


def test_a_file_above_the_limit_is_refused_unread(refusal):
    kind, sentence = refusal("a.txt", b"x" * 2000, limits=ReadingLimits(max_file_mb=0.001))
    assert kind == "too_large"
    assert "max_file_mb" in sentence


def test_a_huge_file_is_refused_by_its_size_alone(tmp_path: Path):
    path = tmp_path / "huge.pdf"
    with path.open("wb") as file:
        file.truncate(2_000_000_000)
    with pytest.raises(SourceError) as error:
        read_file(path)
    assert error.value.kind == "too_large"
    assert "2,000 MB" in str(error.value)


def test_the_public_names_are_there_and_others_are_not():
    assert set(reading.__all__) >= {"ReadingPool", "read_file", "iter_corpus", "is_corpus", "find_files", "FoundFiles"}
    assert all(getattr(reading, name) for name in reading.__all__)
    with pytest.raises(AttributeError):
        reading.nothing_of_the_kind  # noqa: B018


@pytest.mark.parametrize("unit", [b"<!---->", b"<!-- a -->\n", b"%\n", b"% a\n \n"])
def test_the_kind_of_a_file_that_begins_with_many_comments_is_told_at_once(unit: bytes, tmp_path: Path) -> None:
    """A pattern that may end a comment at the end of any later one tries every choice of ends: for years."""
    path = tmp_path / "a.txt"
    path.write_bytes(unit * 20_000 + b"\na word")
    assert "a word" in read_file(path).documents[0].text.content
