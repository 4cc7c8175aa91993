"""Recordings: what the models said in one run, so that it can be replayed with the network closed."""

from __future__ import annotations

import sqlite3
import threading

from litloop.core.logs import Log
from litloop.llm.replay import Recording, StoredReply
from litloop.runs.database import RunsDatabase

log = Log("recordings")


class Recorder:
    """Writes one run down. Hand `on_reply` and `on_compressed` to the run's RunContext."""

    def __init__(self, database: RunsDatabase, run_id: str) -> None:
        self._database = database
        self._run_id = run_id
        self._lock = threading.Lock()
        self._seq = 0

    def on_reply(self, reply: StoredReply) -> None:
        with self._lock:
            seq, self._seq = self._seq, self._seq + 1
        self._write(
            "INSERT OR REPLACE INTO recorded_replies (run_id, seq, key, reply) VALUES (?, ?, ?, ?)",
            (self._run_id, seq, reply.key, reply.to_json()),
        )

    def on_compressed(self, key: str, texts: str) -> None:
        self._write(
            "INSERT OR REPLACE INTO recorded_compressions (run_id, key, texts) VALUES (?, ?, ?)",
            (self._run_id, key, texts),
        )

    def _write(self, statement: str, values: tuple[object, ...]) -> None:
        try:
            with self._database.transaction() as connection:
                connection.execute(statement, values)
        except sqlite3.Error as error:
            log.warning("the run is not fully recorded", run=self._run_id, reason=str(error))


def keep_latest(database: RunsDatabase, runs: int) -> None:
    """Forget the recordings of all but the latest `runs` runs (run ids sort by time)."""
    latest = "SELECT DISTINCT run_id FROM recorded_replies ORDER BY run_id DESC LIMIT ?"
    with database.transaction() as connection:
        connection.execute(f"DELETE FROM recorded_compressions WHERE run_id NOT IN ({latest})", (runs,))  # noqa: S608
        connection.execute(f"DELETE FROM recorded_replies WHERE run_id NOT IN ({latest})", (runs,))  # noqa: S608


def recording_of(database: RunsDatabase, run_id: str) -> Recording:
    """What the models said in a run; empty when it asked none. Raises ValueError when a reply cannot be read."""
    replies = database.rows("SELECT key, reply FROM recorded_replies WHERE run_id = ? ORDER BY seq", (run_id,))
    compressed = database.rows("SELECT key, texts FROM recorded_compressions WHERE run_id = ?", (run_id,))
    return Recording([StoredReply.from_json(key, reply) for key, reply in replies], dict(compressed))
