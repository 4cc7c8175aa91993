import csv
import io
import json
import threading
from dataclasses import replace

import pytest

from litloop.core.events import EventStream, to_json_types
from litloop.core.records import ModelCall
from litloop.runs.database import RunsDatabase
from litloop.runs.ledger import Ledger, as_csv, total_as_json

OK = ModelCall(
    "c1", "relevance", "proxy", "groq", "llama-3.1-8b-instant", 1, "ok", 100, 20,
    cost=0.001, ms=50.0, run_id="r1", at="2026-11-29T10:00:00Z", tokens_counted_by="provider", via_gateway=True,
)  # fmt: skip


@pytest.fixture
def database():
    database = RunsDatabase(None)
    yield database
    database.close()


@pytest.fixture
def ledger(database):
    return Ledger(database)


def test_a_row_comes_back_as_it_went_in(ledger):
    ledger.add(OK)
    assert ledger.calls() == [OK]


def test_attempts_of_one_call_are_one_call_and_failures_are_counted(ledger):
    ledger.add(replace(OK, outcome="rate_limited", prompt_tokens=0, completion_tokens=0, cost=0.0))
    ledger.add(replace(OK, attempt=2))
    total = ledger.totals("run")[0]
    assert (total.calls, total.attempts, total.failed, total.prompt_tokens) == (1, 2, 1, 100)


def test_what_never_left_the_machine_is_no_attempt(ledger):
    for outcome in ("cached", "refused"):
        ledger.add(replace(OK, outcome=outcome, prompt_tokens=0, completion_tokens=0, cost=0.0))
    total = ledger.totals("run")[0]
    assert (total.attempts, total.failed, total.cached) == (0, 0, 1)


@pytest.mark.parametrize(
    ("by", "groups"),
    [
        ("run", ["r1", "r2"]),
        ("task", ["relevance", "summarise"]),
        ("path", ["proxy", "direct"]),
        ("day", ["2026-11-29", "2026-11-30"]),
        ("model", ["groq/llama-3.1-8b-instant", "gemini/g"]),
    ],
)
def test_totals_are_by_run_task_path_day_and_model(ledger, by, groups):
    ledger.add(OK)
    ledger.add(
        replace(
            OK, run_id="r2", task="summarise", path="direct", at="2026-11-30T01:00:00Z", provider="gemini", model="g"
        )
    )
    assert [total.group for total in ledger.totals(by)] == groups


def test_an_unknown_price_makes_the_total_unknown_and_not_smaller(ledger):
    ledger.add(OK)
    ledger.add(replace(OK, call_id="c2", cost=None))
    total = total_as_json(ledger.totals("run")[0])
    assert total["cost"] is None
    assert total["known_cost"] == 0.001
    assert total["unpriced"] == 1


def test_a_failure_that_spent_nothing_does_not_make_the_cost_unknown(ledger):
    ledger.add(replace(OK, cost=None, outcome="error", prompt_tokens=0, completion_tokens=0))
    assert total_as_json(ledger.totals("run")[0])["cost"] == 0


def test_compression_counts_what_it_saved_and_is_no_model_attempt(ledger):
    ledger.add(OK)
    ledger.add(
        replace(OK, call_id="c2", path="compression", prompt_tokens=0, completion_tokens=0,
                tokens_before_compression=1000, tokens_after_compression=400, cost=0.0)
    )  # fmt: skip
    total = ledger.totals("run")[0]
    assert (total.saved_tokens, total.attempts) == (600, 1)


def test_rows_can_be_asked_for_by_run_and_from_a_day_on(ledger):
    ledger.add(OK)
    ledger.add(replace(OK, run_id="r2", at="2026-12-01T00:00:00Z"))
    assert [call.run_id for call in ledger.calls(run_id="r2")] == ["r2"]
    assert [call.run_id for call in ledger.calls(since="2026-12-01")] == ["r2"]
    assert ledger.totals("run", since="2026-12-02") == []


def test_the_ledger_reads_the_stream_of_a_run(ledger):
    stream = EventStream("r7")
    stream.subscribe(ledger.on_event)
    stream.emit("model_call", call=replace(OK, run_id="r7"))
    stream.emit("model_call", **to_json_types(replace(OK, run_id="")))
    stream.emit("warning", text="not a call")
    assert [call.run_id for call in ledger.calls()] == ["r7", "r7"]


def test_csv_says_unknown_where_a_cost_is_unknown(ledger):
    ledger.add(replace(OK, cost=None))
    rows = list(csv.DictReader(io.StringIO(as_csv(ledger.calls()))))
    assert rows[0]["cost"] == "unknown"
    rows = list(csv.DictReader(io.StringIO(as_csv(ledger.totals("run")))))
    assert rows[0]["cost"] == "unknown"


def test_csv_holds_no_formula(ledger):
    ledger.add(replace(OK, reason="=cmd()", model="-1+1"))
    row = next(csv.DictReader(io.StringIO(as_csv(ledger.calls()))))
    assert (row["reason"], row["model"]) == ("'=cmd()", "'-1+1")


def test_csv_of_nothing_is_empty():
    assert as_csv([]) == ""


def test_totals_are_json(ledger):
    ledger.add(OK)
    assert json.loads(json.dumps(total_as_json(ledger.totals("task")[0])))["group"] == "relevance"


def test_a_ledger_that_cannot_write_does_not_stop_the_run(database, ledger):
    with database.transaction() as connection:
        connection.execute("DROP TABLE model_calls")
    ledger.add(OK)


def test_several_threads_may_book_at_once(ledger):
    threads = [threading.Thread(target=lambda: [ledger.add(OK) for _ in range(25)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ledger.calls()) == 100
