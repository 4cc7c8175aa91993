"""The process that reads: `python -m litloop.reading.worker --memory-mb N`.

One JSON request per line on standard input, JSON answers on standard output, a line each. It may be killed at any
time; it holds nothing that would be missed. It ends by itself when its parent has gone.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import IO, Any

from litloop.core.errors import SourceError
from litloop.reading.file import check_file, read_file
from litloop.reading.reading_limits import MEGABYTE, ReadingLimits, limit_memory
from litloop.reading.result import ReadResult
from litloop.reading.wire import error_to_json, result_to_json

_PARENT_CHECK_S = 2.0
DOCUMENTS_PER_PART = 64  # of a corpus that is streamed


def run_worker(requests: IO[str], answers: IO[str]) -> None:
    """Answer requests until the input ends. A corpus that is asked for as a stream is answered in several lines."""
    for line in requests:
        request = json.loads(line)
        for answer in stream_corpus(request) if request.get("stream") else (handle_request(request),):
            answers.write(json.dumps(answer) + "\n")
            answers.flush()


def handle_request(request: dict[str, Any]) -> dict[str, Any]:
    """`{"result": …}`, or `{"error": {"kind", "message"}}` where the file cannot be read."""
    path = Path(request["path"])
    try:
        limits = ReadingLimits(**request["limits"])
        result = read_file(path, request["password"], limits)
        check_text_size(path, result, limits)
        return {"result": result_to_json(result)}
    except Exception as error:  # a parser that stumbles over one file must not take the others along
        return _error_answer(path, error)


def stream_corpus(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The papers of a corpus file in parts, `{"part": …}`, then an empty `{"result": …}`, or `{"error": …}`."""
    from litloop.reading.corpus import iter_corpus, media_type

    path = Path(request["path"])
    warnings: list[str] = []
    try:
        check_file(path, limits := ReadingLimits(**request["limits"]))
        documents = iter_corpus(path, limits=limits, warn=warnings.append)
        while part := tuple(islice(documents, DOCUMENTS_PER_PART)):
            check_text_size(path, result := ReadResult(part, tuple(warnings)), limits)
            yield {"part": result_to_json(result)}
            warnings.clear()
        yield {"result": result_to_json(ReadResult((), (), media_type(path)))}
    except Exception as error:
        yield _error_answer(path, error)


def check_text_size(path: Path, result: ReadResult, limits: ReadingLimits) -> None:
    """A file may give more text than it has bytes: drawn many times over, or packed. Raises SourceError (too_large)."""
    letters = sum(len(document.text.content) for document in result.documents)
    if letters > limits.max_unpacked_mb * MEGABYTE:
        raise SourceError(
            "too_large",
            f"{path.name} gives {letters / MEGABYTE:,.1f} million characters of text; reading.max_unpacked_mb allows "
            f"{limits.max_unpacked_mb:g}.",
        )


def _error_answer(path: Path, error: Exception) -> dict[str, Any]:
    if isinstance(error, SourceError):
        return {"error": error_to_json(error)}
    if _is_lack_of_memory(error):
        told = SourceError("memory", f"{path.name} needs more memory than reading.memory_mb allows.")
    else:
        told = SourceError("broken", f"{path.name} is broken: its parser failed ({type(error).__name__}).")
    return {"error": error_to_json(told)}


def _is_lack_of_memory(error: Exception) -> bool:
    """A parser that finds no room to be loaded fails as an import."""
    return isinstance(error, MemoryError) or (isinstance(error, ImportError) and "failed to map" in str(error))


def end_with_parent(parent: int) -> None:
    """Leave when the parent has died in the middle of a file: a killed run must not leave readers behind."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_PARENT_CHECK_S)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def main() -> None:
    memory_mb = int(sys.argv[sys.argv.index("--memory-mb") + 1])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle: it kills its workers
    end_with_parent(os.getppid())
    # Answers go out by a private copy of standard output, so that nothing a library prints can get between them.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    limit_memory(memory_mb)
    run_worker(sys.stdin, answers)


if __name__ == "__main__":
    main()
