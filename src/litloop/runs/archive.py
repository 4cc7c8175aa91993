"""The archive: every event of past runs, so that a run can be opened again after its process has ended."""

from __future__ import annotations

import json
import sqlite3
import time
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from litloop.core.events import Event, EventType
from litloop.core.logs import Log
from litloop.runs.database import RunsDatabase

log = Log("archive")

RunState = Literal["running", "done", "failed", "cancelled", "interrupted"]

_ENDS: Mapping[str, RunState] = {"answer": "done", "error": "failed", "cancelled": "cancelled"}
# Seconds without an event after which a run that never said how it ended is taken for dead: longer than a model call
# with all its attempts may be silent.
SILENT_S = 300.0


@dataclass(frozen=True, slots=True)
class RunRecord:
    """What is known of a run without reading its events. `started` and `updated` are Unix times."""

    run_id: str
    question: str
    collection: str | None
    state: RunState
    status: str | None  # of the answer
    text: str | None  # of the answer
    started: float
    updated: float
    ms: float
    events: int
    rounds: int
    tokens: int | None
    cost_usd: float | Literal["unknown"] | None
    degraded: bool


class RunArchive:
    """Runs in runs.db. Subscribe `on_event` to a run's stream. The oldest runs go when there are more than `keep`."""

    def __init__(self, database: RunsDatabase, *, keep: int = 1000) -> None:
        self._database = database
        self._keep = keep

    def on_event(self, event: Event) -> None:
        """Keep one event. A full disk or a locked file is logged and does not stop the run."""
        raw = event.to_json()
        data = zlib.compress(json.dumps(raw["data"], ensure_ascii=False).encode("utf-8", "surrogatepass"), 1)
        try:
            with self._database.transaction() as connection:
                if event.type == "run_started":
                    self._begin(connection, event, raw["data"])
                connection.execute(
                    "INSERT OR REPLACE INTO run_events (run_id, seq, type, ms, data) VALUES (?, ?, ?, ?, ?)",
                    (event.run_id, event.seq, event.type, event.ms, data),
                )
                self._update(connection, event, raw["data"])
        except sqlite3.Error as error:
            log.warning("an event was not kept", run=event.run_id, type=event.type, reason=str(error))

    def runs(self, *, offset: int = 0, limit: int = 50) -> list[RunRecord]:
        """Newest first (run ids sort by time)."""
        rows = self._database.rows(f"{_SELECT} ORDER BY run_id DESC LIMIT ? OFFSET ?", (limit, offset))
        return [_record(row) for row in rows]

    def count(self) -> int:
        return int(self._database.rows("SELECT count(*) FROM runs")[0][0])

    def run(self, run_id: str) -> RunRecord | None:
        rows = self._database.rows(f"{_SELECT} WHERE run_id = ?", (run_id,))
        return _record(rows[0]) if rows else None

    def events(self, run_id: str, *, after: int = -1) -> list[Event]:
        """The events of a run in order, from the one after `after` on. Data that is damaged comes back empty."""
        rows = self._database.rows(
            "SELECT seq, type, ms, data FROM run_events WHERE run_id = ? AND seq > ? ORDER BY seq", (run_id, after)
        )
        return [Event(cast("EventType", type_), run_id, seq, ms, _data(blob)) for seq, type_, ms, blob in rows]

    def _begin(self, connection: sqlite3.Connection, event: Event, data: Mapping[str, Any]) -> None:
        now = time.time()
        connection.execute(
            """INSERT OR REPLACE INTO runs (run_id, question, collection, state, started, updated)
               VALUES (?, ?, ?, 'running', ?, ?)""",
            (event.run_id, str(data.get("question", "")), data.get("collection"), now, now),
        )
        old = "SELECT run_id FROM runs ORDER BY run_id DESC LIMIT -1 OFFSET ?"
        connection.execute(f"DELETE FROM run_events WHERE run_id IN ({old})", (self._keep,))  # noqa: S608
        connection.execute(f"DELETE FROM runs WHERE run_id IN ({old})", (self._keep,))  # noqa: S608

    def _update(self, connection: sqlite3.Connection, event: Event, data: Mapping[str, Any]) -> None:
        connection.execute(
            "UPDATE runs SET updated = ?, ms = ?, events = events + 1, rounds = rounds + ?, state = ? WHERE run_id = ?",
            (time.time(), event.ms, int(event.type == "round_finished"), _ENDS.get(event.type, "running"),
             event.run_id),
        )  # fmt: skip
        answer = data.get("answer")
        if event.type == "answer" and isinstance(answer, Mapping):
            ledger = answer.get("ledger") or {}
            connection.execute(
                "UPDATE runs SET status = ?, text = ?, tokens = ?, cost_usd = ?, degraded = ? WHERE run_id = ?",
                (answer.get("status"), answer.get("text"), ledger.get("tokens"), ledger.get("cost_usd"),
                 bool(answer.get("degraded")), event.run_id),
            )  # fmt: skip


_COLUMNS: Sequence[str] = (
    "run_id", "question", "collection", "state", "status", "text", "started", "updated", "ms", "events", "rounds",
    "tokens", "cost_usd", "degraded",
)  # fmt: skip
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM runs"  # noqa: S608 (our own names)


def _record(row: tuple[Any, ...]) -> RunRecord:
    raw = dict(zip(_COLUMNS, row, strict=True))
    if raw["state"] == "running" and time.time() - raw["updated"] > SILENT_S:
        raw["state"] = "interrupted"
    return RunRecord(**{**raw, "degraded": bool(raw["degraded"])})


def _data(blob: bytes) -> dict[str, Any]:
    try:
        found = json.loads(zlib.decompress(blob).decode("utf-8", "surrogatepass"))
    except (zlib.error, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
