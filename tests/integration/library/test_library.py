"""The library in Python: what is kept, what is found, what survives."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from litloop import Library
from litloop.catalogue import CatalogueWriter, writer_lock
from litloop.core.errors import EmbedderMismatch, NotALibrary, UsageError, WriterBusy
from litloop.core.filters import Filters
from litloop.core.records import evidence_span

HASHING = {"embedding": {"model": "hashing-256"}}
TEXTS = {
    "gaze": "Vertical gaze palsy was seen in ten of twelve patients with progressive supranuclear palsy.",
    "seizure": "Interictal PET lateralised the seizure focus in forty of fifty patients.",
    "lewy": "Occipital uptake was low in dementia with Lewy bodies, and the cingulate island sign was seen.",
}


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / f"{name}.md").write_text(f"# About {name}\n\n{text}\n", encoding="utf-8")
    return folder


@pytest.fixture
def library(tmp_path: Path):
    with Library.open(tmp_path / "library", **HASHING) as held:
        yield held


def found(library: Library, query: str, **options) -> list[str]:
    return [hit.passage.title for hit in library.search(query, **options).hits]


def test_a_folder_of_papers_becomes_searchable(library, papers):
    report = library.add(papers)
    assert (report.indexed, report.papers_added, report.complete) == (3, 3, True)
    assert found(library, "vertical gaze palsy")[0] == "About gaze"


def test_each_methods_own_ranking_says_what_made_it(library, papers):
    library.add(papers)
    made = {name: (one.mode, one.legs) for name, one in library.search_debug("vertical gaze palsy").items()}
    both = ("hybrid", ("bm25", "dense"))
    assert made == {
        "bm25": ("sparse", ("bm25",)), "dense": ("dense", ("dense",)), "rrf": both, "blend": both, "hybrid": both,
    }  # fmt: skip


def test_an_unchanged_file_costs_nothing_and_a_changed_one_replaces_only_itself(library, papers):
    library.add(papers)
    kept = {s.passage.id for s in library.passages(library.components.catalogue.papers(1)[0].id)}
    (papers / "lewy.md").write_text("# About lewy\n\nNow it speaks of tau deposits.", encoding="utf-8")
    report = library.add(papers)
    assert (report.unchanged, report.papers_added, report.embedded) == (2, 1, 1)
    assert kept <= {
        s.passage.id for paper in library.components.catalogue.papers(1) for s in library.passages(paper.id)
    }
    assert found(library, "tau deposits")[0] == "About lewy"
    assert all("Occipital" not in hit.passage.text for hit in library.search("occipital uptake").hits)


def test_a_second_copy_is_named_once_and_its_paper_counted_once(library, papers):
    (papers / "a copy of gaze.md").write_bytes((papers / "gaze.md").read_bytes())
    for warnings in (1, 0):
        report = library.add(papers)
        assert library.components.catalogue.paper_count(1) == 3
        assert len(report.warnings) == warnings
        assert all("holds the same as" in warning for warning in report.warnings)
    assert found(library, "vertical gaze palsy").count("About gaze") == 1


def test_a_moved_folder_keeps_its_papers(library, papers):
    library.add(papers)
    before = {paper.id for paper in library.components.catalogue.papers(1)}
    moved = papers.rename(papers.with_name("moved"))
    report = library.add(moved)
    assert (report.unchanged, report.papers_added, report.embedded, report.warnings) == (3, 0, 0, [])
    assert {paper.id for paper in library.components.catalogue.papers(1)} == before
    assert {Path(source.path).parent for source in library.components.catalogue.sources(1)} == {moved}
    assert library.remove([moved]) == 3


def test_a_library_that_kept_relative_paths_keeps_absolute_ones_when_its_files_are_added_again(
    library, papers, monkeypatch
):
    library.add(papers)
    monkeypatch.chdir(papers.parent)
    writer = CatalogueWriter(library.components.catalogue)
    for source in library.components.catalogue.sources(1):
        relative = str(Path(source.path).relative_to(papers.parent))
        assert writer.move_source(1, source.path, replace(source, path=relative))
    report = library.add("papers")
    assert (report.unchanged, report.papers_added, report.warnings) == (3, 0, [])
    assert {Path(source.path).parent for source in library.components.catalogue.sources(1)} == {papers}


def test_what_one_file_held_is_read_from_another_when_the_first_changed(library, papers):
    library.add(papers)
    (papers / "zz.md").write_bytes((papers / "gaze.md").read_bytes())
    (papers / "gaze.md").write_text("# About tau\n\nNow it speaks of tau deposits.", encoding="utf-8")
    assert library.add(papers).papers_added == 2
    assert {"About gaze", "About tau"} <= set(found(library, "gaze palsy or tau deposits"))


def test_a_touched_file_is_known_by_its_hash(library, papers):
    library.add(papers)
    for path in papers.iterdir():
        path.touch()
    assert library.add(papers).unchanged == 3


def test_a_vector_is_computed_once_whatever_collection_it_is_in(library, papers):
    assert library.add(papers, collection="one").embedded == 3
    assert library.add(papers, collection="two").embedded == 0


def test_a_file_that_breaks_keeps_what_its_earlier_version_gave(library, papers):
    library.add(papers)
    (papers / "gaze.md").write_bytes(b"")
    report = library.add(papers)
    assert [source.kind for source in report.quarantined] == ["empty"]
    assert found(library, "vertical gaze palsy")[0] == "About gaze"


def test_removed_papers_are_gone_from_search_and_catalogue(library, papers):
    library.add(papers)
    assert library.remove([papers / "gaze.md"]) == 1
    assert "About gaze" not in found(library, "vertical gaze palsy")
    reports, _ = library.verify()
    assert all(report.sound for report in reports)
    with pytest.raises(UsageError, match="neither a file nor a paper"):
        library.remove(["nobody"])


def test_a_removal_that_was_interrupted_can_be_run_again_as_it_was(library, papers):
    library.add(papers)
    targets = [papers / f"{name}.md" for name in TEXTS]
    library.remove(targets[0])  # as far as the first run came
    skipped: list[str] = []
    assert library.remove(targets, on_skip=skipped.append) == 2
    assert [str(targets[0]) in sentence for sentence in skipped] == [True]
    assert found(library, "seizure focus") == []


def test_collections_do_not_see_each_other(library, papers):
    library.add(papers / "gaze.md", collection="eyes")
    library.add(papers / "lewy.md", collection="bodies")
    assert found(library, "palsy uptake", collection="eyes") == ["About gaze"]
    library.delete_collection("eyes")
    assert [collection.name for collection in library.collections()] == ["bodies"]
    assert found(library, "palsy uptake") == ["About lewy"]


def test_filters_hold_in_both_legs(library, tmp_path):
    rows = [
        {"id": str(n), "title": f"paper {n}", "abstract": "the same words in each", "year": 2000 + n, "kind": kind}
        for n, kind in enumerate(["a", "b", "a", "b"])
    ]
    corpus = tmp_path / "c.json"
    corpus.write_text(json.dumps(rows))
    library.add(corpus)
    for mode in ("sparse", "dense", "hybrid"):
        wanted = Filters(year_from=2001, labels={"kind": ("a",)})
        hits = library.search("the same words", mode=mode, filters=wanted).hits
        assert [hit.passage.paper_id for hit in hits] == ["2"]


def test_the_async_face_gives_the_same_inside_a_running_loop(library, papers):
    async def notebook() -> tuple[list[str], str]:
        await library.aadd(papers)
        response = await library.asearch("seizure focus")
        answer = await library.aask("In how many patients did PET lateralise the seizure focus?")
        assert library.search("seizure focus").hits[0].passage.id == response.hits[0].passage.id
        return [hit.passage.title for hit in response.hits], answer.status

    titles, status = asyncio.run(notebook())
    assert titles[0] == "About seizure"
    assert status


def test_many_threads_may_search_while_one_adds(library, papers, tmp_path):
    library.add(papers)
    more = tmp_path / "more.jsonl"
    more.write_text(
        "\n".join(json.dumps({"id": f"m{n}", "title": f"more {n}", "abstract": f"text {n}"}) for n in range(300))
    )
    errors: list[BaseException] = []

    def search() -> None:
        try:
            for _ in range(15):
                assert found(library, "vertical gaze palsy")[0] == "About gaze"
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=search) for _ in range(3)]
    for thread in threads:
        thread.start()
    library.add(more)
    for thread in threads:
        thread.join()
    assert errors == []


def test_another_process_searches_while_this_one_writes(library, papers):
    library.add(papers)
    script = (
        "from litloop import Library\n"
        f"with Library.open({str(library.folder)!r}, readonly=True) as held:\n"
        "    print(held.search('seizure focus').hits[0].passage.title)\n"
    )
    with writer_lock(library.folder):
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "About seizure"


def test_a_second_writer_gets_a_clear_message(library, papers):
    with writer_lock(library.folder), pytest.raises(WriterBusy, match="Another process"):
        library.add(papers)


def test_an_index_that_was_lost_is_built_again_by_the_next_search(library, papers, tmp_path):
    import shutil

    library.add(papers)
    library.close()
    shutil.rmtree(tmp_path / "library" / "index")
    with Library.open(tmp_path / "library") as again:
        assert found(again, "vertical gaze palsy")[0] == "About gaze"
        assert all(report.sound for report in again.verify()[0])


def test_work_left_between_catalogue_and_index_is_finished_on_the_next_open(library, papers, tmp_path):
    from litloop.catalogue import CatalogueWriter

    library.add(papers)
    key = library.collection().key
    CatalogueWriter(library.components.catalogue).remove_papers(key, [library.components.catalogue.papers(key)[0].id])
    library.close()  # as if killed before the index heard of it
    with Library.open(tmp_path / "library") as again:
        assert len(found(again, "palsy uptake seizure", k=10)) == 2


def test_verify_finds_what_an_index_lost_and_repair_mends_it(library, papers):
    from litloop.index.engine import IndexBatch

    library.add(papers)
    key = library.collection().key
    seq = library.components.engine.applied(key)
    library.components.engine.apply(IndexBatch(key, seq + 1, (), [library.components.catalogue.passage_keys(key)[0]]))
    reports, done = library.verify()
    assert len(reports[0].missing) == 1
    reports, done = library.verify(repair=True)
    assert reports[0].sound
    assert done


def test_vectors_lost_on_the_disk_are_told_with_every_answer_until_they_are_mended(library, papers, tmp_path):
    library.add(papers)
    library.close()
    for stored in (tmp_path / "library" / "index").rglob("*.f32"):
        stored.write_bytes(b"cut short")
    with Library.open(tmp_path / "library") as again:
        answer = again.ask("Where do epileptic seizures begin?")
        assert answer.degraded
        assert "lost their vectors" in answer.degraded_reason
        assert not again.verify()[0][0].sound
        reports, done = again.verify(repair=True)
        assert reports[0].sound
        assert "damaged" in done[0]
        assert "lost" not in (again.ask("Where do epileptic seizures begin?").degraded_reason or "")


def test_another_embedder_is_refused_until_the_library_is_rebuilt(library, papers, tmp_path):
    library.add(papers)
    library.close()
    with Library.open(tmp_path / "library", embedding={"model": "bge-small-en-v1.5"}) as other:
        with pytest.raises(EmbedderMismatch, match="litloop reindex"):
            other.search("seizure")
        with pytest.raises(EmbedderMismatch):
            other.add(papers)
        assert other.reindex().embedded == 3
        assert found(other, "where the epileptic fits begin")[0] == "About seizure"
        assert other.add(papers).unchanged == 3


def test_a_library_can_be_made_where_nothing_is_and_nowhere_else(tmp_path):
    with pytest.raises(NotALibrary):
        Library.open(tmp_path / "absent", create=False)
    (tmp_path / "file").write_text("x")
    with pytest.raises(NotALibrary):
        Library.open(tmp_path / "file")


def test_the_stream_of_a_run_begins_and_ends_as_promised(library, papers):
    library.add(papers)
    events = list(library.stream("Where was uptake low in dementia with Lewy bodies?"))
    assert events[0].type == "run_started"
    assert events[-1].type == "answer"
    assert [event.seq for event in events] == list(range(len(events)))


def test_leaving_a_stream_early_cancels_its_run(library, papers):
    library.add(papers)
    stream = library.stream("Where was uptake low?")
    assert next(stream).type == "run_started"
    stream.close()
    assert library.ask("Where was uptake low in dementia with Lewy bodies?").status  # the library is still good


def test_a_quote_on_the_second_page_of_a_passage_is_cited_with_that_page(library, tmp_path):
    from fpdf import FPDF

    pdf = FPDF()
    pdf.set_font("helvetica", size=12)
    first = ["Gait was slow in all patients.", "They walked with short steps.", "Turning took them eight steps."]
    second = ["Sleep was disturbed in most.", "The cingulate island sign was seen in nine.", "No control had it."]
    for sentences in (first, second):
        pdf.add_page()
        for sentence in sentences:
            pdf.multi_cell(0, 8, sentence, new_x="LMARGIN", new_y="NEXT")
    pdf.output(str(tmp_path / "two.pdf"))
    library.add(tmp_path / "two.pdf")
    hit = library.search("cingulate island sign").hits[0]
    assert hit.passage.page == 1, "one passage holds both pages"
    start = hit.passage.text.index("The cingulate island sign")
    assert evidence_span(hit, start, start + 25).page == 2
    assert evidence_span(hit, 0, 25).page == 1


def test_forty_damaged_files_are_noticed_and_mended(tmp_path):
    from benchmarks.quality.damage_soak import damage_soak

    outcome = damage_soak(40, seed=11, work=tmp_path)
    assert outcome.failures == []
    assert outcome.seen["verify: damaged"] >= 30


def test_fifteen_kills_end_as_an_undisturbed_run(tmp_path):
    from benchmarks.quality.soak import soak

    outcome = soak(15, seed=7, work=tmp_path)
    assert outcome.failures == []
    assert outcome.kills >= 15
