"""Exports of other kinds are named with what to export instead, and never become one paper."""

from __future__ import annotations

import contextlib
import json
import time

import pytest

from litloop.core.errors import SourceError
from litloop.reading import iter_corpus, read_file
from litloop.reading.media import kind_of

EXPORTS = {
    "savedrecs.txt": ("FN Thomson Reuters Web of Science\nVR 1.0\nPT J\nAU Ng, A\nTI A title\nER\n\nEF\n", "Web of Science"),
    "isi.ciw": ("PT J\nAU Ng, A\nTI A title\nER\n", "Web of Science"),
    "refs.txt": ("%0 Book\n%T A title\n%A Ng, Ada\n%D 2019\n", "EndNote"),
    "refs.enw": ("%T A title\n%A Ng, Ada\n%D 2019\n%0 Journal Article\n", "EndNote"),
    "refs.xml": ("<?xml version='1.0'?><xml><records><record><database name='x'>y</database></record></records></xml>", "EndNote"),
    "refworks.txt": ("RT Journal Article\nSR Electronic\nA1 Ng, Ada\nT1 A title\n", "RefWorks"),
    "ovid.txt": ("VN  - Ovid Technologies\nDB  - Embase\n<1>\n", "Ovid"),
    "abstracts.txt": (
        "1. Sleep. 2019 Mar;12(3):1-5. doi: 10.5555/s.1.\n\nA title of it.\n\nNg A(1).\n\nWe treated 64 patients.\n\nPMID: 30012345 [Indexed]\n",
        "PubMed",
    ),
    "pubmed.xml": ("<?xml version='1.0'?><PubmedArticleSet><PubmedArticle/></PubmedArticleSet>", "PubMed"),
    "mods.xml": ("<?xml version='1.0'?><modsCollection><mods/></modsCollection>", "MODS"),
    "scopus.csv": ('"Authors","Title","Year"\n"Ng A.","A title","2019"\n', "CSV"),
    "table.tsv": ("Title\tYear\nA title\t2019\n", "TSV"),
}  # fmt: skip


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_is_named_with_what_to_export_instead(tmp_path, name: str) -> None:
    text, kind = EXPORTS[name]
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SourceError) as error:
        read_file(path)
    assert error.value.kind == "unsupported"
    assert kind in str(error.value)
    assert "RIS" in str(error.value) or ".nbib" in str(error.value)


def test_an_export_in_utf_16_is_told_too(tmp_path) -> None:
    path = tmp_path / "savedrecs.txt"
    path.write_text(EXPORTS["savedrecs.txt"][0], encoding="utf-16")
    with pytest.raises(SourceError, match="Web of Science"):
        read_file(path)


@pytest.mark.parametrize(
    "content",
    [
        {"config": {"label": "x"}, "items": [{"itemType": "book", "title": "A title", "creators": []}]},
        [{"itemType": "journalArticle", "title": "A title", "abstractNote": "Words."}],
        [{"key": "A", "version": 1, "data": {"itemType": "journalArticle", "title": "A title"}}],
    ],
)
def test_items_of_zotero_are_not_taken_for_papers_of_a_corpus(tmp_path, content) -> None:
    path = tmp_path / "library.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(SourceError, match=r"Zotero or Better BibTeX.*export the library as CSL JSON"):
        list(iter_corpus(path))


@pytest.mark.parametrize(
    "text",
    [
        "FN stands for false negative.\nPT is physiotherapy.", "% a comment\n\nProse about 50 % of them.", "1. Introduction\n\nWe found something.",
        "<1> is a tag\nand more", "RT was given.", "%T is a sign of a format\nand more prose",
    ],
)  # fmt: skip
def test_prose_that_begins_alike_stays_prose(tmp_path, text: str) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(text, encoding="utf-8")
    assert kind_of(path) == "plain"


def test_a_corpus_of_ones_own_may_have_a_field_of_that_name(tmp_path) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_text(json.dumps({"title": "A title", "abstract": "Words.", "itemType": "x"}) + "\n", encoding="utf-8")
    assert [document.paper.title for document in iter_corpus(path)] == ["A title"]


@pytest.mark.parametrize("start", ["1. ", "%0 ", "PT J\n", "\n", "%T x\n", "1. 12345678901\n"])
def test_telling_a_kind_is_quick_whatever_the_file_holds(tmp_path, start: str) -> None:
    path = tmp_path / "long.txt"
    path.write_text(start * (1_000_000 // len(start)) + ".", encoding="utf-8")
    started = time.monotonic()
    with contextlib.suppress(SourceError):
        kind_of(path)
    assert time.monotonic() - started < 2


@pytest.mark.parametrize("name", ["wos.txt", "endnote.enw"])
def test_the_given_exports_are_named(test_data, name: str) -> None:
    with pytest.raises(SourceError, match=r"(Web of Science|EndNote).*export the records as RIS or BibTeX"):
        read_file(test_data.parent / "cases" / "imports" / name)


def test_the_given_export_of_better_bibtex_is_named(test_data) -> None:
    with pytest.raises(SourceError, match="Better BibTeX"):
        list(iter_corpus(test_data.parent / "cases" / "imports" / "bbt.json"))
