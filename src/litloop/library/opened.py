"""An open library: its parts, the event loop its questions run on, and the way it is closed."""

from __future__ import annotations

import threading
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from litloop.components import Components
from litloop.core.errors import UsageError
from litloop.core.portal import Portal

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from litloop.catalogue import Collection
    from litloop.pipeline.run_service import RunService
    from litloop.retrieval.fusion import LearnedFusion
    from litloop.retrieval.reranking import Reranker
    from litloop.retrieval.service import SearchService

DEFAULT_COLLECTION = "default"


class OpenLibrary:
    """What every call of a library needs. Safe to use from several threads."""

    def __init__(self, components: Components, reranker: Reranker | None = None) -> None:
        self.components = components
        self._reranker = reranker
        self.settings = components.settings
        self._loop = Portal()
        self._run_service: RunService | None = None
        self._lock = threading.Lock()
        self._closed = False

    def __repr__(self) -> str:
        return f"<litloop.Library {str(self.folder)!r}{' (closed)' if self._closed else ''}>"

    @property
    def folder(self) -> Path:
        return self.components.folder

    @cached_property
    def search_service(self) -> SearchService:
        from litloop.retrieval.service import SearchService

        return SearchService(self.components, reranker=self._make_reranker, learned=self._learned_fusion)

    @property
    def run_service(self) -> RunService:
        """What runs questions, with the clients of the models and the books of past runs. Made when first used."""
        from litloop.pipeline.run_service import RunService

        with self._lock:
            if self._run_service is None:
                self._run_service = RunService(self.components, self.search_service)
            return self._run_service

    def collections(self) -> list[Collection]:
        self._check_open()
        return self.components.catalogue.collections()

    def collection(self, name: str | None = None) -> Collection:
        """The collection of that name. Without a name: `default`, or the only one there is.

        Raises UsageError when there is none of that name, or the library was closed.
        """
        self._check_open()
        if name is not None and not isinstance(name, str):
            raise UsageError(f"collection is the name of a collection, not {name!r:.60}.")
        if name is None:
            names = self.components.catalogue.collection_names()
            name = names[0] if len(names) == 1 else DEFAULT_COLLECTION
        return self.components.catalogue.collection(name)

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

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _make_reranker(self) -> Reranker:
        """The caller's own, else the one that the settings name."""
        from litloop.experimental.late_interaction import load_reranker

        components = self.components
        model = components.settings.search.rerank_model
        return self._reranker or load_reranker(model, lambda: components.embedder, components.analyser.terms)

    def _learned_fusion(self) -> LearnedFusion | None:
        """The one that was trained for this library, if there is one."""
        from litloop.experimental.learned_fusion import FUSION_FILE, read_fusion_model

        return read_fusion_model(self.folder / FUSION_FILE)

    @property
    def _portal(self) -> Portal:
        self._check_open()
        return self._loop

    def _check_open(self) -> None:
        if self._closed:
            raise UsageError("This library is closed. Open it again with Library.open.")
