"""What a library is asked: to search, to answer, to research; at once, awaited, or as a stream of events."""

from __future__ import annotations

import queue
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from inspect import iscoroutinefunction
from os import PathLike
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from litloop.core.choices import BoostForm, Fusion, QueryKind, SearchMode
from litloop.core.errors import UsageError
from litloop.core.events import Event, EventStream, Subscriber
from litloop.core.filters import Filters
from litloop.core.portal import in_thread
from litloop.core.records import Answer
from litloop.core.requests import AskRequest, ResearchRequest, SearchRequest
from litloop.library.opened import DEFAULT_COLLECTION, OpenLibrary

if TYPE_CHECKING:
    from litloop.retrieval.response import SearchResponse

Called = ParamSpec("Called")
Returned = TypeVar("Returned")


def names_unknown_options(method: Callable[Called, Returned]) -> Callable[Called, Returned]:
    """An option that `method` does not have raises UsageError, which lists those it has. Python's own TypeError lists
    none, and whoever passes on what others wrote (a settings file, a tool call) would have to tell it from a fault."""
    options_known = tuple(method.__kwdefaults__ or ())
    code = method.__code__
    names = {*options_known, *code.co_varnames[: code.co_argcount]}

    def check(options: Mapping[str, object]) -> None:
        for name in options:
            if name not in names:
                raise UsageError(f"There is no option {name!r}. Known: {', '.join(options_known)}.")

    @wraps(method)
    def called(*given: Called.args, **options: Called.kwargs) -> Returned:
        check(options)
        return method(*given, **options)

    @wraps(method)
    async def awaited(*given: Called.args, **options: Called.kwargs) -> Any:
        check(options)
        return await cast("Coroutine[Any, Any, Any]", method(*given, **options))

    return cast("Callable[Called, Returned]", awaited) if iscoroutinefunction(method) else called


