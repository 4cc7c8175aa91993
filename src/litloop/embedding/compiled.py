"""Compiled models, kept from one process to the next: loading one takes 0.15 s, compiling it 1.5 s."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import threading
import time
from pathlib import Path
from typing import Any

from litloop.core.cache_folder import cache_folder
from litloop.core.errors import UsageError
from litloop.embedding.runtime import Graph

# A compiled model is 90 to 130 MB: old ones (other versions, other settings) are removed beyond this many.
KEPT_COMPILED = 4
ABANDONED_S = 3600
UNFINISHED = ".new-"


def compile_model(core: Any, graph: Graph, options: dict[str, Any], *, version: str) -> Any:
    """The model, compiled for this CPU; loaded instead where an earlier process compiled it.

    `version` is OpenVINO's. Raises UsageError when the graph cannot be run.
    """
    folder = _compiled_folder(graph, options, version)
    if folder is None:
        return _compile_afresh(core, graph, options)
    if folder.is_dir():
        try:
            compiled = core.compile_model(str(graph), "CPU", {**options, "CACHE_DIR": str(folder)})
        except RuntimeError:
            # Damaged, or of a CPU with other instructions: it is only a cache.
            shutil.rmtree(folder, ignore_errors=True)
            return _compile_afresh(core, graph, options)
        _touch(folder)
        return compiled
    return _compile_and_keep(core, graph, options, folder)


def _compile_and_keep(core: Any, graph: Graph, options: dict[str, Any], folder: Path) -> Any:
    """Compiled into a folder of this process first: a reader never meets a half-written model."""
    private = folder.with_name(f"{UNFINISHED}{os.getpid()}-{threading.get_ident()}")
    try:
        private.mkdir(parents=True, exist_ok=True)
        compiled = core.compile_model(str(graph), "CPU", {**options, "CACHE_DIR": str(private)})
    except (OSError, RuntimeError):
        # The folder cannot be written, or the model cannot run: the second shows now.
        shutil.rmtree(private, ignore_errors=True)
        return _compile_afresh(core, graph, options)
    try:
        private.rename(folder)
    except OSError:  # another process was faster
        shutil.rmtree(private, ignore_errors=True)
    _prune(folder.parent)
    return compiled


def _compile_afresh(core: Any, graph: Graph, options: dict[str, Any]) -> Any:
    try:
        if isinstance(graph, bytes):
            return core.compile_model(core.read_model(graph), "CPU", options)
        return core.compile_model(str(graph), "CPU", options)
    except RuntimeError as error:
        first = str(error).strip().splitlines()[-1] if str(error).strip() else "no reason given"
        raise UsageError(f"OpenVINO cannot run the model {_name(graph)}: {first}") from error


def _name(graph: Graph) -> str:
    return "in memory" if isinstance(graph, bytes) else str(graph)


def _compiled_folder(graph: Graph, options: dict[str, Any], version: str) -> Path | None:
    """One folder for each file, as it is now, with each set of options and each OpenVINO."""
    cache = cache_folder()
    if cache is None or isinstance(graph, bytes):
        return None
    stat = graph.stat()
    key = [str(graph.resolve()), stat.st_size, stat.st_mtime_ns, options, version]
    return cache / "compiled" / hashlib.sha256(json.dumps(key).encode()).hexdigest()[:20]


def _touch(folder: Path) -> None:
    with contextlib.suppress(OSError):
        os.utime(folder)


def _prune(parent: Path) -> None:
    """Remove all but the compiled models used last, and what killed processes left half-written."""
    with contextlib.suppress(OSError):
        folders = sorted(parent.iterdir(), key=lambda folder: folder.stat().st_mtime, reverse=True)
        finished = [folder for folder in folders if not folder.name.startswith(UNFINISHED)]
        abandoned = [
            folder
            for folder in folders
            if folder.name.startswith(UNFINISHED) and folder.stat().st_mtime < time.time() - ABANDONED_S
        ]
        for folder in (*finished[KEPT_COMPILED:], *abandoned):
            shutil.rmtree(folder, ignore_errors=True)
