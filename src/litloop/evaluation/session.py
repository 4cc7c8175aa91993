"""What `litloop eval run` and `train-fusion` do: targets are opened, measured and written, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from litloop.core.cache_folder import cache_folder
from litloop.core.errors import LitloopError, NotALibrary, UsageError
from litloop.core.requests import SearchRequest
from litloop.core.settings import Settings
from litloop.embedding.load import load_embedder
from litloop.embedding.protocol import Embedder
from litloop.evaluation.baselines import EXPANSION, RERANKER, Baseline, made_folder, write_baseline
from litloop.evaluation.collections import TestCollection, load_collection
from litloop.evaluation.fusion_examples import examples
from litloop.evaluation.fusion_training import Trained, train
from litloop.evaluation.labelled import LabelledSet
from litloop.evaluation.loop_runs import LoopRun, library_of, run_loop
from litloop.evaluation.measurement import measure
from litloop.evaluation.methods import LOOP, METHODS, parse_method
from litloop.evaluation.metrics import DEFAULT_METRICS, check_metrics
from litloop.evaluation.neural_search_layout import (
    is_neural_search_layout,
    judgement_warnings,
    load_neural_search_layout,
)
from litloop.evaluation.query_expansion import Expander
from litloop.evaluation.runner import as_library, index_collection, question_vectors
from litloop.evaluation.targets import CollectionTarget, LibraryTarget, Target, library_target, passage_target
from litloop.experimental.fusion_learners import Example
from litloop.experimental.late_interaction import load_reranker
from litloop.experimental.learned_fusion import FUSION_FILE, read_fusion_model, write_fusion_model
from litloop.index.analyser import Analyser
from litloop.library import Library
from litloop.retrieval.fusion import LearnedFusion
from litloop.retrieval.plan import RetrievalPlan
from litloop.retrieval.reranking import Reranker

Progress = Callable[[str, int, int], None]  # what is done, how far, of how many


@dataclass(frozen=True, slots=True)
class RunOptions:
    methods: tuple[str, ...] = METHODS
    metrics: tuple[str, ...] = DEFAULT_METRICS
    split: str = "test"
    passages: bool = False
    model: bool = False
    cache: Path | None = None
    collection: str | None = None
    name: str = "default"
    hide_source: bool = False


class EvaluationSession:
    """Runs of one call. `library` is opened only when something needs one."""

    def __init__(
        self, options: RunOptions, *, settings: Callable[[], Settings], library: Callable[[], Library]
    ) -> None:
        """Raises UsageError for an unknown method or metric before anything is read."""
        for name in options.methods:
            parse_method(name)
        check_metrics(options.metrics)
        self._options = options
        self._load = settings
        self._open = library
        self._library: Library | None = None

    def measured(self, folder: Path | None, on_progress: Progress) -> Baseline:
        """One target: the test collection in `folder`, Neural_search's questions there, or the library's own set."""
        if folder is None:
            target = library_target(
                self.library, self._options.name, collection=self._options.collection,
                hide_source=self._options.hide_source,
            )  # fmt: skip
            held = LabelledSet.open(self.library.folder, self._options.name)
            warnings = [] if self._options.hide_source else held.circularity().warnings()
            return self._of_library(target, warnings, on_progress)
        if not folder.is_dir():
            raise UsageError(f"There is no folder {folder}.")
        if is_neural_search_layout(folder):
            asked = load_neural_search_layout(folder)
            target = passage_target(self.library, asked, collection=self._options.collection)
            return self._of_library(target, judgement_warnings(asked), on_progress)
        return self._of_collection(load_collection(folder, self._options.split), on_progress)

    def written(self, run: Baseline, folder: Path) -> Path:
        made_folder(folder)
        stem = run.collection if run.split == "test" else f"{run.collection}-{run.split}"
        # Not hidden, though a library's folder usually is.
        path = folder / f"{stem.replace('/', '-').lstrip('.') or 'library'}.json"
        write_baseline(run, path)
        return path

    @property
    def library(self) -> Library:
        if self._library is None:
            self._library = self._open()
        return self._library

    @cached_property
    def settings(self) -> Settings:
        return self._load()

    def _of_library(self, target: LibraryTarget, warnings: Sequence[str], on_progress: Progress) -> Baseline:
        library = self.library

        def loop(question: str) -> LoopRun:
            if target.unit == "passage":
                raise UsageError("the loop ends with papers, and the judgements are of passages")
            return run_loop(library, target.held.name, question)

        return self._measure(target, library.components.embedder, loop, warnings, on_progress)

    def _of_collection(self, collection: TestCollection, on_progress: Progress) -> Baseline:
        with locked_folder(cache_of(self._options.cache), collection) as folder:
            target = indexed_target(
                collection, self.embedder, folder, self.settings, passages=self._options.passages,
                learned=self._learned, on_progress=lambda done, total: on_progress("embedding", done, total),
            )  # fmt: skip
            if not any(parse_method(name).search == LOOP for name in self._options.methods):
                return self._measure(target, self.embedder, None, (), on_progress)
            on_progress("making a library", 0, len(collection.documents))
            with library_of(collection, folder / "library", self.settings) as made:
                name = made.collection().name

                def loop(question: str) -> LoopRun:
                    return run_loop(made, name, question)

                return self._measure(target, self.embedder, loop, (), on_progress)

    def _measure(
        self,
        target: Target,
        embedder: Embedder,
        loop: Callable[[str], LoopRun] | None,
        warnings: Sequence[str],
        on_progress: Progress,
    ) -> Baseline:
        options = self._options
        expander = Expander(target, self.settings, model=options.model)
        try:
            run = measure(
                target, options.methods, embedder, metrics=options.metrics, expander=expander, loop=loop,
                warnings=warnings, on_progress=on_progress,
            )  # fmt: skip
        finally:
            expander.close()
        if any(parse_method(name).search == "rerank" for name in run.methods):
            run = replace(run, models={**run.models, RERANKER: self.settings.search.rerank_model})
        return replace(run, models={**run.models, EXPANSION: expander.model}) if expander.model else run

    @cached_property
    def embedder(self) -> Embedder:
        return embedder_of(self.settings)

    def _learned(self) -> LearnedFusion | None:
        """The library's own learned fusion, where the command line named a library or stands in one."""
        with suppress(NotALibrary):
            return read_fusion_model(self.library.folder / FUSION_FILE)
        return None


