"""An answer in the terminal: its text, its papers with their quotes, and what comes close when there is none."""

from __future__ import annotations

import shlex
from collections import Counter
from typing import TYPE_CHECKING

from litloop.cli.output import count, printable, results

if TYPE_CHECKING:
    from litloop.core.records import Answer, Check, Paper


def show_answer(answer: Answer) -> None:
    console = results()
    for note in answer.notes:
        console.print(f"Note: {printable(note)}", style="italic")
    if answer.degraded_reason and answer.degraded_reason not in answer.notes:
        console.print(f"Note: part of this run could not be done. {printable(answer.degraded_reason)}", style="italic")
    console.print(printable(answer.text))
    _show_flags(answer)
    _show_left_out(answer)
    cited = [use for use in answer.papers if use.markers]
    if cited:
        console.print()
    for use in cited:
        paper = use.paper
        year = f" ({paper.year})" if paper.year else ""
        markers = "".join(f"[{marker}]" for marker in use.markers)
        name = paper.url if paper.url and paper.id.startswith("web:") else paper.id
        console.print(f"{markers} {printable(paper.display_title)}{year} · {printable(name)}{_mark(paper)}")
        for quote, page in _quotes(answer, use.markers):
            console.print(f"    “{shortened(quote, 240)}”{f' p. {page}' if page else ''}", style="dim")
    if not answer.sentences:
        _show_found(answer)
    for alternative in answer.alternatives:
        console.print(f"Also possible: {alternative.name} ({alternative.verdict}) {printable(alternative.why)}")
    for name, value in answer.fields.items():
        console.print(f"{name.replace('_', ' ').capitalize()} (not checked): {printable(value)}")
    if answer.closest_topics:
        console.print("\nClosest topics in this library:")
        for topic in answer.closest_topics:
            console.print(f"  {topic.name} ({count(topic.papers, 'paper')}, similarity {topic.similarity:.2f})")


def ending(answer: Answer) -> str:
    """How a run ended, in a few words: "status partial, 2 rounds"."""
    return f"status {answer.status}, {count(len(answer.trace), 'round')}"


_SEVERITY: tuple[str, ...] = (
    "contradicted", "unsupported", "invalid_marker", "uncited", "partly", "unverifiable", "unverified", "supported",
    "quoted",
)  # fmt: skip
# How a verdict reads behind the number of its sentences.
_CHECKED = {
    "quoted": "quoted word for word", "supported": "supported by what they cite", "partly": "supported in part",
    "unverifiable": "could not be confirmed", "unverified": "not checked", "unsupported": "not supported",
    "contradicted": "contradicted by what they cite", "uncited": "without a citation",
    "invalid_marker": "citing nothing",
}  # fmt: skip


def _show_flags(answer: Answer) -> None:
    """What the checks found: how many sentences of each verdict, and those that do not hold with the reason."""
    worst: dict[int, Check] = {}
    for check in answer.checks:
        if check.kind != "alternative":
            known = worst.get(check.sentence)
            if known is None or _SEVERITY.index(check.verdict) < _SEVERITY.index(known.verdict):
                worst[check.sentence] = check
    if not worst:
        return
    counts = Counter(check.verdict for check in worst.values())
    said = ", ".join(f"{n} {_CHECKED[verdict]}" for verdict, n in counts.most_common())
    results().print(f"\nSentences: {said}.", style="dim")
    for number, check in sorted(worst.items()):
        if check.verdict in ("quoted", "supported") or number >= len(answer.sentences):
            continue
        sentence = shortened(answer.sentences[number].text, 100)
        why = f": {printable(check.why)}" if check.why else ""
        results().print(f"  {check.verdict.replace('_', ' ')}: “{sentence}”{why}", style="yellow")


def _show_left_out(answer: Answer) -> None:
    """What was written and is no part of the answer, since its evidence was not found."""
    left_out = answer.contract.left_out if answer.contract else ()
    if left_out:
        results().print(f"\nLeft out of the answer ({count(len(left_out), 'statement')}):", style="dim")
    for one in left_out:
        quotes = "".join(f" Its quote: “{shortened(quote, 160)}”" for quote in one.quotes)
        why = printable(one.why).rstrip(".")
        results().print(
            f"  {one.verdict.replace('_', ' ')}: “{shortened(one.text, 200)}”: {why}.{quotes}", style="yellow"
        )


def _show_found(answer: Answer) -> None:
    """What was found, when nothing was written from it."""
    shown = [use for use in answer.papers if use.relevance.verdict != "irrelevant"][:5]
    if shown:
        results().print("\nThe nearest papers:")
    elif answer.status == "out_of_scope" and answer.trace and answer.trace[0].retrieved:
        asked = shlex.quote(printable(answer.question))
        results().print(f"\nTo see the nearest passages: litloop search {asked}", style="dim")
    for use in shown:
        page = f" · page {use.passages[0].page}" if use.passages and use.passages[0].page else ""
        title = printable(use.paper.display_title)
        results().print(f"\n{title} · {use.paper.id}{page}{_mark(use.paper)}", style="bold")
        if use.passages:
            results().print(f"    {shortened(use.passages[0].text)}")


def _mark(paper: Paper) -> str:
    """What was withdrawn, where its title does not say so already."""
    return " RETRACTED" if paper.retracted and not paper.title.startswith("RETRACTED") else ""


def _quotes(answer: Answer, markers: tuple[int, ...]) -> list[tuple[str, int | None]]:
    found = [(c.quote, c.page) for s in answer.sentences for c in s.citations if c.marker in markers]
    return list(dict.fromkeys(found))


def shortened(text: str, length: int = 320) -> str:
    flat = " ".join(printable(text).split())
    return flat if len(flat) <= length else flat[: length - 1].rsplit(" ", 1)[0] + " …"
