"""Commands whose output goes into a pipe: its reader may leave at any time, and Ctrl-C reaches both ends."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from litloop.cli.commands import INTERRUPTED
from litloop.cli.streams import CLOSED
from support.cli import HASHING, litloop
from support.fault_server import FaultServer, fault_server, hangs

# A command that hears SIGINT even where the tests were started deaf to it.
HEARING = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from litloop.cli.app import main; main()"
)
AT_ONCE_S = 20  # seconds; an end takes about two on a busy machine, and what it must not wait for takes 600
ASKED = ("ask", "What did FDG PET show in progressive supranuclear palsy?")


@pytest.fixture(scope="module")
def library(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("pipes")
    papers = [
        {"id": f"p{number}", "title": f"FDG PET in progressive supranuclear palsy, cohort {number}",
         "abstract": "FDG PET showed reduced midbrain uptake in all twelve patients with supranuclear palsy. " * 3}
        for number in range(30)
    ]  # fmt: skip
    corpus = folder / "papers.jsonl"
    corpus.write_text("\n".join(json.dumps(paper) for paper in papers), encoding="utf-8")
    assert litloop("add", corpus, "--library", folder / "library", env=HASHING).code == 0
    return folder / "library"


@contextmanager
def started(*words: object, env: dict[str, str], **streams: int) -> Iterator[subprocess.Popen[bytes]]:
    """The command in a process group of its own, as a shell starts one of a pipe."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("LITLOOP_")}
    process = subprocess.Popen(
        [sys.executable, "-c", HEARING, *map(str, words)],
        env={**clean, "COLUMNS": "120", **env},
        start_new_session=True,
        **streams,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()


def without_reader(*words: object, unbuffered: bool = False) -> tuple[int, str]:
    """The exit code, and what was said on standard error, with nobody at the other end of standard output."""
    reading, writing = os.pipe()
    os.close(reading)
    env = {**HASHING, "PYTHONUNBUFFERED": "1" if unbuffered else ""}
    try:
        with started(*words, env=env, stdout=writing, stderr=subprocess.PIPE) as process:
            _, said = process.communicate(timeout=60)
            return process.returncode, said.decode()
    finally:
        os.close(writing)


@pytest.mark.parametrize(
    "words",
    [
        ("status",), ("verify",), ("reindex",), ("doctor",), ("ledger",), ("parse", "What is it?"),
        ("search", "midbrain uptake"), ("search", "midbrain uptake", "--json"), ("export", "-F", "bibtex"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_command_whose_reader_has_gone_ends_quietly(library, words):
    code, said = without_reader(*words, "--library", library)
    assert code == CLOSED
    assert "rror" not in said


@pytest.mark.parametrize("words", [("--help",), ("--version",), ("ask", "--help")], ids=" ".join)
def test_help_whose_reader_has_gone_ends_quietly(words):
    assert without_reader(*words) == (CLOSED, "")


def test_unbuffered_output_ends_as_quietly(library):
    assert without_reader("search", "midbrain uptake", "--library", library, unbuffered=True) == (CLOSED, "")


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs a shell with pipes")
@pytest.mark.parametrize("lines", [1, 4])
def test_ask_into_head_ends(library, lines):
    command = f'"$0" -m litloop "$@" 2>&1 | head -{lines}; exit ${{PIPESTATUS[0]}}'
    done = subprocess.run(
        ["bash", "-c", command, sys.executable, *ASKED, "--library", str(library)],
        env={**os.environ, **HASHING}, capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == CLOSED
    assert len(done.stdout.decode().splitlines()) == lines
    assert done.stderr == b""


@contextmanager
def waiting_for_a_model(library: Path, **streams: int) -> Iterator[tuple[subprocess.Popen[bytes], FaultServer]]:
    """A question in the middle of its run: a model was asked that never answers."""
    with fault_server(hangs()) as server:
        env = {
            **HASHING, "LITLOOP_LLM__PROFILE": "custom", "LITLOOP_LLM__MODEL": "scripted",
            "LITLOOP_LLM__BASE_URL": server.base_url, "LITLOOP_LLM__TIMEOUT_S": "300",
        }  # fmt: skip
        with started(*ASKED, "--library", library, env=env, **streams) as process:
            deadline = time.monotonic() + 60
            while not server.chats and process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.02)
            assert server.chats
            yield process, server


@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no SIGINT of another process")
def test_an_interrupt_during_a_run_through_a_pipe_is_told_and_lets_the_model_go(library):
    with waiting_for_a_model(library, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as (process, server):
        os.killpg(process.pid, signal.SIGINT)
        told, _ = process.communicate(timeout=AT_ONCE_S)
        assert server.disconnected.wait(AT_ONCE_S)
    assert process.returncode == INTERRUPTED
    assert told.decode().splitlines()[-1] == "Interrupted. What was stored so far is safe."
    assert "Traceback" not in told.decode()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no SIGINT of another process")
def test_an_interrupt_that_ends_the_reader_too_still_counts_as_one(library):
    with waiting_for_a_model(library, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as (process, server):
        assert process.stdout is not None
        process.stdout.close()
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(AT_ONCE_S) == INTERRUPTED
        assert server.disconnected.wait(AT_ONCE_S)


def test_notes_without_a_reader_do_not_cost_the_answer(library):
    reading, writing = os.pipe()
    os.close(reading)
    words = (*ASKED, "--library", library)
    try:
        with started(*words, env=HASHING, stdout=subprocess.PIPE, stderr=writing) as process:
            answer, _ = process.communicate(timeout=60)
    finally:
        os.close(writing)
    told = litloop(*words, env=HASHING)
    assert (process.returncode, answer.decode()) == (told.code, told.out)


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs a shell that closes streams")
def test_a_command_started_without_any_output_does_its_work(library):
    command = '"$0" -m litloop status --library "$1" >&- 2>&-'
    env = {**os.environ, **HASHING}
    done = subprocess.run(["bash", "-c", command, sys.executable, str(library)], env=env, timeout=60, check=False)
    assert done.returncode == 0


def test_a_server_whose_reader_has_gone_ends(library):
    assert without_reader("serve", "--port", "0", "--library", library)[0] == CLOSED