def trained(
    library: Library,
    folders: Sequence[Path],
    *,
    name: str = "default",
    collection: str | None = None,
    cache: Path | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> tuple[Trained, Path | None]:
    """Learn from the library's set, or from test collections; store in the library what gains. Returns also where."""
    components = library.components
    found: list[Example] = []
    if not folders:
        target = library_target(library, name, collection=collection)
        searched = library.search_service.searched(target.held)

        def plans(text: str) -> RetrievalPlan:
            return replace(library.search_service.plan(text, target.held, SearchRequest(text)), boost="off")

        found, _ = examples(
            target.collection, searched, plans, components.analyser, components.embedder, on_progress=on_progress
        )
    for folder in folders:
        with locked_folder(cache_of(cache), load_collection(folder)) as kept:
            of_collection = indexed_target(load_collection(folder), components.embedder, kept, library.settings)
            more, _ = examples(
                of_collection.collection, of_collection.indexed.searched,
                lambda text, of=of_collection: of.plan("hybrid", text),  # type: ignore[misc]
                components.analyser, components.embedder,
                vectors=question_vectors(of_collection.indexed, components.embedder),
                on_progress=on_progress,
            )  # fmt: skip
            found += more
    result = train(found, components.embedder_spec.fingerprint)
    if result.model is None:
        return result, None
    path = library.folder / FUSION_FILE
    write_fusion_model(result.model, path)
    return result, path


def indexed_target(
    collection: TestCollection,
    embedder: Embedder,
    folder: Path,
    settings: Settings,
    *,
    passages: bool = False,
    learned: Callable[[], LearnedFusion | None] | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> CollectionTarget:
    """`collection` indexed in `folder`, searched with `settings`."""
    cut = settings.passages
    loaded: list[Reranker] = []

    def reranker() -> Reranker:
        if not loaded:
            loaded.append(load_reranker(settings.search.rerank_model, lambda: embedder, Analyser().terms))
        return loaded[0]

    indexed = index_collection(
        collection, embedder, folder, cut=as_library(embedder, cut.size, cut.overlap) if passages else None,
        reranker=reranker, learned=learned, on_progress=on_progress,
    )  # fmt: skip
    told = f"{cut.size}/{cut.overlap}" if passages else "whole"
    return CollectionTarget(indexed, embedder, Analyser(), settings.search, told)


def embedder_of(settings: Settings) -> Embedder:
    chosen = settings.embedding
    return load_embedder(
        chosen.model, runtime=chosen.runtime, precision=chosen.precision, batch_size=chosen.batch_size,
        threads=chosen.threads,
    )  # fmt: skip


def cache_of(given: Path | None) -> Path:
    """Where vectors of test collections are kept. Raises UsageError when nowhere is writable and none is named."""
    kept = given or cache_folder()
    if kept is None:
        raise UsageError("There is no folder to keep vectors in. Name one with --cache.")
    return kept if given else kept / "evaluation"


@contextmanager
def locked_folder(cache: Path, collection: TestCollection) -> Iterator[Path]:
    """The collection's folder in the cache, for this run alone: two runs in one folder would drop each other's index.

    Raises LitloopError when another run has it.
    """
    from filelock import FileLock, Timeout

    folder = cache / collection.name
    made_folder(folder)
    lock = FileLock(str(folder / "run.lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise LitloopError(
            f"Another run is using {folder}. Wait for it, or name another folder with --cache."
        ) from None
    try:
        yield folder
    finally:
        lock.release()
