"""What `litloop doctor` looks at beside the models: the library, its embedder, its index, the disk."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from litloop.components import Components
from litloop.core.errors import LitloopError
from litloop.core.notebook import counted
from litloop.core.paths import CATALOGUE
from litloop.core.settings import Settings
from litloop.embedding import describe_embedder
from litloop.llm.doctor import DoctorRow

LITTLE_ROOM_GB = 1.0


def check_library(folder: Path, settings: Settings) -> list[DoctorRow]:
    """One row for each thing looked at. Changes nothing."""
    return [*_embedder_rows(settings), *_disk_rows(folder), *_library_rows(folder, settings)]


def _embedder_rows(settings: Settings) -> Iterator[DoctorRow]:
    try:
        spec = describe_embedder(settings.embedding.model)
    except LitloopError as error:
        yield DoctorRow("embedder", "fail", str(error), "Choose another embedder, or install what is missing.")
    else:
        yield DoctorRow(
            "embedder", "ok", f"{spec.name} is installed ({spec.dimension} dimensions, {spec.window} tokens)."
        )


def _disk_rows(folder: Path) -> Iterator[DoctorRow]:
    place = next((p for p in (folder, *folder.absolute().parents) if p.is_dir()), Path.cwd())
    free = shutil.disk_usage(place).free / 1e9
    if free < LITTLE_ROOM_GB:
        yield DoctorRow("disk", "warn", f"Only {free:.1f} GB are free.", "Free some space before adding papers.")
    else:
        yield DoctorRow("disk", "ok", f"{free:.0f} GB are free.")


def _library_rows(folder: Path, settings: Settings) -> Iterator[DoctorRow]:
    if not (folder / CATALOGUE).is_file():
        yield DoctorRow(
            "library", "off", f"There is no library at {folder} yet.", f"Make one with: litloop init {folder}"
        )
        return
    try:
        components = Components(folder, settings, readonly=True)
    except LitloopError as error:
        yield DoctorRow("library", "fail", str(error), "Name another folder with --library.")
        return
    try:
        components.check_embedder()
        collections = components.catalogue.collections()
        papers = sum(collection.papers for collection in collections)
        held = f"{counted(papers, 'paper')} in {counted(len(collections), 'collection')}"
        yield DoctorRow("library", "ok", f"{folder} holds {held}.")
        damaged = [damage for collection in collections if (damage := components.engine.damage(collection.key))]
        behind = [collection.name for collection in collections if components.indexer.behind(collection)]
        if damaged:
            yield DoctorRow("engine", "fail", damaged[0], "Run: litloop verify --repair")
        elif behind:
            late = ", ".join(behind)
            yield DoctorRow("engine", "warn", f"The index of {late} is behind.", "Run: litloop verify --repair")
        else:
            yield DoctorRow("engine", "ok", "The index is at the catalogue's state.")
    except LitloopError as error:
        yield DoctorRow("library", "fail", str(error), "Open it with that embedder, or run: litloop reindex")
    finally:
        components.close()
