"""Runs the command line as a user does: another process, its own environment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HASHING = {"LITLOOP_EMBEDDING__MODEL": "hashing-256"}  # an embedder without a model: quick, and always the same


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


def litloop(
    *words: object, cwd: Path | None = None, env: Mapping[str, str] | None = None, timeout: float = 120
) -> Result:
    """`litloop WORDS…`. Keys of the machine at hand are taken out, so that no test asks a real model."""
    clean = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    clean = {name: value for name, value in clean.items() if not name.startswith("LITLOOP_") or name == "LITLOOP_CACHE"}
    done = subprocess.run(
        [sys.executable, "-m", "litloop", *map(str, words)],
        cwd=cwd, env={**clean, "COLUMNS": "120", **(env or {})}, capture_output=True, timeout=timeout, check=False,
    )  # fmt: skip
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())
