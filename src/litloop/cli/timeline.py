"""A run as lines for people, from its events: live while it goes on, or from its trace."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from litloop.cli.output import printable
from litloop.core.events import to_json_types

if TYPE_CHECKING:
    from rich.console import Console

    from litloop.core.events import Event


class Timeline:
    """Prints one line per step as it happens. Subscribe it to a run's events."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def __enter__(self) -> Timeline:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def __call__(self, event: Event) -> None:
        if event.type in LIVE:
            for line in event_lines(event):
                self._console.print(line, style="dim")


def event_lines(event: Event) -> list[str]:
    """The lines of one event; none for one that says nothing to people. Document text cannot act on a terminal."""
    data = to_json_types(event.data)
    said = LINES[event.type](data) if event.type in LINES else None
    if said is None:
        return []
    first, *more = said if isinstance(said, list) else [said]
    return [f"{event.ms / 1000:6.2f} s  {printable(first)}", *(f"          {printable(line)}" for line in more)]


def _started(data: Any) -> str:
    facts = data.get("collection_facts", {})
    return f"question to {data.get('collection', 'a library')} ({facts.get('papers', '?')} papers): {data['question']}"


def _parsed(data: Any) -> str:
    return f"question: {data['shape']}, {data['query_kind']}, {data['intent']}"


def _retrieval(data: Any) -> list[str] | str:
    if data.get("failed"):
        return f"round {data['round']}: nothing could be retrieved: {data['failed']}"
    confidence = data.get("confidence")
    sure = f", confidence {confidence:.2f}" if confidence is not None else ""
    return f"round {data['round']}: {len(data['candidates'])} papers retrieved{sure}"


def _relevance(data: Any) -> str:
    verdicts = [verdict["verdict"] for verdict in data["verdicts"]]
    unknown = f", {verdicts.count('unknown')} unjudged" if "unknown" in verdicts else ""
    relevant = f"{verdicts.count('relevant')}/{len(verdicts)} relevant{unknown}"
    return f"round {data['round']}: {relevant} (judged {data['by']})"


def _round(data: Any) -> list[str]:
    entry = data["entry"]
    papers = [
        f"{verdict['verdict']:<10} {verdict['confidence']:.2f}  {verdict['paper_id']}  {verdict['why']}"
        for verdict in entry["verdicts"]
    ]
    return [f"round {data['round']} ended ({data['end'] or 'goes on'}): {entry['note']}", *papers]


def _extract(data: Any) -> list[str]:
    contract = data["contract"]
    found = "complete" if contract["complete_answer_found"] else "partly" if contract["answer_found"] else "nothing"
    values = [item["value"] for item in contract["items"]]
    return [f"read {len(data['passages'])} passages ({data['by']}): {found}", *values]


def _check(data: Any) -> str:
    where = f"sentence {data.get('sentence', 0) + 1} [{data.get('marker')}]"
    return f"check: {where} {data.get('verdict')} {data.get('why', '')}"


def _call(data: Any) -> str:
    call = data["call"]
    return (
        f"model: {call['task']} {call['provider']}/{call['model']} attempt {call['attempt']} {call['outcome']}, "
        f"{call['prompt_tokens']}+{call['completion_tokens']} tokens, {call['ms']:.0f} ms"
    )


def _providers(data: Any) -> list[str]:
    per_provider: dict[str, int] = {}
    for reply in data["replies"]:
        per_provider[reply["provider"]] = per_provider.get(reply["provider"], 0) + reply["works"]
    told = ", ".join(f"{name} {count}" for name, count in per_provider.items())
    return [f"asked {len(data['asked'])} databases for {len(data['queries'])} queries: {data['works']} records", told]


def _coverage(data: Any) -> str:
    verdict = "sufficient" if data["sufficient"] else "thin"
    return f"coverage after {data['iteration']} follow-ups: {verdict} ({data['why']}; judged {data['by']})"


def _full_text(data: Any) -> str:
    whole = sum(paper["whole"] for paper in data["papers"])
    return f"read {whole} of {len(data['papers'])} papers in full, and the abstracts of the others"


LINES: dict[str, Callable[[Any], list[str] | str]] = {
    "run_started": _started,
    "question_parsed": _parsed,
    "hyde_expand": lambda data: f"round {data['round']}: expanded with: {data['expansion'][:200]}",
    "paraphrase": lambda data: f"round {data['round']}: searched as well: {data['expansion'][:200]}",
    "retrieval": _retrieval,
    "rerank": lambda data: f"round {data['round']}: {data['passages']} passages reranked ({data['by']})",
    "providers": _providers,
    "coverage_assessed": _coverage,
    "follow_up": lambda data: f"searching for what is missing: {' | '.join(data['queries'])}",
    "full_text": _full_text,
    "relevance_check": _relevance,
    "refine_query": lambda data: f"round {data['round']}: refined query: {data['query']}",
    "round_finished": _round,
    "gate": lambda data: f"gate: {data['decision']} ({data['why']})",
    "dispatch": lambda data: f"answering: {data['mode']} ({data['rule']})",
    "compress": lambda data: f"compressed {data['tokens_before']} to {data['tokens_after']} tokens",
    "extract": _extract,
    "summarize": lambda data: f"summarised in {data['sentences']} sentences ({data['by']})",
    "answer_drafted": lambda data: f"drafted: {data['text']}",
    "check": _check,
    "model_call": _call,
    "warning": lambda data: f"warning: {data['message']}",
    "answer": lambda data: f"answer: {data['answer']['status']}",
    "error": lambda data: f"error: {data['message']}",
    "cancelled": lambda data: "cancelled",
}
LIVE = frozenset(
    {"question_parsed", "hyde_expand", "paraphrase", "retrieval", "relevance_check", "refine_query", "gate", "dispatch",
     "compress", "providers", "coverage_assessed", "follow_up", "full_text", "warning"}
)  # fmt: skip
