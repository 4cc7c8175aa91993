"""Past runs can be opened again: every event, in order, as it was told."""

from __future__ import annotations

import sqlite3
import time

from litloop.core.events import EventStream
from litloop.runs.archive import SILENT_S, RunArchive
from litloop.runs.database import RUNS_FILE, RunsDatabase


def run(archive: RunArchive, run_id: str, *, end: str | None = "answer") -> None:
    stream = EventStream(run_id)
    stream.subscribe(archive.on_event)
    stream.emit("run_started", question="Why?", collection="notes")
    stream.emit("round_finished", round=1, text="\ud800 odd")
    if end == "answer":
        ledger = {"tokens": 12, "cost_usd": "unknown"}
        stream.emit("answer", answer={"status": "answered", "text": "So.", "ledger": ledger, "degraded": True})
    elif end:
        stream.emit(end)


def test_a_run_comes_back_with_its_events_after_the_file_was_closed(tmp_path):
    database = RunsDatabase(tmp_path / RUNS_FILE)
    run(RunArchive(database), "20260101-000000-a")
    database.close()
    archive = RunArchive(RunsDatabase(tmp_path / RUNS_FILE))
    record = archive.run("20260101-000000-a")
    assert (record.state, record.status, record.text, record.rounds, record.events) == ("done", "answered", "So.", 1, 3)
    assert (record.tokens, record.cost_usd, record.degraded) == (12, "unknown", True)
    events = archive.events("20260101-000000-a")
    assert [(event.seq, event.type) for event in events] == [(0, "run_started"), (1, "round_finished"), (2, "answer")]
    assert events[1].data["text"] == "\ud800 odd"
    assert [event.seq for event in archive.events("20260101-000000-a", after=1)] == [2]


def test_how_a_run_ended_is_told(tmp_path):
    archive = RunArchive(RunsDatabase(None))
    for number, end in enumerate(("answer", "error", "cancelled", None)):
        run(archive, f"run-{number}", end=end)
    assert [record.state for record in archive.runs()] == ["running", "cancelled", "failed", "done"]
    assert archive.run("nobody") is None


def test_a_run_that_fell_silent_is_not_called_running():
    database = RunsDatabase(None)
    archive = RunArchive(database)
    run(archive, "run", end=None)
    with database.transaction() as connection:
        connection.execute("UPDATE runs SET updated = ?", (time.time() - SILENT_S - 1,))
    assert archive.run("run").state == "interrupted"


def test_the_oldest_runs_make_room_with_their_events():
    database = RunsDatabase(None)
    archive = RunArchive(database, keep=2)
    for number in range(4):
        run(archive, f"run-{number}")
    assert [record.run_id for record in archive.runs()] == ["run-3", "run-2"]
    assert archive.count() == 2
    assert database.rows("SELECT DISTINCT run_id FROM run_events ORDER BY run_id") == [("run-2",), ("run-3",)]


def test_a_damaged_event_comes_back_empty_and_a_locked_file_does_not_stop_a_run(tmp_path):
    database = RunsDatabase(tmp_path / RUNS_FILE)
    archive = RunArchive(database)
    run(archive, "run")
    with database.transaction() as connection:
        connection.execute("UPDATE run_events SET data = ? WHERE seq = 1", (b"damaged",))
    assert archive.events("run")[1].data == {}
    other = sqlite3.connect(tmp_path / RUNS_FILE, isolation_level=None)
    database._connection.execute("PRAGMA busy_timeout = 50")
    other.execute("BEGIN EXCLUSIVE")
    run(archive, "unheard")  # logged, not raised
    other.execute("ROLLBACK")
    other.close()
    assert archive.run("unheard") is None
