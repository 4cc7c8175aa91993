"""The loopback world speaks as the real databases do: its bodies have the structure of recorded ones."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from litloop.scholarly.protocol import ScholarlyQuery
from litloop.scholarly.registry import make_providers
from litloop.testing.scholarly_world import scholarly_world
from support.scholarly_world import medline_papers, scholarly_settings, way_out

RECORDED = {
    "openalex": ["openalex/fp_openalex_search.json", "openalex/test_title_search_paper_attributes0.json",
                 "openalex/test_doi_search_paper_attributes4.json"],
    "semantic_scholar": ["semantic_scholar/fp_semantic_search.json", "semantic_scholar/test_bulk_doi_search_5.json",
                         "semantic_scholar/test_bulk_doi_search_4.json", "semantic_scholar/fp_semantic_references.json",
                         "semantic_scholar/test_doi_search_paper_attributes4.json"],
    "crossref": ["crossref/fp_crossref_search.json", "crossref/test_works_field_queries.json",
                 "crossref/test_works_with_one_id.json", "crossref/test_doi_search_paper_attributes4.json"],
    "europepmc": ["europepmc/pe_search_cancer_core.json"],
    "unpaywall": ["unpaywall/fp_unpaywall_lookup.json", "unpaywall/test_doi_search_paper_attributes0.json"],
    "tavily": ["tavily/readme_sample.json"],
}  # fmt: skip
# Parts that no recorded body happens to hold, although the interfaces document them.
DOCUMENTED = {
    "openalex": {".pmcid", ".abstract_inverted_index."},
    "crossref": {".relation.has-preprint", ".updated-by"},
    "europepmc": {".nextCursorMark"},
    "semantic_scholar": {".externalIds.PubMedCentral"},
}  # fmt: skip


@pytest.fixture(scope="module")
def world(test_data: Path):
    with scholarly_world(medline_papers(test_data, 120)) as made:
        yield made


def got(url: str, body: object = None) -> bytes:
    data = json.dumps(body).encode() if body is not None else None
    request = urllib.request.Request(url, data, {"Authorization": "Bearer tvly-0123456789"})
    with urllib.request.urlopen(request) as reply:
        return reply.read()


def shape(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """(path, kind of value) of every leaf; list items share a path, and so do the words of an inverted index."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from shape(inner, f"{path}.{'*' if path.endswith('abstract_inverted_index') else name}")
    elif isinstance(value, list):
        for inner in value:
            yield from shape(inner, path + "[]")
    else:
        yield path, "number" if isinstance(value, int | float) and not isinstance(value, bool) else type(value).__name__


ASKED = {
    "openalex": "/works?search=myelin&per_page=100",
    "semantic_scholar": "/paper/search?query=myelin&limit=100&fields=externalIds,url,title,abstract,venue,year,"
    "citationCount,openAccessPdf,publicationTypes,journal,authors",
    "crossref": "/works?query=myelin&rows=100",
    "europepmc": "/search?query=myelin&resultType=core&pageSize=100&format=json",
}


@pytest.mark.parametrize("database", ASKED)
def test_a_page_has_the_structure_of_a_recorded_page(database, world, test_data):
    recorded: dict[str, set[str]] = {}
    for file in RECORDED[database]:
        body = json.loads((test_data / "api_responses" / file).read_text("utf-8"))
        for path, kind in shape(body):
            # A work alone, a work of a list, and a work wrapped by a citation are one structure.
            for prefix in (".results[]", ".message.items[]", ".message", ".data[].citedPaper", ".data[]", ""):
                if path.startswith(prefix):
                    recorded.setdefault(path.removeprefix(prefix), set()).add(kind)
    page = json.loads(got(world.address(database) + ASKED[database]))
    strange = []
    for whole, kind in set(shape(page)):
        path = whole.removeprefix(".results[]").removeprefix(".message.items[]").removeprefix(".data[]")
        known = recorded.get(path, set())
        documented = any(part in f"{path}." for part in DOCUMENTED.get(database, ()))
        if (
            kind not in known
            and not documented
            and not (kind == "NoneType" or ("NoneType" in known and len(known) == 1))
        ):
            strange.append((path, kind, known))
    assert not strange


