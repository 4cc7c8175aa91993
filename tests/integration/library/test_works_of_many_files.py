from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from litloop import Library
from litloop.catalogue import CatalogueWriter
from litloop.embedding.hashing import HashingEmbedder

ABSTRACT = "Pramoxidine shortened the time to sleep by 12 minutes in 64 patients on dialysis."
RIS = f"TY  - JOUR\nTI  - Pramoxidine for restless legs\nAU  - Ng, Ada\nPY  - 2019\nDO  - 10.5555/a\nAB  - {ABSTRACT}\nER  - \n"
BIB = "@article{ng, title={Pramoxidine for restless legs}, author={Ng, Ada}, year={2019}, doi={10.5555/a}, journal={Sleep}}\n"
OTHER = "@article{li, title={Light therapy for shift workers}, author={Li, Bo}, year={2011}, doi={10.5555/b}}\n"


@pytest.fixture
def opened(tmp_path: Path):
    made: list[Library] = []

    def open_(name: str = "library") -> Library:
        made.append(Library.open(tmp_path / name, embedder=HashingEmbedder()))
        return made[-1]

    yield open_
    for library in made:
        library.close()


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    written = {}
    for name, text in (("a.ris", RIS), ("b.bib", BIB), ("c.bib", BIB + OTHER)):
        written[name] = tmp_path / name
        written[name].write_text(text, encoding="utf-8")
    return written


def state(library: Library) -> list[tuple[object, ...]]:
    """All that a reader can see: papers with their texts, and passages as they are found."""
    held = library.collection()
    catalogue = library.components.catalogue
    return [
        (paper, text.content, [stored.passage.text for stored in catalogue.passages_of(held.key, paper.id)])
        for paper, text, _ in catalogue.documents(held.key)
    ]


def test_a_bare_reference_takes_nothing_from_a_record_with_an_abstract(opened: Callable[..., Library], files) -> None:
    library = opened()
    library.add(files["a.ris"])
    report = library.add(files["b.bib"])
    ((paper, text, _),) = state(library)
    assert text == ABSTRACT
    assert (paper.abstract, paper.venue, paper.authors) == (ABSTRACT, "Sleep", ("Ada Ng",))
    assert (report.papers_joined, report.papers_added) == (1, 0)
    assert library.search("time to sleep", mode="sparse").hits[0].passage.paper_id == paper.id


def test_the_order_in_which_files_come_does_not_matter(opened: Callable[..., Library], files) -> None:
    names = list(files)
    random.Random(4).shuffle(names)
    one, other = opened("one"), opened("other")
    for name in files:
        one.add(files[name])
    other.add([files[name] for name in names])
    assert state(one) == state(other)


@pytest.mark.parametrize("gone", ["a.ris", "b.bib", "c.bib"])
def test_removing_a_file_leaves_what_the_others_gave(opened: Callable[..., Library], files, gone: str) -> None:
    all_of_them, without = opened("all"), opened("without")
    all_of_them.add(list(files.values()))
    without.add([path for name, path in files.items() if name != gone])
    all_of_them.remove(files[gone])
    assert state(all_of_them) == state(without)
    reports, _ = all_of_them.verify()
    assert [report.problems for report in reports] == [()]


def test_a_file_that_tells_less_than_before_takes_only_its_own_back(opened: Callable[..., Library], files) -> None:
    library = opened()
    library.add(list(files.values()))
    files["c.bib"].write_text(OTHER, encoding="utf-8")
    library.add(files["c.bib"])
    assert len(state(library)) == 2
    files["a.ris"].write_text(RIS.replace(ABSTRACT, "Withdrawn."), encoding="utf-8")
    library.add(files["a.ris"])
    assert {text for _, text, _ in state(library)} == {"Withdrawn.", ""}


def test_a_second_copy_of_a_file_is_a_second_file_of_its_papers(
    opened: Callable[..., Library], files, tmp_path
) -> None:
    copy = tmp_path / "copy.ris"
    copy.write_text(RIS, encoding="utf-8")
    library = opened()
    library.add([files["a.ris"], copy])
    library.remove(files["a.ris"])
    assert [text for _, text, _ in state(library)] == [ABSTRACT]


