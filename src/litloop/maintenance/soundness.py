"""Whether a library is what was stored there, and making whole what is not.

The catalogue is held against its checksums first: it is the truth, and index and vectors are held against it. What the
index lacks or has damaged is built anew from the catalogue; a damaged paper is read again from its file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from litloop.catalogue import CatalogueWriter, Collection, SourceFile
from litloop.catalogue.damage import beyond_repair, examine, repair_catalogue
from litloop.components import Components
from litloop.core.errors import DamagedLibrary
from litloop.core.notebook import counted
from litloop.core.records import Document
from litloop.index.indexer import IndexReport
from litloop.ingest.chunking_config import ChunkingConfig
from litloop.ingest.paper_store import Item, PaperStore
from litloop.ingest.report import AddReport
from litloop.ingest.work_composition import IngestTarget, compose_works
from litloop.runs import database as past_runs


@dataclass(slots=True)
class Repairs:
    """What was done, in sentences, and the files that are to be read again, by the name of their collection."""

    done: list[str] = field(default_factory=list)
    read_again: dict[str, list[str]] = field(default_factory=dict)


def verify(components: Components) -> list[IndexReport]:
    """Hold catalogue, index and vectors against their checksums and each other, collection by collection.

    What is wrong with the catalogue itself or the book of past runs stands in a first report, of no collection. An
    index that is only behind is brought up to date: work that a stopped process left over is no damage.
    """
    health = examine(components.catalogue)
    problems = (*health.problems, *past_runs.problems(components.folder / past_runs.RUNS_FILE))
    reports = [IndexReport("", 0, (), (), 0, 0, problems)] if problems else []
    if health.faults:
        return reports  # there is nothing to hold the index against
    for collection in components.catalogue.collections():
        engine = components.engine
        lost = engine.applied(collection.key) < collection.trimmed  # what it lacks is no longer in the outbox
        if not lost and engine.damage(collection.key) is None and not health.papers:
            components.catch_up(collection)
        reports.append(_compared(components, collection))
    return reports


def _compared(components: Components, collection: Collection) -> IndexReport:
    report = components.indexer.compare(collection, components.engine.has_vectors)
    problems = components.catalogue.contribution_problems(collection.key)
    return replace(report, problems=(*report.problems, *problems))


def repair(components: Components) -> Repairs:
    """Mend what `verify` finds. The caller holds the writer lock, and reads the files again that are named.

    Raises LibraryError when the catalogue is damaged beyond repair, with what to do.
    """
    done = Repairs()
    health = examine(components.catalogue)
    if health.problems:
        try:
            mended = repair_catalogue(components.catalogue, health)
        except DamagedLibrary as error:
            raise beyond_repair(str(error)) from error
        names = {held.key: held.name for held in components.catalogue.collections(counted=False)}
        done.done += mended.done
        done.read_again = {names[key]: files for key, files in mended.read_again.items()}
    runs = components.folder / past_runs.RUNS_FILE
    if past_runs.problems(runs):
        done.done.append(past_runs.repair_runs(runs))
    damaged = [held for held in components.catalogue.collections() if not _compared(components, held).sound]
    if damaged and (dropped := components.engine.store.drop_damaged()):
        done.done.append(f"{counted(dropped, 'damaged file')} of vectors removed; the vectors will be computed again.")
    for collection in damaged:
        CatalogueWriter(components.catalogue).mark_differences(collection.key)
        compose_works(IngestTarget.of(components), collection)
        passages = components.indexer.rebuild(collection)
        done.done.append(f"{collection.name}: the index was rebuilt from {counted(passages, 'passage')}.")
    return done


def reindex(components: Components, on_progress: Callable[[int, int], None] | None = None) -> AddReport:
    """Cut and embed every paper anew from its stored text, with today's settings. The caller holds the lock.

    No file is read again, so papers whose files are gone stay. Stopped halfway, run it again: papers that were
    done are not done twice. A damaged index is built anew even where every paper is as it should be.
    """
    total = AddReport("all")
    if dropped := components.engine.store.drop_damaged():
        files = counted(dropped, "damaged file")
        total.warnings.append(f"{files} of vectors removed, and the passages embedded again.")
    into = IngestTarget.of(components)
    for collection in components.catalogue.collections():
        done = 0
        report = AddReport(collection.name)
        if components.engine.stale(collection.key) is None and components.engine.problems(collection.key):
            components.indexer.rebuild(collection)
            total.warnings.append(f"The index of {collection.name} was damaged and was built anew.")
        store = PaperStore(into, collection, report)
        try:
            for item in _stored_items(components, collection, into.chunking):
                store.put(item)
                done += 1
                if on_progress:
                    on_progress(done, collection.papers)
            store.flush()
        finally:
            store.close()
        writer = CatalogueWriter(components.catalogue)
        for source in components.catalogue.sources(collection.key):
            if source.status == "indexed":
                writer.put_source(collection.key, replace(source, recipe=into.chunking.name))
        total.papers_added += report.papers_added
        total.papers_unchanged += report.papers_unchanged
        total.passages += report.passages
        total.embedded += report.embedded
    return total


def _stored_items(components: Components, collection: Collection, chunking: ChunkingConfig) -> Iterator[Item]:
    sources = {source.key: source for source in components.catalogue.sources(collection.key)}
    nowhere = SourceFile("", "", 0, 0, "", chunking.name, "indexed")
    for given in components.catalogue.contributions(collection.key):
        source = sources.get(given.source or 0, nowhere)
        paper, text = components.catalogue.stored_document(given.paper_key)
        yield Item(source, source.key or None, chunking.prepare(Document(paper, text)))
