"""The machine a figure was taken on, and two of its limits: how fast memory reads, and what a process holds."""

from __future__ import annotations

import os
import platform
import re
import resource
import threading
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

READ_BYTES = 2 << 30  # several times any processor's cache; never more than a quarter of the free memory
_BLOCK = 1 << 22  # numbers read in one call
_PACKAGES = ("litloop", "numpy", "tantivy", "faiss-cpu", "openvino")


def machine_facts() -> dict[str, Any]:
    """What a reader needs to judge the figures: processor, cores, memory, system, versions, and who else was there."""
    return {
        "processor": _proc_line("/proc/cpuinfo", "model name") or platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "memory_gb": round(_memory_bytes("MemTotal") / 1e9, 1),
        "cache_mb": _largest_cache_mb(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "packages": {name: found for name in _PACKAGES if (found := _version(name))},
        "date": time.strftime("%Y-%m-%d"),
        "load": round(os.getloadavg()[0], 2),
    }


def bandwidth(read_bytes: int = READ_BYTES) -> dict[str, float]:
    """GB a second that one and two threads read from memory: the limit of any scan. The best of three passes of the
    faster of two reductions, over a buffer much larger than the processor's cache."""
    room = _memory_bytes("MemAvailable") or 4 * read_bytes
    numbers = np.ones(min(read_bytes, room // 4) // 4, dtype=np.float32)
    ways: tuple[Callable[[NDArray[np.float32]], object], ...] = (
        np.max,
        lambda part: np.bitwise_or.reduce(part.view(np.int64)),
    )
    seconds = {n: min(_read(numbers, way, n) for way in ways for _ in range(3)) for n in (1, 2)}
    return {f"{n}_threads_gb_s": numbers.nbytes / taken / 1e9 for n, taken in seconds.items()}


def peak_mb() -> float:
    """Of this process. Not `ru_maxrss` where it can be helped: Linux hands that of the parent on to a child."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(re.search(r"VmHWM:\s+(\d+)", status.read_text(encoding="utf-8"))[1]) / 1024  # type: ignore[index]
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def folder_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def _read(numbers: NDArray[np.float32], way: Callable[[NDArray[np.float32]], object], threads: int) -> float:
    def read(part: NDArray[np.float32]) -> None:
        for start in range(0, len(part) - len(part) % 2, _BLOCK):
            way(part[start : min(start + _BLOCK, len(part) - len(part) % 2)])

    share = len(numbers) // threads
    running = [threading.Thread(target=read, args=(numbers[n * share : (n + 1) * share],)) for n in range(threads)]
    started = time.perf_counter()
    for one in running:
        one.start()
    for one in running:
        one.join()
    return time.perf_counter() - started


def _memory_bytes(name: str) -> int:
    found = _proc_line("/proc/meminfo", name)
    return int(found.split()[0]) * 1024 if found else 0


def _proc_line(path: str, name: str) -> str | None:
    """The value of the first line `name: value`; None where the system has no such file."""
    file = Path(path)
    if not file.exists():
        return None
    found = re.search(rf"^{re.escape(name)}\s*:\s*(.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    return found[1].strip() if found else None


def _largest_cache_mb() -> float | None:
    sizes = [path.read_text().strip() for path in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size")]
    return max((int(size.removesuffix("K")) / 1024 for size in sizes if size.endswith("K")), default=None)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
