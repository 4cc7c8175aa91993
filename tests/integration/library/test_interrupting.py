"""Ctrl-C while papers are added: the signal a terminal sends, a file that takes long, and nothing half-stored."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from litloop import Library
from litloop.cli.commands import INTERRUPTED
from support.cli import HASHING, litloop

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


def test_an_interrupt_among_many_small_files_leaves_those_stored_before_and_status_counts_the_others(tmp_path: Path):
    folder, place = tmp_path / "papers", tmp_path / "library"
    folder.mkdir()
    for number in range(1, 1501):
        (folder / f"trial-{number}.md").write_text(f"# Trial {number}\n\nTrial {number} had {number} arms.\n", "utf-8")
    adding = subprocess.Popen(
        [sys.executable, "-c", RUN, "add", str(folder), "--library", str(place)],
        env={**os.environ, "LITLOOP_EMBEDDING__MODEL": "hashing-256"}, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    deadline, stored = time.monotonic() + 60, 0
    while not stored and adding.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
        stored = papers_in(place)
    os.killpg(adding.pid, signal.SIGINT)
    adding.communicate(timeout=60)
    assert adding.returncode == INTERRUPTED
    assert 0 < papers_in(place) < 1500
    told = litloop("status", "--library", place, env=HASHING).out
    words = " ".join(told.split())
    assert told.count("trial-") <= 3
    assert re.search(r"[0-9,]+ files not finished: add them again to continue \(trial-", words)
    assert litloop("add", folder, "--library", place, env=HASHING).code == 0
    assert papers_in(place) == 1500


def papers_in(library: Path) -> int:
    """Papers that a library shows, 0 while there is none."""
    if not (library / "catalogue.db").is_file():
        return 0
    with closing(sqlite3.connect(library / "catalogue.db")) as database:
        try:
            return int(database.execute("SELECT count(*) FROM members").fetchone()[0])
        except sqlite3.OperationalError:
            return 0  # its tables are being made
