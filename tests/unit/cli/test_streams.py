"""A closed output is noticed in any thread, and ends the main one."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from litloop.cli.streams import CLOSED

BEGINNING = """
import signal, sys, threading, time
from litloop.cli.streams import watch_output, flush_output
def later():
    time.sleep(0.2)
    print("a line", file=sys.stderr, flush=True)
"""


def ended(script: str, *, stderr_too: bool = True) -> subprocess.CompletedProcess[bytes]:
    """A program whose standard output, and standard error where wanted, go into one pipe that nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        return subprocess.run(
            [sys.executable, "-c", BEGINNING + script], stdout=writing,
            stderr=writing if stderr_too else subprocess.PIPE, timeout=30, check=False,
        )  # fmt: skip
    finally:
        os.close(writing)


@pytest.mark.skipif(sys.platform == "win32", reason="no signal wakes a waiting main thread there")
def test_a_thread_that_writes_in_vain_wakes_a_main_thread_that_waits():
    script = "watch_output(); threading.Thread(target=later).start(); threading.Event().wait()"
    assert ended(script).returncode == CLOSED


@pytest.mark.skipif(sys.platform == "win32", reason="needs a signal between threads")
def test_a_program_that_handles_interrupts_itself_is_asked_to_stop_in_its_own_way():
    script = (
        "stop = threading.Event()\nsignal.signal(signal.SIGINT, lambda *_: stop.set())\n"
        "watch_output(); threading.Thread(target=later).start()\n"
        "sys.exit(7 if stop.wait(20) else 8)"
    )
    assert ended(script).returncode == 7


def test_notes_of_a_thread_without_a_reader_leave_the_results_alone(tmp_path):
    script = (
        "watch_output(); note = threading.Thread(target=later); note.start(); note.join()\n"
        "sys.stdout.write('all of it\\n'); flush_output(); print('more', file=sys.stderr)"
    )
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-c", BEGINNING + script]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=writing, timeout=30, check=False)
    os.close(writing)
    assert (done.returncode, done.stdout) == (0, b"all of it\n")


def test_what_is_still_held_back_at_the_end_is_met_by_the_flush():
    done = ended("watch_output(); sys.stdout.write('held back'); flush_output()", stderr_too=False)
    assert (done.returncode, done.stderr) == (CLOSED, b"")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_a_network_connection_that_breaks_does_not_end_the_program():
    script = (
        "import socket\nwatch_output()\nours, theirs = socket.socketpair(); theirs.close()\n"
        "try:\n    ours.send(b'x')\nexcept BrokenPipeError:\n    time.sleep(0.1); sys.exit(5)"
    )
    assert ended(script).returncode == 5


def test_where_threads_cannot_be_sent_signals_a_run_that_is_waited_for_still_ends():
    script = (
        "import asyncio\nfrom litloop.cli.streams import CLOSED, output_closed\nfrom litloop.core.portal import Portal\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "sys.platform = 'win32'\nwatch_output(); threading.Thread(target=later).start()\n"
        "try:\n    Portal().call(asyncio.sleep(60))\n"
        "except KeyboardInterrupt:\n    sys.exit(CLOSED if output_closed() else 9)"
    )
    assert ended(script).returncode == CLOSED
