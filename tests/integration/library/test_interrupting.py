"""Ctrl-C while papers are added: the signal a terminal sends, a file that takes long, and nothing half-stored."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from litloop import Library
from litloop.cli.commands import INTERRUPTED

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no SIGINT of another process")
WITHIN_S = 1.5
# The command, hearing SIGINT even where this test was started with interrupts ignored.
RUN = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from litloop.cli.app import main; main()"
)


def readers_of(process: int) -> list[str]:
    found = subprocess.run(["pgrep", "-P", str(process)], capture_output=True, text=True, check=False)
    return found.stdout.split()


def test_an_interrupt_ends_the_reading_of_a_long_file_at_once_and_stores_nothing_of_it(test_data: Path, tmp_path: Path):
    long = test_data / "documents" / "pdf" / "long_619_pages.pdf"
    adding = subprocess.Popen(
        [sys.executable, "-c", RUN, "add", str(long), "--library", str(tmp_path / "library")],
        env={**os.environ, "LITLOOP_EMBEDDING__MODEL": "hashing-256"}, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while not (readers := readers_of(adding.pid)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert readers
    time.sleep(0.7)  # it is in the middle of the file: reading it all takes several seconds
    asked = time.monotonic()
    os.killpg(adding.pid, signal.SIGINT)
    _, said = adding.communicate(timeout=60)
    assert time.monotonic() - asked < WITHIN_S
    assert (adding.returncode, said.strip().splitlines()[-1]) == (
        INTERRUPTED, "Interrupted. What was stored so far is safe.",
    )  # fmt: skip
    assert not any(Path(f"/proc/{reader}").exists() for reader in readers)
    with Library.open(tmp_path / "library") as library:
        held = library.collection()
        assert library.components.catalogue.paper_count(held.key) == 0
        assert library.verify()[0][0].sound