class Questions(OpenLibrary):
    """Searching, asking, researching.

    What is None is as the settings have it. All of these raise UsageError for an empty question, a value that is out
    of bounds, and a collection that does not exist.
    """

    # --- Searching ---

    @names_unknown_options
    def search(
        self,
        query: str,
        *,
        collection: str | None = None,
        k: int | None = None,
        mode: SearchMode | None = None,
        fusion: Fusion | None = None,
        filters: Filters | None = None,
        boost: BoostForm | None = None,
        rerank: bool | None = None,
        rerank_top_k: int | None = None,
        expand: bool | None = None,
        web_search: bool | None = None,
        synthesize: bool = False,
        query_type: QueryKind | None = None,
        local_only: bool = False,
    ) -> SearchResponse:
        """Ranked passages.

        collection: where to search. Default: `default`, or the only one there is.
        k: how many passages, 1 to 1000.
        mode: `hybrid` joins words (BM25) and meaning (vectors); `sparse` and `dense` are one of them alone; `learned`
            is the fusion that `litloop eval` fitted to this library.
        fusion: how two rankings become one: `blend` of the scores, or reciprocal ranks (`rrf`).
        filters: what a paper must be.
        boost: whether papers that the domain names are lifted: `off`, `topic` (only when the query asks for their
            topic) or `flat` (always).
        rerank, rerank_top_k: whether the first hits are reranked, and how many of them are kept.
        expand: search two paraphrases of the query as well (never of keyword queries).
        web_search: ask the web too. Default: when confidence is low and an engine is switched on.
        synthesize: write an answer from the hits, or say in `warning` why not.
        query_type: `keyword`, `semantic` or `vague`, where the query does not show it.
        local_only: never touch the network.

        `expand` and `synthesize` ask the model when one is set up and work without one.
        """
        return self._search(
            SearchRequest(
                query, k=k, mode=mode, fusion=fusion, filters=filters or Filters(), boost=boost, rerank=rerank,
                rerank_top_k=rerank_top_k, expand=expand, web_search=web_search, synthesize=synthesize,
                query_type=query_type, local_only=local_only,
            ),
            collection,
        )  # fmt: skip

    @names_unknown_options
    async def asearch(
        self,
        query: str,
        *,
        collection: str | None = None,
        k: int | None = None,
        mode: SearchMode | None = None,
        fusion: Fusion | None = None,
        filters: Filters | None = None,
        boost: BoostForm | None = None,
        rerank: bool | None = None,
        rerank_top_k: int | None = None,
        expand: bool | None = None,
        web_search: bool | None = None,
        synthesize: bool = False,
        query_type: QueryKind | None = None,
        local_only: bool = False,
    ) -> SearchResponse:
        """As `search`, awaited."""
        request = SearchRequest(
            query, k=k, mode=mode, fusion=fusion, filters=filters or Filters(), boost=boost, rerank=rerank,
            rerank_top_k=rerank_top_k, expand=expand, web_search=web_search, synthesize=synthesize,
            query_type=query_type, local_only=local_only,
        )  # fmt: skip
        return await self._portal.join(in_thread(lambda: self._search(request, collection)))

    @names_unknown_options
    def search_debug(
        self,
        query: str,
        *,
        collection: str | None = None,
        k: int | None = None,
        mode: SearchMode | None = None,
        fusion: Fusion | None = None,
        filters: Filters | None = None,
        boost: BoostForm | None = None,
        rerank: bool | None = None,
        rerank_top_k: int | None = None,
        web_search: bool | None = None,
        query_type: QueryKind | None = None,
        local_only: bool = False,
    ) -> Mapping[str, SearchResponse]:
        """Each method's own ranking (bm25, dense, rrf, blend, and hybrid as it is set up), side by side.

        The web's is among them when `web_search` is true. The other options are those of `search`.
        """
        request = SearchRequest(
            query, k=k, mode=mode, fusion=fusion, filters=filters or Filters(), boost=boost, rerank=rerank,
            rerank_top_k=rerank_top_k, web_search=web_search, query_type=query_type, local_only=local_only,
        )  # fmt: skip
        return self.search_service.each_method(replace(request, collection=self.collection(collection).name))

    # --- Asking ---

    @names_unknown_options
    def ask(
        self,
        question: str,
        *,
        collection: str | None = None,
        filters: Filters | None = None,
        max_rounds: int | None = None,
        budget_tokens: int | None = None,
        budget_seconds: float | None = None,
        local_only: bool = False,
        web_search: bool | None = None,
        trace: str | PathLike[str] | None = None,
        on_event: Subscriber | None = None,
    ) -> Answer:
        """An answer in sentences that each cite a passage, or an honest "not here".

        collection: what to ask. Default: `default`, or the only one there is.
        filters: what a paper must be.
        max_rounds: of the search loop, 1 to 10.
        budget_tokens, budget_seconds: what the run may spend. A run that has spent it answers from what it has.
        local_only: never touch the network.
        web_search: ask the web too. Default: when confidence is low and an engine is switched on.
        trace: a file that gets the run's events, as `litloop trace` and `litloop replay` read it.
        on_event: called with every event of the run, in order.
        """
        request = AskRequest(
            question, filters=filters or Filters(), max_rounds=max_rounds, budget_tokens=budget_tokens,
            budget_seconds=budget_seconds, local_only=local_only, web_search=web_search, trace=trace,
        )  # fmt: skip
        return self._portal.call(self._ask(request, collection, on_event))

    @names_unknown_options
    async def aask(
        self,
        question: str,
        *,
        collection: str | None = None,
        filters: Filters | None = None,
        max_rounds: int | None = None,
        budget_tokens: int | None = None,
        budget_seconds: float | None = None,
        local_only: bool = False,
        web_search: bool | None = None,
        trace: str | PathLike[str] | None = None,
        on_event: Subscriber | None = None,
    ) -> Answer:
        """As `ask`, awaited. Cancelling it cancels the run."""
        request = AskRequest(
            question, filters=filters or Filters(), max_rounds=max_rounds, budget_tokens=budget_tokens,
            budget_seconds=budget_seconds, local_only=local_only, web_search=web_search, trace=trace,
        )  # fmt: skip
        return await self._portal.join(self._ask(request, collection, on_event))

    @names_unknown_options
    def stream(
        self,
        question: str,
        *,
        collection: str | None = None,
        filters: Filters | None = None,
        max_rounds: int | None = None,
        budget_tokens: int | None = None,
        budget_seconds: float | None = None,
        local_only: bool = False,
        web_search: bool | None = None,
        trace: str | PathLike[str] | None = None,
    ) -> Iterator[Event]:
        """The events of a run as they happen; the last one is `answer`, `error` or `cancelled`.

        The options are those of `ask`. Leaving the loop early cancels the run.
        """
        request = AskRequest(
            question, filters=filters or Filters(), max_rounds=max_rounds, budget_tokens=budget_tokens,
            budget_seconds=budget_seconds, local_only=local_only, web_search=web_search, trace=trace,
        )  # fmt: skip
        return self._stream(lambda watcher: self._ask(request, collection, watcher))

    # --- Researching ---

    @names_unknown_options
    def research(
        self,
        question: str,
        *,
        providers: Sequence[str] | None = None,
        since: int | None = None,
        until: int | None = None,
        keep: bool = False,
        collection: str | None = None,
        filters: Filters | None = None,
        max_rounds: int | None = None,
        budget_tokens: int | None = None,
        budget_seconds: float | None = None,
        local_only: bool = False,
        web_search: bool | None = None,
        trace: str | PathLike[str] | None = None,
        on_event: Subscriber | None = None,
    ) -> Answer:
        """A cited review of what the scholarly databases and the library say, or an honest "not found".

        providers: the databases to ask, by name. Default: all that are enabled. Raises UsageError for an unknown one.
        since, until: the first and the last year of publication.
        keep: store the papers that were found relevant in the collection.

        The other options are those of `ask`.
        """
        request = ResearchRequest(
            question, filters=filters or Filters(), max_rounds=max_rounds, budget_tokens=budget_tokens,
            budget_seconds=budget_seconds, local_only=local_only, web_search=web_search, trace=trace,
            providers=providers, since=since, until=until, keep=keep,
        )  # fmt: skip
        return self._portal.call(self._research(request, collection, on_event))

    @names_unknown_options
    async def aresearch(
        self,
        question: str,
        *,
        providers: Sequence[str] | None = None,
        since: int | None = None,
        until: int | None = None,
        keep: bool = False,
        collection: str | None = None,
        filters: Filters | None = None,
        max_rounds: int | None = None,
        budget_tokens: int | None = None,
        budget_seconds: float | None = None,
        local_only: bool = False,
        web_search: bool | None = None,
        trace: str | PathLike[str] | None = None,
        on_event: Subscriber | None = None,
    ) -> Answer:
        """As `research`, awaited. Cancelling it cancels the run."""
        request = ResearchRequest(
            question, filters=filters or Filters(), max_rounds=max_rounds, budget_tokens=budget_tokens,
            budget_seconds=budget_seconds, local_only=local_only, web_search=web_search, trace=trace,
            providers=providers, since=since, until=until, keep=keep,
        )  # fmt: skip
        return await self._portal.join(self._research(request, collection, on_event))

    @names_unknown_options
    def stream_research(
        self,
        question: str,
        *,
        providers: Sequence[str] | None = None,
        since: int | None = None,
        until: int | None = None,
        keep: bool = False,
        collection: str | None = None,
        filters: Filters | None = None,
        max_rounds: int | None = None,
        budget_tokens: int | None = None,
        budget_seconds: float | None = None,
        local_only: bool = False,
        web_search: bool | None = None,
        trace: str | PathLike[str] | None = None,
    ) -> Iterator[Event]:
        """As `stream`, for research."""
        request = ResearchRequest(
            question, filters=filters or Filters(), max_rounds=max_rounds, budget_tokens=budget_tokens,
            budget_seconds=budget_seconds, local_only=local_only, web_search=web_search, trace=trace,
            providers=providers, since=since, until=until, keep=keep,
        )  # fmt: skip
        return self._stream(lambda watcher: self._research(request, collection, watcher))

    # --- Inside ---

    def _search(self, request: SearchRequest, collection: str | None) -> SearchResponse:
        request = replace(request, collection=self.collection(collection).name)
        expand = self.settings.search.expand if request.expand is None else request.expand
        if expand or request.synthesize:
            from litloop.ask.search_synthesis import search_and_synthesise

            return self._portal.call(search_and_synthesise(self.run_service, request))
        return self.search_service.search(request)

    async def _ask(self, request: AskRequest, collection: str | None, on_event: Subscriber | None) -> Answer:
        from litloop.ask.run import ask

        request = replace(request, collection=self.collection(collection).name)
        return await ask(self.run_service, request, _watched_by(on_event))

    async def _research(self, request: ResearchRequest, collection: str | None, on_event: Subscriber | None) -> Answer:
        from litloop.research.run import research

        if collection is not None or self.components.catalogue.collection_names():
            collection = self.collection(collection).name
        request = replace(request, collection=collection or DEFAULT_COLLECTION)
        return await research(self.run_service, request, _watched_by(on_event))

    def _stream(self, run: Callable[[Subscriber], Coroutine[Any, Any, Answer]]) -> Iterator[Event]:
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


def _watched_by(on_event: Subscriber | None) -> EventStream:
    """The stream of a new run, told to whoever listens."""
    stream = EventStream()
    if on_event is not None:
        if not callable(on_event):
            raise UsageError(f"on_event is a function that is called with every event, not {on_event!r:.60}.")
        stream.subscribe(on_event)
    return stream