def test_a_run_stopped_before_works_were_put_together_is_ended_by_the_next(
    opened: Callable[..., Library], files, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = opened()
    library.add(files["a.ris"])
    with monkeypatch.context() as stopped:
        stopped.setattr(CatalogueWriter, "show_works", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            library.add(files["b.bib"])
    assert [text for _, text, _ in state(library)] == [ABSTRACT]  # shown as it was
    (report,), _ = library.verify()
    assert report.problems  # and said so
    library.add([files["a.ris"], files["b.bib"]])
    ((paper, _, _),) = state(library)
    assert paper.venue == "Sleep"
    assert library.verify()[0][0].sound


def test_repair_puts_works_together_that_were_left_apart(
    opened: Callable[..., Library], files, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = opened()
    library.add([files["a.ris"], files["b.bib"]])
    key = library.collection().key
    with library.components.catalogue.database.write() as db:
        db.execute("DELETE FROM members WHERE collection = ?", (key,))
    assert not library.verify()[0][0].sound
    library.verify(repair=True)
    ((paper, text, _),) = state(library)
    assert (paper.venue, text) == ("Sleep", ABSTRACT)
    assert library.verify()[0][0].sound


def test_reindexing_keeps_what_each_file_gave(opened: Callable[..., Library], files) -> None:
    library = opened()
    library.add(list(files.values()))
    before = state(library)
    library.reindex()
    assert state(library) == before
    library.remove(files["a.ris"])
    assert "" in {text for _, text, _ in state(library)}


def test_abstracts_of_a_supplement_under_one_doi_stay_papers_of_their_own(
    opened: Callable[..., Library], tmp_path
) -> None:
    entries = [("P-1 Cramps in dialysis", "Berg, Bo"), ("P-2 Itch in dialysis", "Zed, Cy"), ("P-3 Sleep", "Ng, Ada")]
    (tmp_path / "days.bib").write_text("".join(
        f"@inproceedings{{p{n}, author={{{who}}}, title={{{title}}}, year=2022, doi={{10.5555/suppl}}, "
        f"abstract={{Abstract number {n} tells of it.}}}}\n" for n, (title, who) in enumerate(entries)
    ), encoding="utf-8")  # fmt: skip
    library = opened()
    library.add(tmp_path / "days.bib")
    assert sorted(paper.title for paper, _, _ in state(library)) == sorted(title for title, _ in entries)
    assert library.verify()[0][0].sound


def test_two_downloads_and_their_reference_are_one_work_with_three_files(
    opened: Callable[..., Library], test_data: Path
) -> None:
    library = opened()
    library.add(test_data.parent / "cases" / "twice")
    ((paper, text, _),) = state(library)
    held = library.components.catalogue.contributions_to(library.collection().key, paper.id)
    assert len({one.path for one in held}) == 3
    assert text


def test_a_paper_without_an_outside_id_is_counted_once_in_research(
    opened: Callable[..., Library], test_data: Path
) -> None:
    library = opened()
    library.add(test_data.parent / "cases" / "coverage")
    answer = library.research("Does gabapentin sedate goats?", local_only=True)
    relevant = [use.paper.id for use in answer.papers if use.relevance.verdict == "relevant"]
    assert len(relevant) == len(set(relevant)) == 2


def test_records_that_share_a_doi_and_are_kept_apart_count_as_papers_not_as_joined(opened, tmp_path) -> None:
    fields = "doi={10.5555/supplement}, journal={Kidney Days}"
    titles = ("Sleep of dialysis patients in spring", "Phosphate binders and fractures", "Home dialysis by night")
    entries = "".join(
        f"@article{{k{at}, title={{{title}}}, author={{{name}, A}}, {fields}, abstract={{Of {title.lower()}.}}}}\n"
        for at, (title, name) in enumerate(zip(titles, ("Ito", "Berg", "Okafor"), strict=True))
    )
    (tmp_path / "abstracts.bib").write_text(entries, encoding="utf-8")
    library = opened()
    report = library.add(tmp_path / "abstracts.bib")
    assert (report.papers_added, report.papers_joined, report.passages) == (3, 0, 3)
    assert len(state(library)) == 3


def test_the_parts_of_a_report_add_up_whatever_order_the_files_come_in(opened, files, tmp_path) -> None:
    for name, order in (("one", ["a.ris", "b.bib", "c.bib"]), ("two", ["c.bib", "b.bib", "a.ris"])):
        library = opened(name)
        reports = [library.add(files[file]) for file in order]
        assert sum(report.papers_added for report in reports) == len(state(library)) == 2
        assert sum(report.papers_joined for report in reports) == 2


def test_an_exported_library_comes_back_as_it_was(opened, files, test_data: Path, tmp_path: Path) -> None:
    documents = [test_data / "documents" / name for name in ("docx/word_sample.docx", "pdf/two_column_latex.pdf")]
    first = opened("first")
    first.add([*documents, *files.values()])
    (tmp_path / "export.jsonl").write_text("\n".join(first.export()), encoding="utf-8")
    second = opened("second")
    second.add(tmp_path / "export.jsonl")

    def held(library: Library) -> list[tuple[object, ...]]:
        return [
            (paper.id, paper.title, paper.abstract, paper.authors, paper.year, paper.venue, paper.ids, content, cut)
            for paper, content, cut in state(library)
        ]

    assert held(second) == held(first)
    found = [
        [
            (hit.passage.id, hit.passage.page, hit.passage.later_pages, hit.score)
            for hit in library.search("calories of berries").hits
        ]
        for library in (first, second)
    ]
    assert found[0] == found[1]
    assert [page for _, page in found[0][0][2]] == [2]
