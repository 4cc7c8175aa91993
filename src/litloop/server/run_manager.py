"""Runs while they happen: started by one request, watched by any number, ended when nobody watches any more."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from litloop.answer.answer_json import answer_json
from litloop.core.errors import LitloopError
from litloop.core.events import Event
from litloop.core.filters import Filters
from litloop.core.records import Answer
from litloop.server.problems import ProblemError, problem_of

if TYPE_CHECKING:
    from litloop.library import Library
    from litloop.server.metrics import Metrics

ENDS = frozenset({"answer", "error", "cancelled"})
CLEAN_UP_S = 5.0  # how long a run that was ended may take to say so
LEAVES_S = 0.25  # how often a waiting request looks whether its client is still there
# Of the time a run may take, the share after which it begins nothing new: it then answers from what it has.
SHARE_FOR_WORK = 0.85


@dataclass(frozen=True, slots=True)
class ResearchIn:
    """What a research run is asked beside the question."""

    providers: tuple[str, ...] | None = None
    since: int | None = None
    until: int | None = None
    keep: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """What one run is asked, checked at the edge. With `research` it is asked of the databases too."""

    text: str
    collection: str | None  # none: the only one, or a library that has none yet
    filters: Filters = field(default_factory=Filters)
    local_only: bool = False
    max_rounds: int | None = None
    budget_tokens: int | None = None
    web_search: bool | None = None
    research: ResearchIn | None = None


@dataclass(frozen=True, slots=True)
class ServedEvent:
    """An event as it goes over the wire: its number, its type, its JSON in one line."""

    seq: int
    type: str
    line: str


def served(event: Event, **more: Any) -> ServedEvent:
    """An event of a run, made ready. `answer` carries the ask object itself, all others their own data."""
    raw = event.to_json()
    raw["data"].update(more)
    answer = event.data.get("answer")
    if event.type == "answer" and isinstance(answer, Answer):
        del raw["data"]
        raw = {**answer_json(answer), **raw}
    return ServedEvent(event.seq, event.type, json.dumps(raw, ensure_ascii=False, separators=(",", ":")))


class LiveRun:
    """One run. Everything here happens on the server's event loop, except `note`, which the run's own loop calls."""

    def __init__(
        self, library: Library, question: Question, *, limit_s: float, grace_s: float, metrics: Metrics
    ) -> None:
        self.question = question
        self.events: list[ServedEvent] = []
        self.run_id: str | None = None
        self._library = library
        self._metrics = metrics
        self._limit_s = limit_s
        self._grace_s = grace_s
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()
        self._watchers = 0
        self._reason: str | None = None  # why it was ended from outside
        self._timed_out = False
        self._abandoned: asyncio.TimerHandle | None = None
        self.task = self._loop.create_task(self._run(), name="litloop-run")
        self.task.add_done_callback(lambda _: self._announce())

    @property
    def ended(self) -> bool:
        return self.task.done()

    async def begun(self) -> None:
        """Wait for the first event. Raises what the run raised before it: a wrong question, a closed library."""
        while not self.events and not self.ended:
            await self._news.wait()
        if not self.events and self.ended:
            self._raise()

    async def answer(self, gone: Callable[[], Awaitable[bool]]) -> dict[str, Any]:
        """The ask object. Raises a problem when the run failed, was ended, or took too long."""
        while not self.ended:
            # Waiting for the task itself: the answer's event comes a little before the run has closed its books.
            await asyncio.wait([self.task], timeout=LEAVES_S)
            if not self.ended and await gone():
                raise ProblemError(400, "The client went away.", run_id=self.run_id)
        if self.task.cancelled() or self.task.exception() is not None:
            self._raise()
        return answer_json(self.task.result())

    async def follow(self, after: int, heartbeat_s: float) -> AsyncIterator[ServedEvent | None]:
        """Every event after number `after`, as it happens; None when nothing has happened for a while."""
        async with self.watched():
            place = after + 1  # events are numbered from 0 without a gap
            while True:
                while place < len(self.events):
                    yield self.events[place]
                    place += 1
                if self.ended:
                    return
                if not await wait_for_event(self._news, heartbeat_s):
                    yield None

    @asynccontextmanager
    async def watched(self, grace_s: float | None = None) -> AsyncIterator[None]:
        """Someone is watching. When the last one leaves, the run goes on for the grace and is then ended."""
        self._watchers += 1
        if self._abandoned is not None:
            self._abandoned.cancel()
            self._abandoned = None
        try:
            yield
        finally:
            self._watchers -= 1
            if self._watchers == 0 and not self.ended:
                grace = self._grace_s if grace_s is None else grace_s
                self._abandoned = self._loop.call_later(grace, self._abandon)

    async def cancel(self, reason: str) -> None:
        """End the run, down to the call of a model that it may be waiting for."""
        if not self.ended:
            self._reason = self._reason or reason
            self.task.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await asyncio.wait([self.task])

    def _abandon(self) -> None:
        if self._watchers == 0 and not self.ended:
            self._reason = "Nobody was watching any more."
            self.task.cancel()

    async def _run(self) -> Answer:
        overrun = self._loop.call_later(self._limit_s, self._overrun)
        try:
            return await self._asked()
        except asyncio.CancelledError:
            await self._settled()
            if self._timed_out:
                raise ProblemError(504, self._reason or "", run_id=self.run_id) from None
            raise
        finally:
            overrun.cancel()

    async def _asked(self) -> Answer:
        question = self.question
        common: dict[str, Any] = {
            "on_event": self.note, "collection": question.collection, "filters": question.filters,
            "local_only": question.local_only, "budget_tokens": question.budget_tokens,
            "web_search": question.web_search,
            "budget_seconds": self._budget_seconds(),
        }  # fmt: skip
        if question.research is None:
            return await self._library.aask(question.text, max_rounds=question.max_rounds, **common)
        return await self._library.aresearch(question.text, **asdict(question.research), **common)

    def _overrun(self) -> None:
        self._timed_out = True
        self._reason = f"The run took longer than {self._limit_s:g} s."
        self.task.cancel()

    async def _settled(self) -> None:
        """Wait for the run's last event: cancelling reaches its own loop a moment later."""
        with suppress(TimeoutError):
            async with asyncio.timeout(CLEAN_UP_S):
                while self.events and self.events[-1].type not in ENDS:
                    await self._news.wait()

    def _budget_seconds(self) -> float:
        mine, settings = self._limit_s * SHARE_FOR_WORK, self._library.settings.budget.seconds
        return mine if settings is None else min(mine, settings)

    def note(self, event: Event) -> None:
        """Called by the run's own loop, in its thread."""
        self._metrics.on_event(event)
        made = served(event, **({"reason": self._reason} if event.type == "cancelled" else {}))
        with suppress(RuntimeError):  # the server's loop is closed: nobody can be told any more
            self._loop.call_soon_threadsafe(self._append, event.run_id, made)

    def _append(self, run_id: str, event: ServedEvent) -> None:
        self.run_id = run_id
        self.events.append(event)
        self._announce()

    def _announce(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()

    def _raise(self) -> None:
        if self.task.cancelled():
            raise ProblemError(503, self._reason or "The run was ended.", run_id=self.run_id, retry_after=5)
        error = self.task.exception()
        if isinstance(error, LitloopError):
            raise problem_of(error, run_id=self.run_id) from error
        if isinstance(error, ProblemError):
            raise error
        raise ProblemError(500, "The run ended with an internal error.", run_id=self.run_id) from error


async def wait_for_event(news: asyncio.Event, seconds: float) -> bool:
    """Wait for `news`; whether it came in time.

    Not `wait_for`: until Python 3.12 it swallows a cancellation that comes together with the news, and a stream that
    its client has left would then go on for nobody.
    """
    try:
        async with asyncio.timeout(seconds):
            await news.wait()
    except TimeoutError:
        return False
    return True


class RunManager:
    """The runs of this process that have not been forgotten yet."""

    def __init__(self, library: Library, *, limit: int, timeout_s: float, grace_s: float, metrics: Metrics) -> None:
        self._library = library
        self.limit = limit
        self._timeout_s = timeout_s
        self._grace_s = grace_s
        self._metrics = metrics
        self._runs: set[LiveRun] = set()
        self._closing = False

    @property
    def running(self) -> int:
        return len(self._runs)

    def find(self, run_id: str) -> LiveRun | None:
        """A run that is still going on."""
        return next((run for run in self._runs if run.run_id == run_id), None)

    async def start(self, question: Question) -> LiveRun:
        """Begin a run and wait for its first event. A 503 when as many run as may, or the server is stopping."""
        if self._closing:
            raise ProblemError(503, "The server is stopping.", retry_after=10)
        if len(self._runs) >= self.limit:
            raise ProblemError(
                503, f"{self.limit} questions are being answered already. Try again in a moment.", retry_after=5
            )
        run = LiveRun(self._library, question, limit_s=self._timeout_s, grace_s=self._grace_s, metrics=self._metrics)
        self._runs.add(run)
        run.task.add_done_callback(lambda _: self._ended(run))
        async with run.watched():
            await run.begun()
        return run

    async def close(self, patience_s: float) -> None:
        """Let runs end for a while, then end them."""
        self._closing = True
        tasks = [run.task for run in self._runs]
        if tasks:
            await asyncio.wait(tasks, timeout=patience_s)
        for run in tuple(self._runs):
            await run.cancel("The server is stopping.")

    def _ended(self, run: LiveRun) -> None:
        self._runs.discard(run)
        self._metrics.run_ended(run.events[-1].type if run.events else "error")
