"""The live timeline of a run, read from its events."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from litloop.cli.output import printable

if TYPE_CHECKING:
    from rich.console import Console

    from litloop.events import Event


class Timeline:
    """Prints one line per step as it happens. Subscribe it to a run's events."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def __enter__(self) -> Timeline:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def __call__(self, event: Event) -> None:
        line = LINES[event.type](event.data) if event.type in LINES else None
        if line:
            self._console.print(f"{event.ms / 1000:6.2f} s  {printable(line)}", style="dim")


def _parsed(data: Any) -> str:
    return f"question: {data['shape']}, {data['query_kind']}, {data['intent']}"


def _retrieval(data: Any) -> str:
    if data.get("failed"):
        return f"round {data['round']}: nothing could be retrieved: {data['failed']}"
    confidence = data.get("confidence")
    sure = f", confidence {confidence:.2f}" if confidence is not None else ""
    return f"round {data['round']}: {len(data['papers'])} papers retrieved{sure}"


def _relevance(data: Any) -> str:
    verdicts = [verdict.verdict for verdict in data["verdicts"]]
    unknown = f", {verdicts.count('unknown')} unjudged" if "unknown" in verdicts else ""
    return (
        f"round {data['round']}: {verdicts.count('relevant')}/{len(verdicts)} relevant{unknown} (judged {data['by']})"
    )


def _refine(data: Any) -> str:
    return f"round {data['round']}: asking again: {data['query']}"


def _dispatch(data: Any) -> str:
    return f"answering: {data['mode']} ({data['rule']})"


def _check(data: Any) -> str | None:
    verdict = data.get("verdict")
    return None if verdict == "supported" else f"check: sentence {data.get('sentence', 0) + 1} {verdict}"


LINES: dict[str, Callable[[Any], str | None]] = {
    "question_parsed": _parsed,
    "hyde_expand": lambda data: f"round {data['round']}: expanded with: {data['expansion'][:100]}",
    "retrieval": _retrieval,
    "relevance_check": _relevance,
    "refine_query": _refine,
    "gate": lambda data: f"gate: {data['decision']}" if data.get("decision") != "answer" else None,
    "dispatch": _dispatch,
    "compress": lambda data: f"compressed {data['tokens_before']} to {data['tokens_after']} tokens",
    "check": _check,
    "warning": lambda data: f"warning: {data['message']}",
}
