"""Library: open, add, search, ask. The command line, the server and the page are thin wrappers around it.

    from litloop import Library

    with Library.open("papers") as library:
        library.add(["~/pdfs"])
        print(library.ask("What does FDG-PET show in progressive supranuclear palsy?").text)

`add`, `search`, `ask` and `research` have async twins (`aadd`, `asearch`, `aask`, `aresearch`). All of them run on
litloop's own event loop, so either form works in a notebook.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from inspect import getattr_static
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from litloop.components import Components
from litloop.core.errors import NotALibrary, UsageError
from litloop.core.logs import Log
from litloop.core.notebook import counted
from litloop.core.paths import find_library
from litloop.core.portal import in_thread
from litloop.core.settings import Settings, load_settings
from litloop.embedding import refuse_unknown
from litloop.library.opened import DEFAULT_COLLECTION
from litloop.library.questions import Questions, names_unknown_options

if TYPE_CHECKING:
    from typing import Unpack

    from litloop.catalogue import Collection, SourceFile, StoredPassage
    from litloop.core.records import Paper
    from litloop.core.settings import SettingsOverrides
    from litloop.embedding.protocol import Embedder
    from litloop.index.indexer import IndexReport
    from litloop.ingest import AddProgress, AddReport
    from litloop.maintenance.migration import MigrationReport
    from litloop.maintenance.status import LibraryStatus
    from litloop.references import ExportFormat
    from litloop.retrieval.reranking import Reranker


log = Log("library")

EMBEDDER_PARTS = ("name", "dimension", "tokenizer", "fingerprint", "precision", "embed_passages", "embed_query")
RERANKER_PARTS = ("name", "weight", "scores")


class Library(Questions):
    """A collection of papers on disk. Safe to use from several threads; close it, or use it in a `with` block."""

    @classmethod
    def open(
        cls,
        path: str | Path | None = None,
        *,
        settings: Settings | None = None,
        readonly: bool = False,
        create: bool = True,
        embedder: Embedder | None = None,
        reranker: Reranker | None = None,
        trust: bool = False,
        **overrides: Unpack[SettingsOverrides],
    ) -> Library:
        """Open the library at `path` (see `litloop.core.paths.find_library`), making it when nothing is there.

        `overrides` are nested settings, as in `Library.open(path, search={"k": 5})`. `embedder` and `reranker` are
        objects of your own (`litloop.Embedder`, `litloop.Reranker`) in place of those that the settings name; a library
        made with such an embedder is opened with it ever after. `trust` lets the library's own settings lead to other
        machines this time, as `litloop trust` does for good; without either they are not used where they do, which
        `settings.withheld` says and a warning of the logger `litloop`.
        Raises NotALibrary for a folder that is something else (or is absent, with `create=False`), SettingsError
        for a wrong setting, UsageError for an embedder or a reranker that is none. A library that was made with another
        embedder is refused (EmbedderMismatch) where the embedder is first needed.
        """
        _refuse_others("embedder", embedder, EMBEDDER_PARTS, 'embedding={"model": "bge-small-en-v1.5"}')
        _refuse_others("reranker", reranker, RERANKER_PARTS, 'search={"rerank_model": "…"}')
        folder = find_library(path)
        settings = settings or load_settings(folder, trust=trust, given="passed to Library.open", **overrides)
        settings.refuse_withheld("catalogue")
        if settings.withheld:
            log.warning(settings.withheld)
        if Components.exist(folder, settings):
            return cls(Components(folder, settings, readonly=readonly, embedder=embedder), reranker)
        if not create or readonly:
            raise NotALibrary(f"{folder} is not a litloop library. Make one with: litloop init {folder}")
        if embedder is None and "model" in settings.embedding.model_fields_set:
            refuse_unknown(settings.embedding.model)
        return cls(Components.create(folder, settings, embedder=embedder), reranker)

    # --- Changing what is in it ---

    @names_unknown_options
    def add(
        self,
        paths: str | Path | Sequence[str | Path],
        *,
        collection: str | None = None,
        domain: str | None = None,
        password: str | None = None,
        ray: str | None = None,
        sync: bool = False,
        on_progress: Callable[[AddProgress], None] | None = None,
    ) -> AddReport:
        """Read files, folders and globs into a collection. Unchanged files cost nothing; a stopped run goes on.

        collection: which one; it is made when it does not exist. Default: `default`.
        domain: the name of the pack that a new collection gets.
        password: of files that are locked.
        ray: the address of a Ray cluster that reads and embeds.
        sync: take out the files that are gone from the folders given; otherwise they are only named.
        on_progress: called while files are read.

        Raises WriterBusy when another process is adding.
        """
        from litloop.catalogue import CatalogueWriter
        from litloop.domains import domain_pack
        from litloop.ingest import Adder, IngestTarget, ingest_backend
        from litloop.reading import ReadingLimits

        if domain is not None:
            domain_pack(domain)  # an unknown name is refused before anything is read
        components, reading = self.components, self.settings.reading
        components.check_embedder()
        limits = ReadingLimits(
            max_file_mb=reading.max_file_mb,
            max_unpacked_mb=reading.max_unpacked_mb,
            timeout_s=reading.timeout_s,
            memory_mb=reading.memory_mb,
            workers=reading.workers,
        )
        with components.writing(), ingest_backend(limits, components.embedder, self.settings.embedding, ray) as backend:
            held = CatalogueWriter(components.catalogue).create_collection(collection or DEFAULT_COLLECTION, domain)
            components.remember_embedder()
            components.indexer.sync(held)
            into = IngestTarget.of(components, backend.embedder)
            adder = Adder(into, backend.pool, window=backend.window)
            report = adder.add(held, _listed(paths), password=password, sync=sync, on_progress=on_progress)
            components.engine.compact()
            own = str(components.folder.resolve())
            report.libraries = [folder for folder in report.libraries if str(Path(folder).resolve()) != own]
            return report

    @names_unknown_options
    async def aadd(
        self,
        paths: str | Path | Sequence[str | Path],
        *,
        collection: str | None = None,
        domain: str | None = None,
        password: str | None = None,
        ray: str | None = None,
        sync: bool = False,
        on_progress: Callable[[AddProgress], None] | None = None,
    ) -> AddReport:
        """As `add`, awaited."""
        added = partial(
            self.add, paths, collection=collection, domain=domain, password=password, ray=ray, sync=sync,
            on_progress=on_progress,
        )  # fmt: skip
        return await self._portal.join(in_thread(added))

    def remove(
        self,
        targets: str | Path | Sequence[str | Path],
        *,
        collection: str | None = None,
        on_skip: Callable[[str], None] | None = None,
    ) -> int:
        """Take files (by path) or papers (by id) out of a collection. Returns how many papers went.

        Either way, adding a file or its folder again brings back what it gives. A target that is neither is skipped,
        and `on_skip` gets one sentence about it: a removal that was interrupted can be run again as it was.
        Raises UsageError when there is nothing to remove at all, naming the first target.
        """
        from litloop.catalogue import CatalogueWriter
        from litloop.ingest.work_composition import IngestTarget, compose_works

        held = self.collection(collection)
        with self.components.writing():
            writer, removed = CatalogueWriter(self.components.catalogue), 0
            listed, unknown = _listed(targets), list[str]()
            for target in listed:
                sources = self._sources_at(held, target)
                if not sources and self.components.catalogue.paper(held.key, str(target)) is None:
                    unknown.append(f"{target} is neither a file nor a paper of the collection {held.name}.")
                    continue
                for source in sources:
                    removed += writer.remove_source(held.key, source)
                if not sources:
                    removed += writer.remove_papers(held.key, [str(target)])
            if self.components.catalogue.pending_work(held.key):  # papers that other files give, too
                compose_works(IngestTarget.of(self.components), held)
            self.components.indexer.sync(held)
            self.components.engine.compact()
        if unknown and len(unknown) == len(listed):
            raise UsageError(unknown[0])
        if on_skip is not None:
            for sentence in unknown:
                on_skip(sentence)
        return removed

    def create_collection(self, name: str, *, domain: str | None = None) -> Collection:
        """Make an empty collection, or return the one of that name. Raises UsageError for an unknown domain."""
        from litloop.catalogue import CatalogueWriter
        from litloop.domains import domain_pack

        if not isinstance(name, str):
            raise UsageError(f"The name of a collection is a text, not {name!r:.60}.")
        domain_pack(domain)
        self.components.check_embedder()
        with self.components.writing():
            held = CatalogueWriter(self.components.catalogue).create_collection(name, domain)
            self.components.remember_embedder()
        return held

    def delete_collection(self, name: str) -> None:
        from litloop.catalogue import CatalogueWriter

        held = self.collection(name)
        with self.components.writing():
            CatalogueWriter(self.components.catalogue).delete_collection(held)
            self.components.engine.drop(held.key)
            self.components.engine.compact()

    # --- Looking after it ---

    def paper(self, paper_id: str, *, collection: str | None = None) -> Paper | None:
        return self.components.catalogue.paper(self.collection(collection).key, paper_id)

    def passages(self, paper_id: str, *, collection: str | None = None) -> list[StoredPassage]:
        return self.components.catalogue.passages_of(self.collection(collection).key, paper_id)

    def status(self) -> LibraryStatus:
        from litloop.maintenance.status import status

        return status(self.components)

    def verify(self, *, repair: bool = False) -> tuple[list[IndexReport], list[str]]:
        """Whether everything is what was stored, and (with `repair`) what was done where it was not.

        Reads all of the library: the catalogue and the book of past runs (their report names no collection, and is only
        there when something is wrong with them), each index, the vectors. Raises LibraryError when the catalogue is
        beyond repair.
        """
        from litloop.maintenance import soundness

        self._check_open()
        reports = soundness.verify(self.components)
        if not repair or all(report.sound for report in reports):
            return reports, []
        with self.components.writing():
            mended = soundness.repair(self.components)
        for name, files in mended.read_again.items():
            added = self.add(files, collection=name)
            papers = counted(added.papers_added, "paper")
            mended.done.append(f"{counted(len(files), 'file')} read again, which gave {papers}.")
        return soundness.verify(self.components), mended.done

    def reindex(self, on_progress: Callable[[int, int], None] | None = None) -> AddReport:
        """Cut and embed everything anew with today's settings, from the stored texts."""
        from litloop.maintenance.soundness import reindex

        with self.components.writing():
            report = reindex(self.components, on_progress)
            self.components.remember_embedder()
        return report

    def migrate(self, to: str, *, on_progress: Callable[[str, int, int], None] | None = None) -> MigrationReport:
        """Move the index to the engine at `to` (a server's address, or "embedded") and use it from now on.

        See `litloop.maintenance.migration.migrate` for what it refuses.
        """
        from litloop.maintenance.migration import migrate

        with self.components.writing():
            report = migrate(self.components, to, on_progress)
        self.components.forget_engine()
        return report

    def export(self, *, collection: str | None = None, format: ExportFormat = "jsonl") -> Iterator[str]:
        """The collection, piece by piece: `jsonl` (one paper a line, with its text, as `add` reads it back), or the
        papers without their texts as bibtex, ris, csl-json or markdown. Pieces of jsonl come without the line end.

        Raises UsageError for a format that is not known.
        """
        from litloop.maintenance.status import export_jsonl, export_papers

        held = self.collection(collection)
        return (
            export_jsonl(self.components, held) if format == "jsonl" else export_papers(self.components, held, format)
        )

    # --- Inside ---

    def _sources_at(self, collection: Collection, target: str | Path) -> list[SourceFile]:
        """The known files at a path: the file itself, or everything under a folder."""
        path = Path(target).expanduser().absolute()
        known = self.components.catalogue.sources(collection.key)
        return [s for s in known if Path(s.path) == path or path in Path(s.path).parents]


def _refuse_others(name: str, given: object, parts: Sequence[str], by_name: str) -> None:
    """Raise UsageError where an object of the caller's own lacks what its protocol asks for."""
    if given is None:
        return
    absent = object()
    missing = [part for part in parts if getattr_static(given, part, absent) is absent]  # runs no property
    if missing:
        raise UsageError(
            f"{name} is an object like litloop.{name.capitalize()}; this one ({type(given).__name__}) has no "
            f"{', '.join(missing)}. To choose one by its name: Library.open(path, {by_name})."
        )


def _listed(targets: str | Path | Sequence[str | Path]) -> list[str | Path]:
    if isinstance(targets, str | PathLike):
        return [targets]
    listed = list(targets) if isinstance(targets, Iterable) else [targets]
    if not all(isinstance(one, str | PathLike) for one in listed):
        raise UsageError(f"Name a path or several, not {targets!r:.60}.")
    return listed
