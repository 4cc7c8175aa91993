"""A BibTeX file in which everything is odd: what is read of it today comes back from every format."""

from __future__ import annotations

from pathlib import Path

import pytest

from litloop.core.records import Paper
from litloop.reading import read_file
from litloop.references import format_named

ENDINGS = {"bibtex": ".bib", "ris": ".ris", "csl-json": ".json"}
OWN = r"""
@STRING(press = {Nieuwe \& Zonen})
words between the entries, with an @ sign
@book{zw\"olf:1, author = {{Institut f{\"u}r Alles und Nichts} and Vries, Jr., Jan de}, title = {Ein {GABA}-Buch: 5\% {\ss}}, publisher = press, year = 1987, abstract = {Ruhe.}}
@article{open, author = {X}, title = {Never {closed}, year = 1}
@misc(paren, title = "In parentheses", author = {Le Guin, Ursula}, date = {2003-11}, url = {https://example.org/~a/b_c?d=%20}, abstract = {Still.})
@inproceedings{son, author = {{\'E}mile Zola}, crossref = {father}, title = {Son}, abstract = {Child.}}
@proceedings{father, title = {Acts of the Fathers}, booktitle = {Acts of the Fathers}, year = 1877}
"""


def papers_of(path: Path) -> list[Paper]:
    from litloop.reading import is_corpus, iter_corpus

    documents = iter_corpus(path) if is_corpus(path) else read_file(path).documents
    return [document.paper for document in documents]


def written_and_read(papers: list[Paper], name: str, folder: Path) -> list[Paper]:
    path = folder / f"again{ENDINGS[name]}"
    path.write_text("".join(format_named(name).write(papers)), encoding="utf-8")
    return papers_of(path)


def told(paper: Paper) -> tuple[object, ...]:
    return (
        paper.title, paper.authors, paper.year, paper.venue, dict(paper.ids), paper.abstract, paper.labels.get("keywords"),
    )  # fmt: skip


@pytest.fixture
def given(test_data: Path) -> Path:
    return test_data.parent / "cases" / "bibtex" / "hard.bib"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own.bib"
    path.write_text(OWN, encoding="utf-8")
    return path


def test_every_entry_that_has_a_meaning_is_read_and_the_broken_one_named(given: Path) -> None:
    result = read_file(given)
    keys = [document.paper.labels["citation_key"] for document in result.documents]
    assert keys == [
        "garcia2010", "child1", "proc2011", "who", "müller:2020/ß_1", "dup", "dup", "online1", "thesis1", "chap1", "after", "xdata1", "UPPER",
        "noeq", "last1",
    ]  # fmt: skip
    assert len({document.paper.id for document in result.documents}) == 15
    assert result.warnings == ("hard.bib: entry nobrace is not closed: a brace is missing.",)


def test_names_signs_and_addresses_of_the_odd_entries_are_right(given: Path) -> None:
    by_key = {paper.labels["citation_key"]: paper for paper in papers_of(given)}
    first = by_key["garcia2010"]
    assert first.authors == (
        "José García-Márquez", "Søren Østergaard", "Antonín Dvořák", "Jürgen Müller", "Łukasz Kowalski",
    )  # fmt: skip
    assert (first.title, first.venue) == ("The HIV-1 Tat Protein: in vivo effects of β-amyloid", "Journal of Neurology")
    assert first.abstract == "Levels rose by 12% (p < 0.05)."
    assert by_key["child1"].authors == (
        "Juan de la Cruz",
        "Piet van den Berg",
        "Ludwig von Beethoven",
        "John Smith Jr.",
    )
    assert (by_key["child1"].year, by_key["child1"].title) == (2011, 'Quoted title with "inner quotes" and 50% & more')
    assert by_key["who"].authors == ("World Health Organization and United Nations",)
    assert by_key["online1"].url == "https://example.org/a_b%20c?x=1&y=2"
    assert by_key["last1"].authors == ("Zoe Zed", "The ABC Group")


def test_odd_entries_of_another_file_are_read_too(own: Path) -> None:
    result = read_file(own)
    by_key = {document.paper.labels["citation_key"]: document.paper for document in result.documents}
    book = next(paper for key, paper in by_key.items() if str(key).startswith("zw"))
    assert book.authors == ("Institut für Alles und Nichts", "Jan de Vries Jr.")
    assert (book.title, book.venue) == ("Ein GABA-Buch: 5% ß", "Nieuwe & Zonen")
    assert (by_key["son"].authors, by_key["son"].year) == (("Émile Zola",), 1877)
    assert (by_key["paren"].year, by_key["paren"].url) == (2003, "https://example.org/~a/b_c?d=%20")
    assert any("open" in warning for warning in result.warnings)


@pytest.mark.parametrize("name", ENDINGS)
@pytest.mark.parametrize("source", ["given", "own"])
def test_what_is_kept_comes_back_from_every_format(request, tmp_path: Path, name: str, source: str) -> None:
    papers = papers_of(request.getfixturevalue(source))
    again = written_and_read(papers, name, tmp_path)
    assert list(map(told, again)) == list(map(told, papers))
    urls = [(after.url, before.url) for after, before in zip(again, papers, strict=True) if before.url]
    assert urls
    assert all(after == before for after, before in urls)  # one without an address gets that of its DOI


@pytest.mark.parametrize("source", ["given", "own"])
def test_keys_come_back_from_bibtex_and_a_key_given_twice_stays_apart(request, tmp_path: Path, source: str) -> None:
    papers = papers_of(request.getfixturevalue(source))
    keys = [str(paper.labels["citation_key"]) for paper in written_and_read(papers, "bibtex", tmp_path)]
    assert len(set(keys)) == len(papers)
    before = [str(paper.labels["citation_key"]) for paper in papers]
    plain = {key for key in before if key.isascii() and key.isalnum() and before.count(key) == 1}
    assert len(plain) >= 3
    assert plain <= set(keys)
