"""Library: open, add, search, ask. Everything else is a face of it.

    from litloop import Library

    with Library.open("papers") as library:
        library.add(["~/pdfs"])
        print(library.ask("What does FDG-PET show in progressive supranuclear palsy?").text)

Every call has an async twin (`asearch`, `aask`, …). Both run on litloop's own event loop, so either works in a
notebook.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from litloop.components import Components
from litloop.core.errors import NotALibrary, UsageError
from litloop.core.events import Event, EventStream
from litloop.core.paths import find_library
from litloop.core.portal import Portal, in_thread
from litloop.core.records import Answer, Paper
from litloop.core.settings import Settings, load_settings

if TYPE_CHECKING:
    from types import TracebackType

    from litloop.catalogue import Collection, StoredPassage
    from litloop.core.requests import SearchRequest
    from litloop.embedding.protocol import Embedder
    from litloop.index.indexer import IndexReport
    from litloop.ingest import AddProgress, AddReport
    from litloop.maintenance.migration import MigrationReport
    from litloop.maintenance.status import LibraryStatus
    from litloop.pipeline.run_service import RunService
    from litloop.retrieval.reranking import Reranker
    from litloop.retrieval.service import SearchResponse, SearchService

DEFAULT_COLLECTION = "default"


class Library:
    """A literature on disk. Safe to use from several threads; close it, or use it in a `with` block."""

    def __init__(self, components: Components, reranker: Reranker | None = None) -> None:
        self.components = components
        self._reranker = reranker
        self.settings = components.settings
        self._loop = Portal()
        self._run_service: RunService | None = None
        self._lock = threading.Lock()
        self._closed = False

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
        **overrides: Any,
    ) -> Library:
        """Open the library at `path` (see `litloop.core.paths.find_library`), making it when nothing is there.

        `overrides` are nested settings, as in `Library.open(path, search={"k": 5})`. `embedder` and `reranker` are
        objects of your own (`litloop.Embedder`, `litloop.Reranker`) in place of those that the settings name; a library
        made with such an embedder is opened with it ever after.
        Raises NotALibrary for a folder that is something else (or is absent, with `create=False`), SettingsError
        for a wrong setting, EmbedderMismatch when the library was made with another embedder.
        """
        folder = find_library(path)
        settings = settings or load_settings(folder, **overrides)
        if Components.exist(folder, settings):
            return cls(Components(folder, settings, readonly=readonly, embedder=embedder), reranker)
        if not create or readonly:
            raise NotALibrary(f"{folder} is not a litloop library. Make one with: litloop init {folder}")
        return cls(Components.create(folder, settings, embedder=embedder), reranker)

    @property
    def folder(self) -> Path:
        return self.components.folder

    # --- Changing what is in it ---

    def add(
        self,
        paths: str | Path | Sequence[str | Path],
        *,
        collection: str | None = None,
        domain: str | None = None,
        password: str | None = None,
        ray: str | None = None,
        on_progress: Callable[[AddProgress], None] | None = None,
    ) -> AddReport:
        """Read files, folders and globs into a collection. Unchanged files cost nothing; a stopped run goes on.

        `domain` names the pack of a new collection. `ray` is the address of a Ray cluster that reads and embeds.
        Raises WriterBusy when another process is adding.
        """
        from litloop.catalogue import CatalogueWriter
        from litloop.domains import domain_pack
        from litloop.ingest import Adder, Destination, ingest_backend
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
            into = Destination.of(components, backend.embedder)
            adder = Adder(into, backend.reader, window=backend.window)
            report = adder.add(held, _listed(paths), password=password, on_progress=on_progress)
            components.engine.compact()
            return report

    async def aadd(self, paths: str | Path | Sequence[str | Path], **options: Any) -> AddReport:
        return await self._portal.join(in_thread(lambda: self.add(paths, **options)))

    def remove(self, targets: str | Path | Sequence[str | Path], *, collection: str | None = None) -> int:
        """Take files (by path) or papers (by id) out of a collection. Returns how many papers went.

        Raises UsageError naming the first target that is neither.
        """
        from litloop.catalogue import CatalogueWriter
        from litloop.ingest.works import Destination, compose_works

        held = self.collection(collection)
        with self.components.writing():
            writer, removed = CatalogueWriter(self.components.catalogue), 0
            for target in _listed(targets):
                sources = self._sources_at(held, target)
                if not sources and self.components.catalogue.paper(held.key, str(target)) is None:
                    raise UsageError(f"{target} is neither a file nor a paper of the collection {held.name}.")
                for source in sources:
                    removed += writer.remove_source(held.key, source)
                if not sources:
                    removed += writer.remove_papers(held.key, [str(target)])
            if self.components.catalogue.pending_work(held.key):  # papers that other files give, too
                compose_works(Destination.of(self.components), held)
            self.components.indexer.sync(held)
            self.components.engine.compact()
        return removed

    def create_collection(self, name: str, *, domain: str | None = None) -> Collection:
        """Make an empty collection, or return the one of that name. Raises UsageError for an unknown domain."""
        from litloop.catalogue import CatalogueWriter
        from litloop.domains import domain_pack

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

    # --- Finding and asking ---

    @cached_property
    def search_service(self) -> SearchService:
        from litloop.retrieval.service import SearchService

        return SearchService(self.components, reranker=self._reranker)

    def search(self, query: str, **options: Any) -> SearchResponse:
        """Ranked passages. Options as in `litloop.retrieval.service.SearchRequest`: collection, k, mode, filters, …

        `expand` searches two paraphrases as well (never of keyword queries); `synthesize` writes an answer from the
        hits, or says in `warning` why not. Both ask the model when one is set up, else work without.
        Raises UsageError for an empty query or an unknown collection.
        """
        request = self._request(query, options)
        expand = self.settings.search.expand if request.expand is None else request.expand
        if expand or request.synthesize:
            from litloop.ask.search_synthesis import search

            return self._portal.call(search(self.run_service, request))
        return self.search_service.search(request)

    async def asearch(self, query: str, **options: Any) -> SearchResponse:
        return await self._portal.join(in_thread(lambda: self.search(query, **options)))

    def search_debug(self, query: str, **options: Any) -> Mapping[str, SearchResponse]:
        """Each method's own ranking (bm25, dense, rrf, blend), side by side."""
        return self.search_service.each_method(self._request(query, options))

    def ask(self, question: str, *, on_event: Callable[[Event], None] | None = None, **options: Any) -> Answer:
        """An answer in sentences that each cite a passage, or an honest "not here".

        Options as in `litloop.ask.AskRequest`. `on_event` is called with every event of the run, in order.
        """
        return self._portal.call(self._ask(question, on_event, options))

    async def aask(self, question: str, *, on_event: Callable[[Event], None] | None = None, **options: Any) -> Answer:
        return await self._portal.join(self._ask(question, on_event, options))

    def stream(self, question: str, **options: Any) -> Iterator[Event]:
        """The events of a run as they happen; the last one is `answer`, `error` or `cancelled`.

        Leaving the loop early cancels the run.
        """
        return self._stream(lambda watch: self._ask(question, watch, options))

    def research(self, question: str, *, on_event: Callable[[Event], None] | None = None, **options: Any) -> Answer:
        """A cited review of what the scholarly databases and the library say, or an honest "not found".

        Options as in `litloop.ask.ResearchRequest`: providers, since, until, keep, local_only, …
        Raises UsageError for a provider that nobody has.
        """
        return self._portal.call(self._research(question, on_event, options))

    async def aresearch(
        self, question: str, *, on_event: Callable[[Event], None] | None = None, **options: Any
    ) -> Answer:
        return await self._portal.join(self._research(question, on_event, options))

    def stream_research(self, question: str, **options: Any) -> Iterator[Event]:
        """As `stream`, for research."""
        return self._stream(lambda watch: self._research(question, watch, options))

    def _stream(self, run: Callable[[Callable[[Event], None]], Coroutine[Any, Any, Answer]]) -> Iterator[Event]:
        events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
        future = self._portal.start(run(events.put))
        future.add_done_callback(lambda _: events.put(None))
        try:
            while (event := events.get()) is not None:
                yield event
            if not future.cancelled():
                future.result()
        finally:
            future.cancel()

    async def _ask(self, question: str, on_event: Callable[[Event], None] | None, options: Mapping[str, Any]) -> Answer:
        from litloop.ask.run import ask
        from litloop.core.requests import AskRequest
        from litloop.retrieval.service import request_of

        request = request_of(AskRequest, question, options, self.collection(options.get("collection")).name)
        return await ask(self.run_service, request, _watched_by(on_event))

    async def _research(
        self, question: str, on_event: Callable[[Event], None] | None, options: Mapping[str, Any]
    ) -> Answer:
        from litloop.core.requests import ResearchRequest
        from litloop.research.run import research
        from litloop.retrieval.service import request_of

        name = options.get("collection")
        if name is not None or self.components.catalogue.collection_names():
            name = self.collection(name).name
        request = request_of(ResearchRequest, question, options, name or DEFAULT_COLLECTION)
        return await research(self.run_service, request, _watched_by(on_event))

    @property
    def run_service(self) -> RunService:
        """What runs questions, with the clients of the models and the books of past runs. Made when first used."""
        from litloop.pipeline.run_service import RunService

        with self._lock:
            if self._run_service is None:
                self._run_service = RunService(self.components, self.search_service)
            return self._run_service

    # --- Looking after it ---

    def collections(self) -> list[Collection]:
        self._check_open()
        return self.components.catalogue.collections()

    def collection(self, name: str | None = None) -> Collection:
        """The collection of that name. Without a name: `default`, or the only one there is.

        Raises UsageError when there is none of that name, or the library was closed.
        """
        self._check_open()
        if name is None:
            names = self.components.catalogue.collection_names()
            name = names[0] if len(names) == 1 else DEFAULT_COLLECTION
        return self.components.catalogue.collection(name)

    def paper(self, paper_id: str, *, collection: str | None = None) -> Paper | None:
        return self.components.catalogue.paper(self.collection(collection).key, paper_id)

    def passages(self, paper_id: str, *, collection: str | None = None) -> list[StoredPassage]:
        return self.components.catalogue.passages_of(self.collection(collection).key, paper_id)

    def status(self) -> LibraryStatus:
        from litloop.maintenance.status import status

        return status(self.components)

    def verify(self, *, repair: bool = False) -> tuple[list[IndexReport], list[str]]:
        """What differs between catalogue and index, and (with `repair`) what was done about it."""
        from litloop.maintenance import status as upkeep

        for held in self.collections():
            self.components.catch_up(held)  # work that a stopped process left over is no damage
        reports = upkeep.verify(self.components)
        if not repair or all(report.sound for report in reports):
            return reports, []
        with self.components.writing():
            done = upkeep.repair(self.components, reports)
        return upkeep.verify(self.components), done

    def reindex(self, on_progress: Callable[[int, int], None] | None = None) -> AddReport:
        """Cut and embed everything anew with today's settings, from the stored texts."""
        from litloop.maintenance import status as upkeep

        with self.components.writing():
            report = upkeep.reindex(self.components, on_progress)
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

    def export(self, *, collection: str | None = None, format: str = "jsonl") -> Iterator[str]:
        """The collection, piece by piece: `jsonl` (one paper a line, with its text, as `add` reads it back), or the
        papers without their texts as bibtex, ris, csl-json or markdown. Pieces of jsonl come without the line end.

        Raises UsageError for a format that is not known.
        """
        from litloop.maintenance.status import export_jsonl, export_papers

        held = self.collection(collection)
        return (
            export_jsonl(self.components, held) if format == "jsonl" else export_papers(self.components, held, format)
        )

    def close(self) -> None:
        """End what runs and let go of the files. Closing twice does no harm."""
        self._closed = True
        if self._run_service is not None:
            self._loop.call(self._run_service.aclose())
            self._run_service = None
        self._loop.close()
        if "search_service" in self.__dict__:
            self.search_service.close()
        self.components.close()

    def __enter__(self) -> Library:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # --- Inside ---

    @property
    def _portal(self) -> Portal:
        self._check_open()
        return self._loop

    def _check_open(self) -> None:
        if self._closed:
            raise UsageError("This library is closed. Open it again with Library.open.")

    def _request(self, query: str, options: Mapping[str, Any]) -> SearchRequest:
        from litloop.core.requests import SearchRequest
        from litloop.retrieval.service import request_of

        return request_of(SearchRequest, query, options, self.collection(options.get("collection")).name)

    def _sources_at(self, collection: Collection, target: str | Path) -> list[Any]:
        """The known files at a path: the file itself, or everything under a folder."""
        path = Path(target).expanduser().absolute()
        known = self.components.catalogue.sources(collection.key)
        return [s for s in known if Path(s.path) == path or path in Path(s.path).parents]


def _watched_by(on_event: Callable[[Event], None] | None) -> EventStream:
    """The stream of a new run, told to whoever listens."""
    stream = EventStream()
    if on_event:
        stream.subscribe(on_event)
    return stream


def _listed(targets: str | Path | Sequence[str | Path]) -> list[str | Path]:
    return [targets] if isinstance(targets, str | Path) else list(targets)
