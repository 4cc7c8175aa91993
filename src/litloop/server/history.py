"""Past runs, as the routes tell them."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from litloop.answer.answer_json import answer_json, kept_answer
from litloop.core.events import Event
from litloop.runs.archive import RunRecord
from litloop.server.problems import ProblemError
from litloop.server.run_manager import ServedEvent
from litloop.server.schemas.running import RunList, RunOut

if TYPE_CHECKING:
    from litloop.server.state import ServerState


class History:
    """Reads the archive."""

    def __init__(self, state: ServerState) -> None:
        self._archive = state.archive
        self._live = state.run_manager

    def listed(self, offset: int, limit: int) -> RunList:
        rows = [_out(record) for record in self._archive.runs(offset=offset, limit=limit)]
        return RunList(runs=rows, total=self._archive.count(), offset=offset, limit=limit)

    def summary(self, run_id: str) -> RunOut:
        """Raises a 404 for a run that is not kept."""
        record = self._archive.run(run_id)
        if record is None:
            raise ProblemError(404, f"There is no run {run_id[:64]!r}.")
        return _out(record)

    def detail(self, run_id: str) -> dict[str, Any]:
        """A RunDetail, as it was kept: a run of an older litloop may lack what answers carry today."""
        events = self._archive.events(run_id)
        answers = [answer for event in events if (answer := answer_of(event)) is not None]
        return {
            **self.summary(run_id).model_dump(),
            "trace": [event.to_json() for event in events],
            "answer": answers[-1] if answers else None,
        }

    def answer(self, run_id: str) -> dict[str, Any] | None:
        """The record of a run's answer; None when it came to none. Raises a 404 for a run that is not kept."""
        self.summary(run_id)
        answers = [event.data.get("answer") for event in self._archive.events(run_id) if event.type == "answer"]
        return answers[-1] if answers and isinstance(answers[-1], dict) else None

    def trace(self, run_id: str) -> list[ServedEvent]:
        """The events of a finished run as they went over the wire when it ran."""
        self.summary(run_id)
        return [_served(event) for event in self._archive.events(run_id)]


def answer_of(event: Event) -> dict[str, Any] | None:
    """The ask object of a kept `answer` event."""
    raw = event.data.get("answer")
    if event.type != "answer" or not isinstance(raw, dict):
        return None
    return answer_json(kept_answer(raw))


def _served(event: Event) -> ServedEvent:
    raw = event.to_json()
    answer = answer_of(event)
    if answer is not None:
        del raw["data"]
        raw = {**answer, **raw}
    return ServedEvent(event.seq, event.type, json.dumps(raw, ensure_ascii=False, separators=(",", ":")))


def _out(record: RunRecord) -> RunOut:
    return RunOut.model_validate(
        {
            "run_id": record.run_id,
            "question": record.question,
            "collection": record.collection,
            "state": record.state,
            "status": record.status,
            "text": record.text,
            "started": datetime.fromtimestamp(record.started, UTC).isoformat(timespec="seconds"),
            "ms": record.ms,
            "events": record.events,
            "rounds": record.rounds,
            "tokens": record.tokens,
            "cost_usd": record.cost_usd,
            "degraded": record.degraded,
        }
    )
