"""Real Ray nodes on addresses of loopback, each a process group that can be killed like a machine that fails."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

HEAD = "127.0.0.11"
STARTING_S = 120


class RayNodes:
    """A head on 127.0.0.11 and workers on the addresses after it, one core each."""

    def __init__(self, workers: int) -> None:
        self._folder = tempfile.mkdtemp(prefix="ray-")
        self.address = f"{HEAD}:{_free_port()}"
        port = self.address.rpartition(":")[2]
        self._nodes: list[subprocess.Popen[bytes]] = []
        self._start("--head", f"--port={port}", f"--node-ip-address={HEAD}", f"--temp-dir={self._folder}/ray")
        for number in range(workers):
            self._start(f"--address={self.address}", f"--node-ip-address=127.0.0.{12 + number}")

    def kill(self, node: int) -> None:
        """All processes of a node at once, as when its power fails."""
        process = self._nodes[node]
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(30)

    def stop(self) -> None:
        for node in reversed(range(len(self._nodes))):
            self.kill(node)

    def _start(self, *words: str) -> None:
        """Start a node and wait until it says that it runs: one that joins too early goes away without a word."""
        program = Path(sys.executable).with_name("ray")
        said = Path(self._folder) / f"node-{len(self._nodes)}.log"
        command: Sequence[str] = [
            str(program), "start", *words, "--num-cpus=1", "--block", "--disable-usage-stats",
            "--object-store-memory=100000000", *(["--include-dashboard=false"] if "--head" in words else []),
        ]  # fmt: skip
        with said.open("wb") as log:
            node = subprocess.Popen(
                command, stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
                env={**os.environ, "RAY_USAGE_STATS_ENABLED": "0", "RAY_health_check_period_ms": "1000"},
            )  # fmt: skip
        self._nodes.append(node)
        until = time.monotonic() + STARTING_S
        while time.monotonic() < until and node.poll() is None:
            if "Ray runtime started" in said.read_text(errors="replace"):
                return
            time.sleep(0.2)
        raise AssertionError(f"a Ray node did not start: {said.read_text(errors='replace')[-500:]}")


@contextmanager
def ray_nodes(workers: int) -> Iterator[RayNodes]:
    nodes = RayNodes(workers)
    try:
        yield nodes
    finally:
        nodes.stop()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HEAD, 0))
        return int(probe.getsockname()[1])
