"""The process that reads: `python -m litloop.reading.worker --memory-mb N`.

One JSON request per line on standard input, one JSON answer per line on standard output. It may be killed at any
time; it holds nothing that would be missed. It ends by itself when its parent has gone.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import IO, Any

from litloop.core.errors import SourceError
from litloop.reading.file import read_file
from litloop.reading.reading_limits import ReadingLimits, limit_memory
from litloop.reading.wire import error_to_json, result_to_json

_PARENT_CHECK_S = 2.0


def run_worker(requests: IO[str], answers: IO[str]) -> None:
    """Answer requests until the input ends."""
    for line in requests:
        answers.write(json.dumps(handle_request(json.loads(line))) + "\n")
        answers.flush()


def handle_request(request: dict[str, Any]) -> dict[str, Any]:
    """`{"result": …}`, or `{"error": {"kind", "message"}}` where the file cannot be read."""
    path = Path(request["path"])
    try:
        return {"result": result_to_json(read_file(path, request["password"], ReadingLimits(**request["limits"])))}
    except SourceError as error:
        return {"error": error_to_json(error)}
    except Exception as error:
        if _is_lack_of_memory(error):
            return {
                "error": {"kind": "memory", "message": f"{path.name} needs more memory than reading.memory_mb allows."}
            }
        # A parser that stumbles over one file must not take the others along.
        return {
            "error": {
                "kind": "broken",
                "message": f"{path.name} is broken: its parser failed ({type(error).__name__}).",
            }
        }


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
    parser = argparse.ArgumentParser()
    parser.add_argument("--memory-mb", type=int, required=True)
    arguments = parser.parse_args()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle: it kills its workers
    end_with_parent(os.getppid())
    # Answers go out by a private copy of standard output, so that nothing a library prints can get between them.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    limit_memory(arguments.memory_mb)
    run_worker(sys.stdin, answers)


if __name__ == "__main__":
    main()
