"""The peers' environments: each in a folder of its own under `.venv-peer`, made when it is first asked for.

    python -m benchmarks.speed.environments recipe      makes one, and prints where its interpreter is

What a peer takes to install is a figure too, so time and size are kept. A peer that cannot be installed is no error of
the benchmark: the reason is told in its row.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.places import ROOT
from benchmarks.speed.machine import folder_bytes

FOLDER = ROOT / ".venv-peer"
PEERS = Path(__file__).with_name("peers")
REQUIREMENTS = {
    "recipe": Path(__file__).parent / "load" / "peer-requirements.txt",
    "engines": PEERS / "engines.txt",
    "paper_qa": PEERS / "paper_qa.txt",
    "haiku": PEERS / "haiku.txt",
}
PATIENCE_S = 1200
_KEPT = "installed.json"


class NotInstalled(Exception):
    """A peer's environment could not be made; the message says why."""


@dataclass(frozen=True)
class Environment:
    python: str
    install_s: float  # downloads from the local cache or the registry included
    install_mb: float


def environment(name: str) -> Environment:
    """Made anew when the requirements have changed. Raises NotInstalled."""
    folder, wanted = FOLDER / name, REQUIREMENTS[name].read_text(encoding="utf-8")
    kept = folder / _KEPT
    if kept.exists():
        known = json.loads(kept.read_text(encoding="utf-8"))
        if known["requirements"] == wanted:
            return Environment(str(folder / "bin" / "python"), known["install_s"], known["install_mb"])
    started = time.perf_counter()
    _run([sys.executable, "-m", "venv", "--clear", str(folder)])
    _run([str(folder / "bin" / "python"), "-m", "pip", "install", "-q", "-r", str(REQUIREMENTS[name])])
    found = Environment(str(folder / "bin" / "python"), time.perf_counter() - started, folder_bytes(folder) / 1e6)
    known = {"requirements": wanted, "install_s": found.install_s, "install_mb": found.install_mb}
    kept.write_text(json.dumps(known), encoding="utf-8")
    return found


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        raise NotInstalled(f"installing took longer than {PATIENCE_S} s") from None
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or [f"exit {done.returncode}"]
        raise NotInstalled(f"could not be installed: {errors[-1][:200]}")


if __name__ == "__main__":
    print(environment(sys.argv[1]).python)
