"""The two streams that a command writes to, and what happens when their reader goes away (`litloop ask … | head -4`).

A write to a closed pipe fails in whichever thread made it: a log line of a worker, a step of a run told from the event
loop's thread, a result in the main thread. An error there would be lost, or stop a thread that others wait for. So
both streams are watched where they meet the system: the first failed write turns the stream to nothing, and the main
thread, wherever it is, ends the command as it would at Ctrl-C, without a word.
"""

from __future__ import annotations

import _thread
import errno
import io
import os
import signal
import sys
import threading
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

CLOSED = 141  # exit code: 128 + SIGPIPE, as a shell calls the end of any program whose reader went away
_closed = threading.Event()


class OutputClosed(SystemExit):
    """Whoever read the output is gone. Raised in the main thread only."""

    def __init__(self) -> None:
        super().__init__(CLOSED)


def watch_output() -> None:
    """From now on a closed output ends the command with `CLOSED`. Streams that stand in for the real ones are left."""
    sys.stdout, sys.stderr = _watched(sys.stdout), _watched(sys.stderr)
    if sys.platform != "win32" and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGPIPE, _end)


def output_closed() -> bool:
    return _closed.is_set()


def flush_output() -> None:
    """Write what is still held back, so that an error of it is met here and not at the interpreter's end."""
    sys.stdout.flush()
    sys.stderr.flush()


def _watched(stream: Any) -> Any:
    if stream is None:  # started with this stream closed: `litloop status >&-`
        return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123 - open as long as the process
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(encoding="utf-8", errors="replace")
    if stream.isatty():
        return stream  # nobody reads a terminal but the person in front of it
    buffer = getattr(stream, "buffer", None)
    raw = getattr(buffer, "raw", buffer)  # with PYTHONUNBUFFERED there is no buffer between
    if not isinstance(stream, io.TextIOWrapper) or not isinstance(raw, io.RawIOBase) or isinstance(raw, _Watched):
        return stream
    stream.flush()
    watched = _Watched(raw)
    return io.TextIOWrapper(
        watched if buffer is raw else io.BufferedWriter(watched),  # as Python itself does
        encoding="utf-8",
        errors="replace",
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


class _Watched(io.RawIOBase):
    """The end of a stream that hands bytes to the system."""

    def __init__(self, raw: io.RawIOBase) -> None:
        self._raw = raw
        self.name = getattr(raw, "name", "<output>")
        self.mode = "wb"

    def write(self, data: ReadableBuffer, /) -> int | None:
        try:
            return self._raw.write(data)
        except OSError as error:
            if not _reader_gone(error):
                raise
        self._turn_to_nothing()
        return len(memoryview(data))

    def _turn_to_nothing(self) -> None:
        ends = _is_results(self._raw.fileno())
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, self._raw.fileno())
        os.close(nothing)
        if not ends:
            return  # only notes are lost: the results have a reader of their own
        _closed.set()
        if threading.current_thread() is threading.main_thread():
            raise OutputClosed
        _call_main_thread()

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._raw.fileno()

    def isatty(self) -> bool:
        return self._raw.isatty()


def _reader_gone(error: OSError) -> bool:
    # Windows calls it an invalid argument.
    return isinstance(error, BrokenPipeError) or (sys.platform == "win32" and error.errno == errno.EINVAL)


def _is_results(descriptor: int) -> bool:
    """Whether this is standard output, or standard error led into the same pipe (`2>&1`)."""
    if descriptor == 1:
        return True
    try:
        ours, results = os.fstat(descriptor), os.fstat(1)
    except OSError:
        return False
    return ours.st_ino != 0 and (ours.st_dev, ours.st_ino) == (results.st_dev, results.st_ino)


def _call_main_thread() -> None:
    main = threading.main_thread().ident
    if sys.platform == "win32" or main is None:
        _thread.interrupt_main()
    else:
        # The signal also wakes a main thread that waits for a lock, which `interrupt_main` does not.
        signal.pthread_kill(main, signal.SIGPIPE)


def _end(number: int, frame: FrameType | None) -> None:
    """In the main thread, when any pipe or socket of this process was written to in vain."""
    if not _closed.is_set():
        return  # a network connection: its own error tells
    interrupt = signal.getsignal(signal.SIGINT)
    if callable(interrupt) and interrupt is not signal.default_int_handler:
        interrupt(signal.SIGINT, frame)  # the server lets its runs end
    else:
        raise OutputClosed
