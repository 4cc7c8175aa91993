"""`litloop serve` as a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from support.cli import HASHING


@contextmanager
def serving(
    library: Path, *options: str, python: str | Path = sys.executable, env: Mapping[str, str] | None = None
) -> Iterator[tuple[dict[str, Any], subprocess.Popen[str]]]:
    """What the server told when it was up, and its process, which is ended by SIGTERM if it still runs."""
    clean = {
        name: value for name, value in os.environ.items() if not name.endswith("_API_KEY") and name != "PYTHONPATH"
    }
    command = [str(python), "-m", "litloop", "serve", "--library", str(library), "--port", "0", "--json", *options]
    process = subprocess.Popen(
        command, env={**clean, **HASHING, **(env or {})}, cwd=library.parent, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert process.stderr is not None
        told = ""
        while not told.endswith("}\n"):
            line = process.stdout.readline()
            assert line, process.stderr.read()
            told += line
        yield json.loads(told), process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
