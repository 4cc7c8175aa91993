from __future__ import annotations

import json

import numpy as np
import pytest

from litloop.core.events import EventStream, TraceWriter, new_run_id, read_trace, to_json_types
from litloop.core.records import Anchor, ClosestTopic


def test_events_are_numbered_in_order_and_reach_every_watcher():
    stream, one, two = EventStream(), [], []
    stream.subscribe(one.append)
    stream.subscribe(two.append)
    stream.emit("run_started", question="q")
    stream.emit("warning", message="m")
    assert [(event.seq, event.type) for event in one] == [(0, "run_started"), (1, "warning")]
    assert one == two


def test_a_watcher_that_breaks_does_not_break_the_run():
    stream, seen = EventStream(), []

    def broken(event):
        raise RuntimeError

    stream.subscribe(broken)
    stream.subscribe(seen.append)
    stream.emit("warning", message="a")
    stream.emit("warning", message="b")
    assert len(seen) == 2


def test_a_trace_reads_back_as_it_was_written(tmp_path):
    path = tmp_path / "run.jsonl"
    stream, events = EventStream(), []
    with path.open("w", encoding="utf-8") as file:
        stream.subscribe(TraceWriter(file))
        stream.subscribe(events.append)
        stream.emit("retrieval", papers=[ClosestTopic("α", 0.5, 3)], vector=np.ones(2, np.float32))
    read = list(read_trace(path))
    assert [event.to_json() for event in read] == [event.to_json() for event in events]


def test_line_separators_inside_a_text_do_not_break_a_trace(tmp_path):
    path = tmp_path / "run.jsonl"
    with path.open("w", encoding="utf-8") as file:
        stream = EventStream()
        stream.subscribe(TraceWriter(file))
        stream.emit("warning", message="one\u2028two\x85three\x0bfour")
    (event,) = read_trace(path)
    assert event.data["message"] == "one\u2028two\x85three\x0bfour"


def test_a_last_line_cut_short_by_a_crash_is_left_out(tmp_path):
    path = tmp_path / "run.jsonl"
    with path.open("w", encoding="utf-8") as file:
        stream = EventStream()
        stream.subscribe(TraceWriter(file))
        stream.emit("warning", message="whole")
        file.write('{"v": 1, "type": "warn')
    assert [event.data["message"] for event in read_trace(path)] == ["whole"]


@pytest.mark.parametrize("line", ["nonsense", '{"v": 1}', '{"v": 99, "type": "x"}', "[1]"])
def test_a_file_that_is_no_trace_is_refused(tmp_path, line):
    path = tmp_path / "run.jsonl"
    path.write_text(f"{line}\n{line}\n")
    with pytest.raises(ValueError, match=r"run\.jsonl"):
        list(read_trace(path))


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"\x80\x81", r"run\.jsonl is not a text file"), (b"", r"run\.jsonl is empty"), (None, "No such file")],
)
def test_a_trace_that_cannot_be_read_is_refused_in_words_for_people(tmp_path, content, said):
    path = tmp_path / "run.jsonl"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ValueError, match=said):
        list(read_trace(path))


def test_plain_turns_records_sets_and_arrays_into_json():
    value = {"a": Anchor("p", "v", 0, 1), "s": {2, 1}, "t": (1, None), "n": np.float32(0.5)}
    assert json.loads(json.dumps(to_json_types(value))) == {
        "a": {"paper_id": "p", "text_version": "v", "start": 0, "end": 1}, "s": [1, 2], "t": [1, None], "n": 0.5
    }  # fmt: skip


def test_run_ids_do_not_repeat():
    assert len({new_run_id() for _ in range(1000)}) == 1000
