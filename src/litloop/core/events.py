"""What can happen in a run: the event types, the stream, the trace file.

One run emits one ordered stream. The command line's timeline, the server's SSE, the web page, the trace file
and the ledger all read it; there is no second path.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, is_dataclass
from pathlib import Path
from typing import Any, Literal, TextIO

SCHEMA_VERSION = 1

EventType = Literal[
    "run_started", "question_parsed", "hyde_expand", "paraphrase", "retrieval", "rerank", "relevance_check",
    "refine_query", "round_finished", "topics", "providers", "coverage_assessed", "follow_up", "full_text", "gate",
    "dispatch", "compress", "extract", "summarize", "answer_drafted", "citation_check", "differential_check",
    "check", "model_call", "warning", "answer", "error", "cancelled",
]  # fmt: skip

# The events that end a run: a trace without one of them was cut off, or its run is still going on.
ENDS: frozenset[EventType] = frozenset({"answer", "error", "cancelled"})

# What reading the data of an event raises when a file holds something else than litloop wrote.
MALFORMED = (KeyError, TypeError, ValueError, AttributeError, IndexError)


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened. `seq` counts from 0 within a run; `ms` is the time since the run started."""

    type: EventType
    run_id: str
    seq: int
    ms: float
    data: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {"v": SCHEMA_VERSION, "type": self.type, "run_id": self.run_id, "seq": self.seq,
                "ms": round(self.ms, 3), "data": to_json_types(self.data)}  # fmt: skip


Subscriber = Callable[[Event], object]
Emit = Callable[..., object]  # `EventStream.emit`, or whatever takes its place


class EventStream:
    """Numbers and hands out the events of one run. Subscribers are called in order, in the emitting thread;
    one that raises is dropped, so that a broken watcher cannot break the run it watches."""

    def __init__(self, run_id: str | None = None, *, clock: Callable[[], float] = time.perf_counter) -> None:
        self.run_id = run_id or new_run_id()
        self._clock = clock
        self._started = clock()
        self._seq = 0
        self._subscribers: list[Subscriber] = []

    def subscribe(self, subscriber: Subscriber, *, first: bool = False) -> None:
        """`first`: before those who are there already, so that they find in the books what they are told."""
        self._subscribers.insert(0 if first else len(self._subscribers), subscriber)

    def emit(self, type: EventType, /, **data: Any) -> Event:
        event = Event(type, self.run_id, self._seq, (self._clock() - self._started) * 1000, data)
        self._seq += 1
        for subscriber in tuple(self._subscribers):
            try:
                subscriber(event)
            except Exception:
                self._subscribers.remove(subscriber)
        return event


class TraceWriter:
    """Writes events as JSON lines, flushed one by one: a trace survives the run that wrote it."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def __call__(self, event: Event) -> None:
        self._file.write(json.dumps(event.to_json(), ensure_ascii=False) + "\n")
        self._file.flush()


def read_trace(path: Path) -> Iterator[Event]:
    """The events of a trace file, in order. A last line cut short by a crash is left out.

    Raises ValueError when the file cannot be read, is of a newer schema or is not a trace.
    """
    # Not splitlines(): a text may hold other characters that it takes for line ends.
    lines = _text(path).removesuffix("\n").split("\n")
    for number, line in enumerate(lines, start=1):
        try:
            raw = json.loads(line)
            if raw["v"] > SCHEMA_VERSION:
                raise ValueError(f"{path.name} was written by a newer litloop (trace version {raw['v']}).")
            event = Event(raw["type"], raw["run_id"], raw["seq"], float(raw["ms"]), {**raw["data"]})
        except (ValueError, KeyError, TypeError) as error:
            if number == len(lines) and number > 1:
                return
            raise ValueError(f"Line {number} of {path.name} is not a litloop event.") from error
        yield event


def _text(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"{path.name} is not a text file.") from error
    if not text.strip():
        raise ValueError(f"{path.name} is empty.")
    return text


def new_run_id() -> str:
    """Sortable by time to the microsecond, unique across processes: `20261129-213000-1f9c2e5b`."""
    seconds, rest = divmod(time.time_ns(), 1_000_000_000)
    return time.strftime("%Y%m%d-%H%M%S-", time.gmtime(seconds)) + f"{rest // 1000:05x}{uuid.uuid4().hex[:3]}"


def to_json_types(value: Any) -> Any:
    """A copy of `value` made of JSON types: records become objects, tuples and sets lists."""
    if is_dataclass(value) and not isinstance(value, type):
        return to_json_types(asdict(value))
    if isinstance(value, Mapping):
        return {str(key): to_json_types(item) for key, item in value.items()}
    if isinstance(value, set | frozenset):
        return sorted((to_json_types(item) for item in value), key=str)
    if isinstance(value, list | tuple):
        return [to_json_types(item) for item in value]
    if isinstance(value, str | int | float | bool) or value is None:
        return value
    if hasattr(value, "tolist"):  # numpy arrays and scalars
        return to_json_types(value.tolist())
    return str(value)
