"""A run as lines for people, from its events: live while it goes on, or from its trace."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from litloop.cli.output import count, printable
from litloop.core.events import to_json_types
from litloop.pipeline.run_words import end_words, run_words, share_words, verdict_words

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
    return f"round {data['round']}: {count(len(data['candidates']), 'paper')} retrieved{sure}"


def _relevance(data: Any) -> str:
    share = share_words([(verdict["verdict"], verdict["confidence"]) for verdict in data["verdicts"]])
    return f"round {data['round']}: {share} (judged {data['by']})"


def _round(data: Any) -> list[str]:
    entry = data["entry"]
    papers = [
        f"{verdict_words(verdict['verdict'], verdict['confidence']):<22} {verdict['paper_id']}  {verdict['why']}"
        for verdict in entry["verdicts"]
    ]
    last = data.get("last", bool(data["end"]))  # traces of 0.1 do not tell
    return [f"round {data['round']} ended: {entry['note']}. {end_words(data['end'], last=last)}", *papers]


def _gate(data: Any) -> str:
    return f"gate: {run_words()['gate'].get(data['decision'], data['decision'])} ({data['why']})"


def _compress(data: Any) -> str:
    """A compressor that left the texts alone compressed nothing, whatever it counted."""
    if data.get("passthrough"):
        return f"passages sent uncompressed: {data['passthrough']}"
    return f"compressed {data['tokens_before']} to {data['tokens_after']} tokens"


def _extract(data: Any) -> list[str]:
    contract = data["contract"]
    found = "complete" if contract["complete_answer_found"] else "partly" if contract["answer_found"] else "nothing"
    values = [item["value"] for item in contract["items"]]
    return [f"read {count(len(data['passages']), 'passage')} ({data['by']}): {found}", *values]


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
    asked, queries = count(len(data["asked"]), "database"), len(data["queries"])
    return [f"asked {asked} for {queries} {'query' if queries == 1 else 'queries'}: "
            f"{count(data['works'], 'record')}", told]  # fmt: skip


def _coverage(data: Any) -> str:
    verdict = "sufficient" if data["sufficient"] else "thin"
    return f"coverage after {count(data['iteration'], 'follow-up')}: {verdict} ({data['why']}; judged {data['by']})"


def _full_text(data: Any) -> str:
    whole = sum(paper["whole"] for paper in data["papers"])
    return f"read {whole} of {count(len(data['papers']), 'paper')} in full, and the abstracts of the others"


LINES: dict[str, Callable[[Any], list[str] | str]] = {
    "run_started": _started,
    "question_parsed": _parsed,
    "hyde_expand": lambda data: f"round {data['round']}: expanded with: {data['expansion'][:200]}",
    "paraphrase": lambda data: f"round {data['round']}: searched as well: {data['expansion'][:200]}",
    "retrieval": _retrieval,
    "rerank": lambda data: f"round {data['round']}: {count(data['passages'], 'passage')} reranked ({data['by']})",
    "providers": _providers,
    "coverage_assessed": _coverage,
    "follow_up": lambda data: f"searching for what is missing: {' | '.join(data['queries'])}",
    "full_text": _full_text,
    "relevance_check": _relevance,
    "refine_query": lambda data: f"round {data['round']}: refined query: {data['query']}",
    "round_finished": _round,
    "gate": _gate,
    "dispatch": lambda data: f"answering: {data['mode']} ({data['rule']})",
    "compress": _compress,
    "extract": _extract,
    "summarize": lambda data: f"summarised in {count(data['sentences'], 'sentence')} ({data['by']})",
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
