"""The ledger: one row for each attempt to call a model, and what they add up to."""

from __future__ import annotations

import csv
import io
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

from litloop.core.events import Event
from litloop.core.logs import Log
from litloop.core.records import ModelCall
from litloop.runs.database import RunsDatabase

log = Log("ledger")

Grouping = Literal["run", "task", "path", "day", "model"]

_GROUPS: Mapping[Grouping, str] = {
    "run": "run_id",
    "task": "task",
    "path": "path",
    "day": "substr(at, 1, 10)",
    "model": "provider || '/' || model",
}
_COLUMNS = tuple(field.name for field in fields(ModelCall))


@dataclass(frozen=True, slots=True)
class LedgerTotal:
    """What the rows of one group add up to. `cost` is in US dollars and holds the calls of known price only;
    `unpriced` counts those that spent tokens at an unknown price. `saved_tokens` is what compression took off."""

    group: str
    calls: int  # requests
    attempts: int  # rows that went over the wire
    failed: int  # attempts without a usable reply
    cached: int
    prompt_tokens: int
    completion_tokens: int
    saved_tokens: int
    cost: float
    unpriced: int
    ms: float


class Ledger:
    """Rows in runs.db. Subscribe `on_event` to a run's stream, or hand calls to `add`."""

    def __init__(self, database: RunsDatabase) -> None:
        self._database = database

    def add(self, call: ModelCall) -> None:
        """Book one attempt. A full disk or a locked file is logged and does not stop the run."""
        marks = ", ".join("?" * len(_COLUMNS))
        try:
            with self._database.transaction() as connection:
                connection.execute(
                    f"INSERT INTO model_calls ({', '.join(_COLUMNS)}) VALUES ({marks})",  # noqa: S608 (our own names)
                    tuple(getattr(call, column) for column in _COLUMNS),
                )
        except sqlite3.Error as error:
            log.warning("a model call was not booked", run=call.run_id, task=call.task, reason=str(error))

    def on_event(self, event: Event) -> None:
        """Book the `model_call` events of a stream."""
        if event.type == "model_call":
            call = event.data.get("call", event.data)
            self.add(call if isinstance(call, ModelCall) else call_from(call, run_id=event.run_id))

    def calls(self, *, run_id: str | None = None, since: str | None = None) -> list[ModelCall]:
        """The rows, oldest first; of one run, or from a day on (ISO date)."""
        where, values = _where(run_id, since)
        query = f"SELECT {', '.join(_COLUMNS)} FROM model_calls{where} ORDER BY id"  # noqa: S608
        return [call_from(dict(zip(_COLUMNS, row, strict=True))) for row in self._database.rows(query, values)]

    def totals(self, by: Grouping = "run", *, run_id: str | None = None, since: str | None = None) -> list[LedgerTotal]:
        """One total for each run, task, path, day or model, in the order in which they first appear."""
        where, values = _where(run_id, since)
        query = f"""
            SELECT {_GROUPS[by]} AS grp,
                   COUNT(DISTINCT call_id),
                   SUM({_ON_THE_WIRE}),
                   SUM({_ON_THE_WIRE} AND outcome NOT IN ('ok', 'invalid')),
                   SUM(outcome = 'cached'),
                   SUM(prompt_tokens), SUM(completion_tokens),
                   SUM({_SAVED}),
                   SUM(COALESCE(cost, 0)),
                   SUM(cost IS NULL AND prompt_tokens + completion_tokens > 0),
                   SUM(ms)
            FROM model_calls{where} GROUP BY grp ORDER BY MIN(id)
        """  # noqa: S608
        return [LedgerTotal(*row) for row in self._database.rows(query, values)]


# Compression is an attempt too, but on a path of its own; refusals, cache hits and replays never left the machine.
_SAVED = "CASE WHEN path = 'compression' THEN tokens_before_compression - tokens_after_compression ELSE 0 END"
_ON_THE_WIRE = "(path != 'compression' AND outcome NOT IN ('cached', 'refused'))"


def call_from(raw: Mapping[str, Any], *, run_id: str = "") -> ModelCall:
    """A ModelCall from a row or from an event's data."""
    known = {name: raw[name] for name in _COLUMNS if name in raw}
    known["via_gateway"] = bool(known.get("via_gateway", False))
    known["run_id"] = known.get("run_id") or run_id
    return ModelCall(**known)


def total_as_json(total: LedgerTotal) -> dict[str, Any]:
    """A total as JSON: the cost is None where it is not fully known, and `known_cost` holds the part that is."""
    raw = asdict(total)
    raw["known_cost"] = raw["cost"]
    raw["cost"] = None if total.unpriced else total.cost
    return raw


def as_csv(rows: Sequence[LedgerTotal] | Sequence[ModelCall]) -> str:
    """Totals or single calls as CSV with a header. An unknown cost is written `unknown`. A cell that a spreadsheet
    would take for a formula is quoted with an apostrophe."""
    if not rows:
        return ""
    out = io.StringIO()
    records = [total_as_json(row) if isinstance(row, LedgerTotal) else asdict(row) for row in rows]
    writer = csv.DictWriter(out, list(records[0]), lineterminator="\n")
    writer.writeheader()
    for record in records:
        writer.writerow({name: _cell(name, value) for name, value in record.items()})
    return out.getvalue()


def _cell(name: str, value: Any) -> Any:
    if name == "cost" and value is None:
        return "unknown"
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return "'" + value
    return value


def _where(run_id: str | None, since: str | None) -> tuple[str, list[str]]:
    conditions, values = [], []
    for condition, value in (("run_id = ?", run_id), ("at >= ?", since)):
        if value is not None:
            conditions.append(condition)
            values.append(value)
    return (f" WHERE {' AND '.join(conditions)}" if conditions else ""), values
