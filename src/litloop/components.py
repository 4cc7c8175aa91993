"""The components of an open library, each made when it is first used."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path

from litloop.catalogue import Catalogue, CatalogueWriter, Collection, writer_lock
from litloop.catalogue.database import ADD_ANEW
from litloop.core.errors import (
    EmbedderMismatch,
    LibraryError,
    LitloopError,
    NotALibrary,
    SettingsError,
    UsageError,
    WriterBusy,
)
from litloop.core.paths import CATALOGUE, INDEX
from litloop.core.settings import Settings
from litloop.core.settings.consent import ENGINE, Lead
from litloop.embedding import EmbedderSpec, describe_embedder, load_embedder, spec_of
from litloop.embedding.protocol import Embedder
from litloop.index.analyser import Analyser
from litloop.index.embedded import EmbeddedEngine
from litloop.index.engine import Engine
from litloop.index.indexer import Indexer, embed_missing

EMBEDDER_KEY = "embedder"  # meta: the fingerprint of the library's vectors
EMBEDDER_NAME_KEY = "embedder_name"
ENGINE_KEY = "engine"  # meta: the address of the server that holds the index, absent while it is embedded
LIBRARY_ID_KEY = "library_id"


class Components:
    """What a library is made of: catalogue, embedder, engine, and the indexer that joins them.

    Opening checks the embedder's fingerprint from files alone; no model and no index is loaded until asked for.
    """

    def __init__(
        self, folder: Path, settings: Settings, *, readonly: bool = False, embedder: Embedder | None = None
    ) -> None:
        """`embedder` takes the place of the one that the settings name. Raises UsageError when it cannot be used."""
        self.folder = folder
        self.settings = settings
        self.readonly = readonly
        self.catalogue = _catalogue(folder, settings, readonly=readonly)
        self._lock = threading.RLock()
        self._warming = False
        if embedder is not None:
            self.embedder, self.embedder_name, self.embedder_spec = embedder, embedder.name, spec_of(embedder)

    @classmethod
    def create(cls, folder: Path, settings: Settings, *, embedder: Embedder | None = None) -> Components:
        """Make an empty library. Raises NotALibrary when the folder holds something else."""
        if folder.is_file():
            raise NotALibrary(f"{folder} is a file, not a library folder.")
        if (folder / INDEX).is_dir() and not (folder / CATALOGUE).is_file():
            raise NotALibrary(f"The catalogue of {folder} ({CATALOGUE}) is gone, and with it the library. {ADD_ANEW}")
        if folder.is_dir() and any(folder.iterdir()) and not (folder / CATALOGUE).is_file():
            raise NotALibrary(f"{folder} is not a litloop library, and is not empty. Name another folder.")
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise LibraryError(f"The folder {folder} cannot be made: {error.strerror}.") from error
        Catalogue.create(folder).close()
        return cls(folder, settings, embedder=embedder)

    @staticmethod
    def exist(folder: Path, settings: Settings) -> bool:
        """Whether a library can be opened there. One on a database server is made when it is first opened, and has a
        folder only for what is derived."""
        return (folder / CATALOGUE).is_file() or settings.catalogue.url is not None

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the one right to change the library, on this machine and, with a shared catalogue, on all of them.

        Raises WriterBusy at once when someone else has it, UsageError when the library was opened for reading only."""
        if self.readonly:
            raise UsageError("This library was opened for reading only.")
        with writer_lock(self.folder), self.catalogue.database.exclusive():
            try:
                yield
            finally:
                self.catalogue.database.seal()

    # --- The embedder ---

    @cached_property
    def embedder_name(self) -> str:
        """The settings' embedder when they name one, else the one the library was made with."""
        if "model" in self.settings.embedding.model_fields_set:
            return self.settings.embedding.model
        return self.catalogue.meta(EMBEDDER_NAME_KEY) or self.settings.embedding.model

    @cached_property
    def embedder_spec(self) -> EmbedderSpec:
        return describe_embedder(self.embedder_name)

    @cached_property
    def embedder(self) -> Embedder:
        chosen = self.settings.embedding
        return load_embedder(
            self.embedder_name,
            runtime=chosen.runtime,
            precision=chosen.precision,
            batch_size=chosen.batch_size,
            threads=chosen.threads,
        )

    def warm(self) -> None:
        """Begin to load the model while catalogue and index are opened: a cold search waits for the longer only."""
        if self._warming:
            return
        self._warming = True
        with suppress(LitloopError):  # said by the search itself, where it matters
            warm = getattr(self.embedder, "warm", None)
            if warm is not None:
                warm()

    def check_embedder(self) -> None:
        """Raises EmbedderMismatch when the library's vectors come from another embedder."""
        made_with = self.catalogue.meta(EMBEDDER_KEY)
        if made_with and made_with != self.embedder_spec.fingerprint:
            name = self.catalogue.meta(EMBEDDER_NAME_KEY)
            raise EmbedderMismatch(
                f"This library was made with the embedder {name} ({made_with}), not {self.embedder_name} "
                f"({self.embedder_spec.fingerprint}). Open it with that one, or rebuild it with: litloop reindex"
            )

    def remember_embedder(self) -> None:
        writer = CatalogueWriter(self.catalogue)
        writer.set_meta(EMBEDDER_KEY, self.embedder_spec.fingerprint)
        writer.set_meta(EMBEDDER_NAME_KEY, self.embedder_name)

    # --- The index ---

    @cached_property
    def analyser(self) -> Analyser:
        return Analyser()

    @cached_property
    def engine(self) -> Engine:
        """The settings' engine when they name one, else the one the library was migrated to."""
        self.settings.refuse_withheld("engine")
        if self.engine_url:
            if not self.settings.engine.url:  # the catalogue names it, which whoever made the library has written
                self.settings.refuse_unagreed(self.folder, Lead(ENGINE, self.engine_url))
            return self.server_engine(self.engine_url)
        if self.settings.engine.kind == "qdrant":
            raise SettingsError("engine.kind is qdrant, but engine.url (LITLOOP_ENGINE__URL) names no server.")
        return self.embedded_engine()

    @property
    def engine_url(self) -> str | None:
        """Of the server that holds the index; None while it is in the folder."""
        chosen = self.settings.engine
        return None if chosen.kind == "embedded" else chosen.url or self.catalogue.meta(ENGINE_KEY) or None

    def embedded_engine(self) -> EmbeddedEngine:
        spec = self.embedder_spec
        return EmbeddedEngine(self.folder / INDEX, spec.fingerprint, spec.dimension, readonly=self.readonly)

    def server_engine(self, url: str) -> Engine:
        """Raises MissingExtra without the client, UsageError for an address that is none."""
        from litloop.index.qdrant.cluster import ClusterOptions
        from litloop.index.qdrant.engine import QdrantEngine

        chosen, spec = self.settings.engine, self.embedder_spec
        options = ClusterOptions(
            url=url,
            api_key=chosen.api_key.get_secret_value() if chosen.api_key else None,
            timeout_s=chosen.timeout_s,
            attempts=chosen.attempts,
            shards=chosen.shards,
            replicas=chosen.replicas,
            write_consistency=chosen.write_consistency,
        )
        cache = self.embedded_engine().store
        name = f"litloop_{chosen.name or self._library_id()}"
        root = self.folder / INDEX
        return QdrantEngine(options, name, cache, spec.fingerprint, root=root, readonly=self.readonly)

    def _library_id(self) -> str:
        """What tells this library from others on one server. Given when it first goes there."""
        known = self.catalogue.meta(LIBRARY_ID_KEY)
        if known is None:
            known = uuid.uuid4().hex[:12]
            CatalogueWriter(self.catalogue).set_meta(LIBRARY_ID_KEY, known)
        return known

    @cached_property
    def indexer(self) -> Indexer:
        return Indexer(self.catalogue, self.engine, self.analyser, self.embed_missing)

    def embed_missing(self, texts: Mapping[bytes, str]) -> int:
        """Compute and store the vectors of these embedded strings, by their hashes, that no passage left behind."""
        return embed_missing(self.engine.store, lambda: self.embedder, texts)

    def catch_up(self, collection: Collection) -> bool:
        """Bring the index to the catalogue's state, unless another process is at it. Returns whether it is.

        This is how a crash between the two is mended: the next process that opens the library finishes the work.
        """
        with self._lock:
            if not self.indexer.behind(collection):
                self._seal(collection)
                return True
            if self.readonly:
                return False
            try:
                with self.writing():
                    self.indexer.sync(collection)
            except (WriterBusy, LibraryError):
                return False
            return True

    def _seal(self, collection: Collection) -> None:
        """Give an index its checksums when a writer died before it could, or an older litloop made it."""
        if not self.readonly and not self.engine.sealed(collection.key):
            with suppress(LibraryError), self.writing():
                if self.engine.damage(collection.key) is None and not self.engine.sealed(collection.key):
                    self.engine.seal(collection.key)

    def forget_engine(self) -> None:
        """Open the engine anew when it is next used: the library has moved to another."""
        with self._lock:
            if "engine" in self.__dict__:
                self.engine.close()
            for name in ("engine", "indexer"):
                self.__dict__.pop(name, None)

    def close(self) -> None:
        if "engine" in self.__dict__:
            self.engine.close()
        self.catalogue.close()


def _catalogue(folder: Path, settings: Settings, *, readonly: bool) -> Catalogue:
    chosen = settings.catalogue
    if chosen.url is None:
        return Catalogue.open(folder)
    folder.mkdir(parents=True, exist_ok=True)
    return Catalogue.on_server(chosen.url.get_secret_value(), chosen.schema_name, create=not readonly)
