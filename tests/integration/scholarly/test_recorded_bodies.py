"""Every recorded body of the seven databases, read by its adapter."""

from __future__ import annotations

import importlib
import json
from collections import Counter
from pathlib import Path

import pytest

from litloop.core.identifiers import normal_ids
from litloop.net.faults import UnreadableBody
from litloop.scholarly import pubmed

# Recorded bodies that give works, recorded bodies of that database in all, and how many works they give.
READ = {
    "openalex": (12, 13, 15),
    "semantic_scholar": (44, 55, 1532),
    "arxiv": (9, 12, 29),
    "pubmed": (7, 29, 11),
    "crossref": (48, 91, 109),
    "europepmc": (7, 10, 133),
    "unpaywall": (8, 9, 9),
}


@pytest.fixture(scope="module")
def recorded(test_data: Path) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = json.loads((test_data / "api_responses" / "index.json").read_text("utf-8"))
    return [{**row, "body": (test_data / "api_responses" / str(row["file"])).read_bytes()} for row in rows]


@pytest.mark.parametrize("database", READ)
def test_every_recorded_body_is_read_or_refused_with_a_reason(database, recorded):
    read = importlib.import_module(f"litloop.scholarly.{database}").page_of
    bodies = [row for row in recorded if str(row["file"]).startswith(f"{database}/")]
    with_works, works, refused = 0, [], Counter()
    for row in bodies:
        try:
            page = read(row["body"])
        except UnreadableBody as error:
            refused[str(error)] += 1
            continue
        with_works += bool(page)
        works += page.works
    assert (with_works, len(bodies), len(works)) == READ[database]
    assert all(reason for reason in refused)


@pytest.mark.parametrize("database", READ)
def test_what_is_read_is_in_normal_form(database, recorded):
    read = importlib.import_module(f"litloop.scholarly.{database}").page_of
    for row in recorded:
        if not str(row["file"]).startswith(f"{database}/"):
            continue
        try:
            works = read(row["body"]).works
        except UnreadableBody:
            continue
        for work in works:
            assert work.provider == database
            assert work.ids == normal_ids(work.ids)
            assert work.title or work.ids or work.full_texts or work.year or work.citations is not None
            assert not any(tag in work.title + work.abstract for tag in ("<jats", "</", "<i>", "<sub", "&amp;", "&lt;"))
            assert work.year is None or 1400 < work.year < 2200
            assert all(place.url.startswith(("http://", "https://")) for place in work.full_texts)


def test_recorded_error_bodies_are_refused_not_read_as_an_empty_literature(recorded):
    for row in recorded:
        database = str(row["file"]).split("/")[0]
        if database not in READ or row["status"] in (200, 301):
            continue
        with pytest.raises(UnreadableBody):
            importlib.import_module(f"litloop.scholarly.{database}").page_of(row["body"])


def test_recorded_lists_of_pubmed_ids_are_read_from_json_and_xml(recorded):
    counts = {}
    for row in recorded:
        if "esearch" in str(row["file"]) and str(row["file"]).startswith("pubmed/"):
            ids, count = pubmed.ids_of(row["body"])
            counts[str(row["file"])] = (len(ids), count)
    assert len(counts) == 9
    assert counts["pubmed/fp_pubmed_esearch.json"] == (3, 115258)
    assert counts["pubmed/bp_esearch8.xml"] == (0, 0)
    assert all(count is not None and found <= count for found, count in counts.values())


def test_a_known_paper_is_read_with_all_its_parts(recorded):
    bodies = {row["file"]: row["body"] for row in recorded}

    def work(database, file, place=0):
        return (
            importlib.import_module(f"litloop.scholarly.{database}").page_of(bodies[f"{database}/{file}"]).works[place]
        )

    openalex = work("openalex", "test_doi_search_paper_attributes4.json")
    assert openalex.ids == {"doi": "10.1073/pnas.1414271111", "pmid": "25349395", "pmcid": "PMC4234579",
                            "openalex": "W2109415576"}  # fmt: skip
    assert openalex.abstract.startswith("Significance The inadequate mechanical properties")
    assert (openalex.year, openalex.kind, openalex.citations, len(openalex.references)) == (2014, "article", 138, 73)
    assert openalex.authors[0] == "Eleftherios Makris"
    assert openalex.full_texts[0].format == "pdf"

    preprint = work("crossref", "test_bulk_doi_search.json")
    assert (preprint.kind, preprint.venue, preprint.year) == ("preprint", "bioRxiv", 2024)
    assert preprint.relations == {"preprint_of": ("10.1016/j.xgen.2025.100814",)}
    assert preprint.abstract.startswith("Understanding the effects")
    assert "targeting SMARCB1 for" in preprint.abstract

    arxiv = work("arxiv", "fp_arxiv_search.xml")
    assert arxiv.title.startswith("Déjà vu")
    assert (arxiv.ids, arxiv.year, arxiv.kind) == ({"arxiv": "2002.00741"}, 2020, "preprint")

    gut = work("pubmed", "bp_pubmed4.xml", -1)
    assert gut.ids == {"doi": "10.1136/gutjnl-2016-312510", "pmid": "27797938", "pmcid": "PMC5442267"}
    assert gut.abstract.startswith("OBJECTIVE: Telomere shortening")
    assert gut.authors[0] == "Ying Bao"

    open_copy = work("unpaywall", "fp_unpaywall_lookup.json")
    assert open_copy.full_texts[0].url == "https://www.nature.com/articles/nature12373.pdf"
    assert open_copy.full_texts[0].version == "published"

    lite = work("europepmc", "pe_search_cancer.json")
    assert lite.authors[0] == "JD Schoenfeld"
    assert not lite.title.endswith(".")
