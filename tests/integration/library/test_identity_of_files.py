"""Files of one work, entries that share a DOI, and DOIs that stand on the wrong page: what is joined and what is not."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from litloop import Library
from litloop.core.records import Paper
from litloop.embedding.hashing import HashingEmbedder
from litloop.testing.scholarly_world import scholarly_world

DATASET, OTHER_DOI = "10.5061/dryad.abc12", "10.5555/sleep.other.99"
OTHER_TITLE = "Snoring in long-distance lorry drivers of the north"


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[..., Library]]:
    made: list[Library] = []

    def open_(name: str = "library", **settings: object) -> Library:
        made.append(Library.open(tmp_path / name, embedder=HashingEmbedder(), **settings))
        return made[-1]

    yield open_
    for library in made:
        library.close()


def papers(library: Library) -> list[Paper]:
    return [paper for paper, _, _ in library.components.catalogue.documents(library.collection().key)]


@pytest.mark.parametrize("order", [("a.ris", "b.bib"), ("b.bib", "a.ris")])
@pytest.mark.parametrize("gone", ["a.ris", "b.bib"])
def test_the_given_records_of_one_work_are_one_paper_in_either_order(
    opened, test_data: Path, order: tuple[str, str], gone: str
) -> None:
    folder = test_data.parent / "cases" / "same_work"
    library = opened()
    for name in order:
        library.add(folder / name)
    (paper,) = papers(library)
    assert paper.abstract.startswith("We treated 64 dialysis patients with pramoxidine.")
    assert (paper.venue, paper.year, paper.authors, paper.ids["doi"]) == (
        "Sleep Reports", 2019, ("Ada Ng",), "10.5555/sleep.orig.1",
    )  # fmt: skip
    library.remove(folder / gone)
    (left,) = papers(library)
    assert left.title == "Pramoxidine for restless legs in dialysis"
    assert bool(left.abstract) == (gone == "b.bib")


def test_the_given_abstracts_of_one_supplement_are_three_papers(opened, test_data: Path) -> None:
    library = opened()
    library.add(test_data.parent / "cases" / "same_work" / "supplement.bib")
    assert sorted(paper.title[:5] for paper in papers(library)) == ["P-101", "P-102", "P-103"]


@pytest.mark.parametrize("name", ["dataset_doi.pdf", "wrong_doi_header.pdf"])
@pytest.mark.parametrize("first", ["pdf", "other"])
def test_a_doi_scraped_from_a_page_takes_over_no_other_paper(
    opened, tmp_path: Path, test_data: Path, name: str, first: str
) -> None:
    doi = DATASET if name.startswith("dataset") else OTHER_DOI
    other = tmp_path / "other.bib"
    other.write_text(
        f"@article{{o, title={{{OTHER_TITLE}}}, author={{Voss, Uwe}}, year=2015, doi={{{doi}}}, abstract={{They snored.}}}}\n",
        encoding="utf-8",
    )
    files = [test_data.parent / "cases" / "pdf" / name, other]
    library = opened()
    for file in files if first == "pdf" else files[::-1]:
        library.add(file)
    titles = {paper.title: paper for paper in papers(library)}
    assert set(titles) == {OTHER_TITLE, "Pramoxidine for restless legs in dialysis"}
    assert titles[OTHER_TITLE].abstract == "They snored."


@pytest.mark.parametrize("name", ["dataset_doi.pdf", "wrong_doi_header.pdf"])
def test_research_joins_nothing_by_a_scraped_doi(opened, test_data: Path, name: str) -> None:
    doi = DATASET if name.startswith("dataset") else OTHER_DOI
    held = Paper(
        "901", OTHER_TITLE, "Snoring was loud in 12 of 30 lorry drivers, and pramoxidine was given to none of them.",
        ("Uwe Voss",), 2015, "Roads", {"pmid": "901", "doi": doi},
    )  # fmt: skip
    with scholarly_world([held]) as world:
        library = opened(
            scholarly=world.settings(attempts=2, breaker_failures=100, arxiv={"base_url": world.address("arxiv"), "min_interval_s": 0}),
            full_text={"enabled": False},
        )  # fmt: skip
        library.add(test_data.parent / "cases" / "pdf" / name)
        answer = library.research("Does pramoxidine help against restless legs of dialysis patients or lorry drivers?")
    by_title = {use.paper.title: use.paper for use in answer.papers}
    assert "Pramoxidine for restless legs in dialysis" in by_title
    own = by_title["Pramoxidine for restless legs in dialysis"]
    assert "snor" not in own.abstract.casefold()
    assert own.authors != ("Uwe Voss",)
    assert own.venue != "Roads"


def test_the_text_of_a_pdf_and_a_record_under_its_own_title_are_joined_all_the_same(opened, tmp_path: Path) -> None:
    """A scraped DOI is a hint: with the title it agrees with, it joins."""
    (tmp_path / "p.md").write_text(
        "# Itch in mules of the plain\n\ndoi:10.5555/mule.7\n\nItch was seen.", encoding="utf-8"
    )
    record = [
        {
            "title": "Itch in mules of the plain",
            "DOI": "10.5555/mule.7",
            "type": "article-journal",
            "author": [{"family": "Ox"}],
        }
    ]
    (tmp_path / "r.json").write_text(json.dumps(record), encoding="utf-8")
    library = opened()
    library.add([tmp_path / "p.md", tmp_path / "r.json"])
    assert [paper.title for paper in papers(library)] == ["Itch in mules of the plain"]