def test_an_unpaywall_record_and_a_tavily_page_have_the_structure_of_recorded_ones(world, test_data):
    doi = next(one.ids["doi"] for one in world.records if one.open and "openalex" in one.known_to and "doi" in one.ids)
    asked = {
        "unpaywall": json.loads(got(f"{world.address('unpaywall')}/{doi}?email=a@example.org")),
        "tavily": json.loads(got(world.address("tavily") + "/search", {"query": "myelin"})),
    }
    for database, body in asked.items():
        recorded = [json.loads((test_data / "api_responses" / file).read_text("utf-8")) for file in RECORDED[database]]
        known = {pair for one in recorded for pair in shape(one)}
        named = {path for path, _ in known}
        assert {pair for pair in shape(body) if pair not in known and pair[0] not in named} == set()


@pytest.mark.parametrize(
    ("database", "asked", "files"),
    [
        ("arxiv", "/query?search_query=all:myelin&max_results=50", ["arxiv/fp_*.xml", "arxiv/q_*.xml"]),
        (
            "pubmed",
            "/efetch.fcgi?db=pubmed&id={pmids}&retmode=xml",
            ["pubmed/fp_pubmed_efetch.xml", "pubmed/bp_pubmed*.xml"],
        ),
    ],
)
def test_xml_has_the_elements_of_recorded_xml(database, asked, files, world, test_data):
    def elements(element: ElementTree.Element, path: str = "") -> Iterator[str]:
        yield path
        for child in element:
            yield from elements(child, f"{path}/{child.tag}")

    pmids = ",".join(one.ids["pmid"] for one in world.records if "pubmed" in one.known_to)
    ours = ElementTree.fromstring(got(world.address(database) + asked.format(pmids=pmids)))
    theirs = {
        path
        for name in files
        for file in (test_data / "api_responses").glob(name)
        for path in elements(ElementTree.parse(file).getroot())
    }
    assert len(list(ours)) > 3
    assert set(elements(ours)) - theirs == set()


def test_the_same_corpus_is_the_same_world(test_data):
    papers = medline_papers(test_data, 30)
    with scholarly_world(papers) as one, scholarly_world(papers) as other:
        assert one.records == other.records


def test_pages_follow_one_another_without_gap_or_repeat(world):
    def ids(query: str) -> list[str]:
        return [one["DOI"] for one in json.loads(got(world.address("crossref") + query))["message"]["items"]]

    whole = ids("/works?query=myelin&rows=20")
    assert ids("/works?query=myelin&rows=10") + ids("/works?query=myelin&rows=10&offset=10") == whole
    pages = [json.loads(got(f"{world.address('openalex')}/works?search=myelin&per_page=5&page={n}")) for n in (1, 2)]
    assert len({work["id"] for page in pages for work in page["results"]}) == 10


def test_unknown_fields_and_missing_addresses_are_refused_as_recorded(world, test_data):
    with pytest.raises(urllib.error.HTTPError, match="400") as refused:
        got(world.address("semantic_scholar") + "/paper/search?query=myelin&fields=unknown")
    recorded = (test_data / "api_responses/semantic_scholar/test_bad_query_parameters.json").read_text("utf-8")
    assert json.loads(refused.value.read()) == json.loads(recorded)
    with pytest.raises(urllib.error.HTTPError, match="422"):
        got(world.address("unpaywall") + "/10.1000/1")


@pytest.mark.anyio
async def test_what_six_databases_say_of_a_paper_is_what_the_corpus_holds(world, test_data):
    settings = scholarly_settings(**world.settings())
    by_pmid = {paper.id: paper for paper in medline_papers(test_data, 120)}
    async with way_out(settings) as transport:
        for provider in make_providers(["openalex", "semantic_scholar", "pubmed", "europepmc"], settings, transport):
            reply = await provider.search(ScholarlyQuery("myelin oligodendrocyte", limit=20))
            assert len(reply.works) == 20
            for work in reply.works:
                paper = by_pmid[work.ids["pmid"]]
                assert work.title.rstrip(".").split() == paper.title.rstrip(".").strip("[]").rstrip(".").split()
                assert work.year == paper.year
                assert len(work.authors) == len(paper.authors)
                assert work.abstract.split()[-5:] == paper.abstract.split()[-5:] or not work.abstract


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
