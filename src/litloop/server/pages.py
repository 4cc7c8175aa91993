"""Pages of PDFs for the reader's eye: sizes, boxes and pictures, from a process that may be killed, cached."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
import uuid
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from litloop.reading.pool import kill_and_close
from litloop.server.problems import ProblemError

if TYPE_CHECKING:
    from litloop.catalogue import SourceFile

TIMEOUT_S = 20.0  # one page of one file
MEMORY_MB = 2048
MOST_CACHED_MB = 200  # of pictures on disk
MOST_REMEMBERED = 2000  # answers about sizes and boxes
MOST_SIZES = 20_000  # pages of one file


@dataclass(frozen=True, slots=True)
class BoxesOnPage:
    """Boxes are (x, y, width, height) in fractions of the page as shown; width and height are in points."""

    page: int
    width: float
    height: float
    boxes: tuple[tuple[float, float, float, float], ...]


class PageRenderer:
    """Asks one worker process, one thing at a time. `folder` keeps pictures between requests, under their hashes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._thread = ThreadPoolExecutor(1, "pages")
        self._worker = _Worker()
        self._known: OrderedDict[Hashable, Any] = OrderedDict()

    async def sizes(self, source: SourceFile) -> list[tuple[float, float]]:
        """(width, height) of each page as it is shown, in points."""
        found = await self._ask(source, {"do": "sizes", "most": MOST_SIZES})
        return [(width, height) for width, height in found]

    async def boxes(
        self, source: SourceFile, spans: Sequence[tuple[int | None, int, int]], *, most_pages: int
    ) -> list[BoxesOnPage]:
        """Where characters stand: `spans` are (page, first, last + 1) as a Text's source_spans gives them."""
        wanted = sorted({page for page, _, _ in spans if page is not None})[:most_pages]
        kept = [list(span) for span in spans if span[0] in wanted]
        found = await self._ask(source, {"do": "boxes", "spans": kept})
        return [
            BoxesOnPage(raw["page"], raw["width"], raw["height"], tuple(tuple(box) for box in raw["boxes"]))
            for raw in found
        ]

    async def picture(self, source: SourceFile, page: int, width: int) -> bytes:
        """A page as PNG. Raises a 404 for a page that the file does not have."""
        picture: bytes = await self._in_thread(lambda: self._picture(source, page, width))
        return picture

    def close(self) -> None:
        self._worker.close()
        self._thread.shutdown(wait=True, cancel_futures=True)

    def _picture(self, source: SourceFile, page: int, width: int) -> bytes:
        kept = self._folder / f"{source.sha256[:32]}-{page}-{width}.png"
        with suppress(OSError):
            picture = kept.read_bytes()
            os.utime(kept)
            return picture
        self._folder.mkdir(parents=True, exist_ok=True)
        partial = kept.with_name(f"{uuid.uuid4().hex}.part")
        try:
            answer = self._worker.ask(
                {"do": "picture", "path": source.path, "page": page, "width": width, "to": str(partial)},
                Path(source.path).name,
            )
            if "pages" in answer:
                raise ProblemError(404, f"{Path(source.path).name} has {answer['pages']} pages.")
            picture = partial.read_bytes()
            partial.replace(kept)
        finally:
            partial.unlink(missing_ok=True)
        self._make_room()
        return picture

    def _make_room(self) -> None:
        """Forget the pictures that were not asked for longest."""
        files = sorted(((f.stat().st_mtime, f.stat().st_size, f) for f in self._folder.glob("*.png")), reverse=True)
        total = 0
        for _, size, file in files:
            total += size
            if total > MOST_CACHED_MB * 1_000_000:
                file.unlink(missing_ok=True)

    async def _ask(self, source: SourceFile, request: dict[str, Any]) -> Any:
        key = (source.sha256, json.dumps(request))
        if key in self._known:
            self._known.move_to_end(key)
            return self._known[key]
        name = Path(source.path).name
        answer = await self._in_thread(lambda: self._worker.ask({**request, "path": source.path}, name))
        self._known[key] = answer
        while len(self._known) > MOST_REMEMBERED:
            self._known.popitem(last=False)
        return answer

    async def _in_thread(self, call: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._thread, call)


class _Worker:
    """The process, started when first asked and again after it was killed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()

    def ask(self, request: dict[str, Any], name: str) -> Any:
        """Raises a 422 in a sentence when the file crashes PDFium, hangs it, or cannot be opened."""
        process = self._running()
        late = threading.Event()

        def stop() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(TIMEOUT_S, stop)
        timer.daemon = True
        timer.start()
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except (OSError, ValueError):
            line = ""
        finally:
            timer.cancel()
        if not line.endswith("\n"):
            self.close()
            why = "takes too long to draw" if late.is_set() else "cannot be drawn: PDFium crashed on it"
            raise ProblemError(422, f"{name} {why}.")
        answer = json.loads(line)
        if "error" in answer:
            locked = "password" in answer["error"].lower()
            raise ProblemError(422, f"{name} {'needs a password to be shown' if locked else 'cannot be drawn'}.")
        return answer["ok"]

    def close(self) -> None:
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            kill_and_close(process)

    def _running(self) -> subprocess.Popen[str]:
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                self._process = _start()
            return self._process


def _start() -> subprocess.Popen[str]:
    root = str(Path(__file__).resolve().parents[2])
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(part for part in (root, os.environ.get("PYTHONPATH", "")) if part),
        "PYTHONSAFEPATH": "1",
        "PYTHONIOENCODING": "utf-8",
        "OPENBLAS_NUM_THREADS": "1",
    }
    return subprocess.Popen(
        [sys.executable, "-m", "litloop.server.page_worker", str(MEMORY_MB)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        env=environment, text=True, encoding="utf-8",
    )  # fmt: skip
