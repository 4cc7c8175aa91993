"""The ledger: what was asked of language models, and what it cost."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from fastapi import APIRouter, Query

from litloop.runs.ledger import Grouping, LedgerTotal, total_as_json
from litloop.server.schemas.problems import problem_responses
from litloop.server.schemas.running import LedgerRow, LedgerTable
from litloop.server.state import State

router = APIRouter(tags=["runs"])


@router.get("/ledger", responses=problem_responses(401))
def ledger(
    state: State,
    by: Annotated[Grouping, Query()] = "day",
    since: Annotated[date | None, Query(description="Only from this day on", examples=["2026-11-01"])] = None,
    run_id: Annotated[str | None, Query(max_length=64)] = None,
) -> LedgerTable:
    """Show token totals by day, task, path, model or run. A cost that is not fully known is null, never 0."""
    day = since.isoformat() if since else None
    totals = state.ledger.totals(by, run_id=run_id, since=day)
    return LedgerTable(by=by, since=day, rows=[_row(total) for total in totals], total=_row(_sum(totals)))


def _row(total: LedgerTotal) -> LedgerRow:
    return LedgerRow.model_validate(total_as_json(total))


def _sum(totals: list[LedgerTotal]) -> LedgerTotal:
    def add(name: str) -> float:
        return sum(float(getattr(total, name)) for total in totals)

    return LedgerTotal(
        group="all", calls=int(add("calls")), attempts=int(add("attempts")), failed=int(add("failed")),
        cached=int(add("cached")), prompt_tokens=int(add("prompt_tokens")),
        completion_tokens=int(add("completion_tokens")), saved_tokens=int(add("saved_tokens")), cost=add("cost"),
        unpriced=int(add("unpriced")), ms=add("ms"),
    )  # fmt: skip
