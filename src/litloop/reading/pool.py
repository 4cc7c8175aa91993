"""Reading in processes that may be killed: a file that crashes, hangs or swallows memory costs its own reading only."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any

from litloop.core.errors import SourceError
from litloop.core.records import Document
from litloop.reading.file import check_file
from litloop.reading.reading_limits import ReadingLimits
from litloop.reading.result import ReadResult
from litloop.reading.wire import error_from_json, result_from_json

# Signals by which a process ends that could not get memory: from the system, or by its own allocator giving up.
_OUT_OF_MEMORY = frozenset(
    getattr(signal, name) for name in ("SIGKILL", "SIGABRT", "SIGTRAP", "SIGILL") if hasattr(signal, name)
)


class ReadingPool:
    """Up to `limits.workers` reader processes, started when first needed and used for many files.

    `read` may be called from several threads; each call waits for a free worker. Use as a context manager: leaving it
    ends all workers, whatever they are doing.
    """

    def __init__(self, limits: ReadingLimits | None = None) -> None:
        self.limits = limits or ReadingLimits()
        self._free: queue.LifoQueue[_Worker] = queue.LifoQueue()
        self._workers = [_Worker(self.limits) for _ in range(max(1, self.limits.workers))]
        for worker in self._workers:
            self._free.put(worker)
        self._closed = False

    def read(self, path: Path | str, password: str | None = None) -> ReadResult:
        """Read one file. Raises SourceError as `read_file` does, and with kind timeout or memory."""
        path = Path(path)
        self._check_open()
        check_file(path, self.limits)
        with self._worker(path) as worker:
            return next(worker.answers(path, password))

    def stream(
        self, path: Path | str, password: str | None = None, *, warn: Callable[[str], None] | None = None
    ) -> Iterator[Document]:
        """The papers of a corpus file, which may be larger than memory. `warn` gets a sentence for each row that cannot
        be read. The time limit is on the reading of the whole file, not on what the caller does between two papers.
        Raises SourceError as `read` does."""
        path = Path(path)
        self._check_open()
        check_file(path, self.limits)
        with self._worker(path) as worker:
            for part in worker.answers(path, password, stream=True):
                if warn is not None:
                    for warning in part.warnings:
                        warn(warning)
                yield from part.documents

    def _check_open(self) -> None:
        if self._closed:
            raise RuntimeError("This reading pool is closed.")

    @contextmanager
    def _worker(self, path: Path) -> Iterator[_Worker]:
        """A worker of one's own. One that was not heard to the end is ended: what it says next must not be taken for
        the answer to another file."""
        worker = self._free.get()
        try:
            yield worker
        except SourceError:
            if self._closed:  # the worker was ended by us, which says nothing about the file
                raise RuntimeError(f"This reading pool was closed while {path.name} was being read.") from None
            raise
        except BaseException:
            worker.kill()
            raise
        finally:
            self._free.put(worker)

    def close(self) -> None:
        """End all workers now."""
        self._closed = True
        for worker in self._workers:
            worker.close()

    def __enter__(self) -> ReadingPool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Worker:
    """One reader process, started when there is something to read and again after it was killed."""

    def __init__(self, limits: ReadingLimits) -> None:
        self._limits = limits
        self._process: subprocess.Popen[str] | None = None
        self._closed = False
        self._lock = threading.Lock()  # around starting and ending the process

    def answers(self, path: Path, password: str | None, *, stream: bool = False) -> Iterator[ReadResult]:
        """What the process says of a file: with `stream` in parts, and the rest. Raises SourceError."""
        process, seconds = self._running(), self._limits.timeout_s
        request: dict[str, Any] | None
        request = {"path": str(path), "password": password, "limits": asdict(self._limits), "stream": stream}
        while True:
            asked = time.monotonic()
            answer = self._ask(process, path, request, seconds)
            if "part" not in answer:
                break
            seconds -= time.monotonic() - asked  # what the caller does with a part is not counted
            request = None
            yield result_from_json(answer["part"])
        if "error" in answer:
            raise error_from_json(answer["error"])
        yield result_from_json(answer["result"])

    def _ask(
        self, process: subprocess.Popen[str], path: Path, request: dict[str, Any] | None, seconds: float
    ) -> dict[str, Any]:
        """Send a request, if any, and wait for the next line, no longer than `seconds`."""
        timed_out = threading.Event()

        def stop() -> None:
            timed_out.set()
            process.kill()

        timer = threading.Timer(max(0.0, seconds), stop)
        timer.daemon = True
        timer.start()
        try:
            answer = _exchange(process, request)
        finally:
            timer.cancel()
        if answer is None:
            raise self._death(path, timed_out=timed_out.is_set())
        return answer

    def close(self) -> None:
        """End the process and start none any more."""
        self._closed = True
        self.kill()

    def kill(self) -> None:
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            kill_and_close(process)

    def _running(self) -> subprocess.Popen[str]:
        process = self._process
        if process is not None and process.poll() is None:
            return process
        self.kill()
        with self._lock:
            if self._closed:
                raise RuntimeError("This reading pool is closed.")
            self._process = _start(self._limits)
            return self._process

    def _death(self, path: Path, *, timed_out: bool) -> SourceError:
        process = self._process
        code = process.wait() if process is not None else 0
        self.kill()
        if timed_out:
            return SourceError(
                "timeout",
                f"{path.name} took longer to read than reading.timeout_s allows ({self._limits.timeout_s:g} s).",
            )
        if -code in _OUT_OF_MEMORY:
            return SourceError(
                "memory", f"{path.name} needs more memory than reading.memory_mb allows ({self._limits.memory_mb} MB)."
            )
        return SourceError("broken", f"{path.name} is broken: its parser crashed on it.")


def _start(limits: ReadingLimits) -> subprocess.Popen[str]:
    package_root = str(Path(__file__).resolve().parents[2])
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(part for part in (package_root, os.environ.get("PYTHONPATH", "")) if part),
        "PYTHONSAFEPATH": "1",  # modules lying in the folder of papers are not ours to import
        "PYTHONIOENCODING": "utf-8",
        "OPENBLAS_NUM_THREADS": "1",  # its thread pool alone would take a gigabyte of address space
        "OMP_NUM_THREADS": "1",
    }
    return subprocess.Popen(
        [sys.executable, "-m", "litloop.reading.worker", "--memory-mb", str(limits.memory_mb)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        env=environment, text=True, encoding="utf-8",
    )  # fmt: skip


def _exchange(process: subprocess.Popen[str], request: dict[str, Any] | None) -> dict[str, Any] | None:
    """Send a request, if any, and wait for the next answer; None when the process ended instead."""
    if process.stdin is None or process.stdout is None:
        raise RuntimeError("The reader process was started without pipes.")
    try:
        if request is not None:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
        line = process.stdout.readline()
    except (BrokenPipeError, ValueError, OSError):
        return None
    if not line.endswith("\n"):
        return None
    reply: dict[str, Any] = json.loads(line)
    return reply


def kill_and_close(process: subprocess.Popen[Any]) -> None:
    """End a process that is talked to through pipes, whatever it is doing."""
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
