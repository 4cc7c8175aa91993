from __future__ import annotations

from pathlib import Path

import pytest

from litloop.reading.assembly import Block, build_text
from litloop.reading.metadata import (
    abstract_of,
    authors_of,
    clean_doi,
    described_document,
    document_id,
    identifiers,
    published_year,
    sensible_title,
    year_of,
)


@pytest.mark.parametrize(
    "noise",
    [
        "",
        "untitled",
        "Microsoft Word - thesis_final.doc",
        "paper.pdf",
        "Binder1.pdf",
        "Layout 1",
        "12 345",
        "arXiv:2103.15348v2",
        "x",
    ],
)
def test_file_names_and_placeholders_are_no_titles(noise: str):
    assert sensible_title(noise) == ""


def test_a_title_is_put_on_one_line():
    assert sensible_title(" A  Study\nof ﬁsh. ") == "A Study of fish"


def test_an_account_name_is_no_author():
    assert authors_of("cheng") == ()
    assert authors_of("root; admin@example.org") == ()
    assert authors_of("Ada Lovelace; Charles Babbage") == ("Ada Lovelace", "Charles Babbage")
    assert authors_of("Ada Lovelace, Charles Babbage, Mary Somerville") == (
        "Ada Lovelace",
        "Charles Babbage",
        "Mary Somerville",
    )
    assert authors_of("Ada Lovelace and Charles Babbage") == ("Ada Lovelace", "Charles Babbage")


@pytest.mark.parametrize(
    ("page", "year"),
    [
        ("© The Author 2012. Published by a press.", 2012),
        ("Copyright © 2019 Elsevier Ltd.", 2019),
        ("Published online: 3 March 2020", 2020),
        ("arXiv:2103.15348v2 [cs.CV] 21 Jun 2021", 2021),
        ("J. Examples (2013) 24: 843-850", 2013),
        ("Ann Oncol. 2013;24(3):843", 2013),
        ("Received 26 April 2011; accepted 7 September 2012", 2012),
        ("January 3, 2024", 2024),
        ("patients treated from 1999 to 2005 in 2010 beds", None),
        ("© 3012", None),
    ],
)
def test_a_year_is_taken_only_where_it_is_one_of_publication(page: str, year: int | None):
    assert published_year(page) == year


def test_year_of_reads_dates_and_refuses_numbers():
    assert year_of("2016-05-01") == 2016
    assert year_of("2016 Jan") == 2016
    assert year_of("12016") is None


def test_a_labelled_doi_is_taken_and_several_unlabelled_ones_are_not():
    assert identifiers("https://doi.org/10.1093/ANNONC/mds526). more")["doi"] == "10.1093/annonc/mds526"
    assert identifiers("see 10.1000/one and 10.1000/two") == {}
    assert identifiers("only 10.1000/one, here") == {"doi": "10.1000/one"}
    assert identifiers("PMID: 23149571 PMC3574550 arXiv:math.GT/0309136") == {
        "pmid": "23149571", "pmcid": "PMC3574550", "arxiv": "math.GT/0309136",
    }  # fmt: skip


def test_a_doi_loses_its_resolver_and_the_punctuation_around_it():
    assert clean_doi(" https://dx.doi.org/10.1016/S0140-6736(05)61788-0). ") == "10.1016/s0140-6736(05)61788-0"


def test_the_abstract_is_the_section_of_that_name_or_the_paragraph_it_leads():
    headed = build_text(
        [Block("Abstract", level=2), Block("One."), Block("Two."), Block("Introduction", level=2), Block("x")], "x/1"
    )
    assert abstract_of(headed) == "One. Two."
    led = build_text([Block("Title", level=1), Block("Abstract. One sentence."), Block("Not part of it.")], "x/1")
    assert abstract_of(led) == "One sentence."
    assert abstract_of(build_text([Block("Nothing of the kind.")], "x/1")) == ""


def test_a_document_is_described_by_what_can_be_trusted(tmp_path: Path):
    text = build_text(
        [Block("Contents", level=1), Block("The real title", level=1), Block("doi:10.1/x 10.1234/x1")], "x/1"
    )
    paper = described_document(
        tmp_path / "scan 01.pdf", text, {"title": "scan01.tif.pdf", "author": "Ada Lovelace", "year": "1843-09"}
    )
    assert paper.title == "The real title"
    assert (paper.authors, paper.year) == (("Ada Lovelace",), 1843)
    assert paper.provenance["title"] == "scan 01.pdf"
    assert paper.id.startswith("scan-01-")


def test_a_heading_deep_in_the_text_is_not_the_title(tmp_path: Path):
    text = build_text([Block("word " * 600), Block("Chapter One", level=1)], "x/1")
    assert described_document(tmp_path / "book.txt", text).title == "book"


def test_ids_are_made_for_any_file_name(tmp_path: Path):
    assert document_id(tmp_path / "???.pdf").startswith("document-")
    assert document_id(tmp_path / "研究 論文.pdf").startswith("研究-論文-")
    assert len(document_id(tmp_path / ("x" * 200 + ".pdf"))) == 67


MASTHEADS = [
    ("Sleep Reports", "RESEARCH ARTICLE"), ("Annals of Goat Medicine", "Vol. 12, No. 3 (2019)"), ("The Mule", "Case report"),
    ("Journal of Itch", "ISSN 1234-5678"), ("Itch", "www.itch.example"), ("Itch Letters", "2019; 12(3): 1-8"),
]  # fmt: skip


@pytest.mark.parametrize(("journal", "under"), MASTHEADS)
def test_the_name_of_the_journal_over_a_paper_is_not_its_title(journal: str, under: str):
    blocks = [Block(journal, 1), Block(under), Block("Sedation of goats by gabapentin", 2), Block("Goats slept.")]
    paper = described_document(Path("x.pdf"), build_text(blocks, "t/1"))
    assert paper.title == "Sedation of goats by gabapentin"


@pytest.mark.parametrize(
    "blocks",
    [
        [Block("Sedation in goats", 1), Block("Ada Ng, Bo Berg"), Block("Methods and materials used", 2)],
        [Block("Sedation in goats", 1), Block("Case report"), Block("Methods", 2)],
        [Block("Sedation in goats", 1), Block("Abstract"), Block("Goats slept.")],
        [Block("Sedation of goats and of mules by gabapentin", 1), Block("Research article"), Block("A closer look at goats", 2)],
    ],
)  # fmt: skip
def test_a_short_title_stays_the_title(blocks: list[Block]):
    assert described_document(Path("x.pdf"), build_text(blocks, "t/1")).title == blocks[0].text


def test_the_given_masthead_is_not_the_title(test_data: Path):
    from litloop.reading import read_file

    (document,) = read_file(test_data.parent / "cases" / "pdf" / "masthead.pdf").documents
    assert document.paper.title == "Pramoxidine for restless legs in dialysis"
