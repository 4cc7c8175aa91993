"""A page of figures from committed files: Markdown, with plots beside it.

What a file holds is told from its content: a run or baseline of `eval run`, the chunk ablation, token measurements,
calibration reports, and results that bring their own tables.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from litloop.core.errors import UsageError
from litloop.evaluation.baselines import (
    EXPANSION,
    PAIRED_METRIC,
    RERANKER,
    Baseline,
    MetricChange,
    changes_of_all,
    read_baseline,
    write_text,
)
from litloop.evaluation.markdown import folded_section, interval_cell, latency_cell, number_cell, signed_cell, table
from litloop.evaluation.methods import METHODS
from litloop.evaluation.plots import Plots
from litloop.evaluation.results_page import section_of
from litloop.evaluation.significance import Interval, pooled_interval

SHOWN = ("nDCG@10", "nDCG@5", "MAP", "MRR", "Recall@10", "Recall@100", "P@3", "P@5", "P@10")
SINGLE_LEGS = ("bm25", "dense")
Group = tuple[str, Sequence[Baseline]]  # a heading, and runs by the same model over documents cut the same way


class Report(NamedTuple):
    text: str
    plots: Sequence[Path]


def write_report(
    files: Sequence[Path], page: Path, *, baselines: Sequence[Path] = (), title: str = "Evaluation"
) -> Report:
    """Write `page` and its plots, from `files`, compared with `baselines` of the same collections where there are any.

    Raises UsageError without files, for a file that is none of what a report is made from, and when the page cannot be
    written.
    """
    if not files:
        raise UsageError("There is no JSON file to make a report from.")
    runs, others = _sorted(files)
    plots = Plots(page.parent / f"{page.stem}-plots")
    parts = [f"# {title}"]
    if runs:
        parts += _retrieval(runs, plots)
    if baselines:
        parts += _compared(runs, [read_baseline(path) for path in baselines])
    for path, content in others:
        section = section_of(content)
        if section is None:
            raise UsageError(f"{path.name} is not a file that a report can be made from.")
        parts += section(path.stem, content, plots)
    text = "\n\n".join(parts) + "\n"
    write_text(page, text)
    return Report(text, [page.parent / name for name in plots.drawn])


def run_table(run: Baseline) -> str:
    """One collection's methods; P@k stands beside what a perfect ranking would have."""
    shown = [name for name in SHOWN if any(name in result.metrics for result in run.methods.values())]
    head = ["", *shown, "p50 / p95 ms", "tokens", "n", "failed"]
    rows = [[method, *(interval_cell(result.metrics.get(name)) for name in shown), latency_cell(result.latency_ms),
             "" if result.tokens is None else f"{result.tokens:.0f}", str(result.n), str(result.failed)]
            for method, result in run.methods.items()]  # fmt: skip
    if run.attainable:
        ceiling = [f"{run.attainable[name]:.3f}" if name in run.attainable else "" for name in shown]
        rows.append(["attainable", *ceiling, "", "", "", ""])
    return table(head, rows)


def kinds_table(run: Baseline) -> str | None:
    """By kind of question; None where the collection names no kinds."""
    rows = [
        [method, kind, f"{figures['n']:.0f}",
         *(f"{figures[name]:.3f}" for name in ("nDCG@10", "nDCG@5", "MRR", "P@3") if name in figures)]
        for method, result in run.methods.items()
        for kind, figures in result.by_kind.items()
    ]  # fmt: skip
    return table(["", "kind", "n", "nDCG@10", "nDCG@5", "MRR", "P@3"], rows) if rows else None


def remarks(run: Baseline) -> list[str]:
    """What has to be known beside the figures: notes, failures by name, skipped methods, warnings."""
    found = [f"{what}: {times}" for what, times in sorted(run.notes.items())]
    found += [f"{method} was skipped: {why}" for method, why in sorted(run.skipped.items())]
    for method, result in run.methods.items():
        for question, why in list(result.failures.items())[:5]:
            found.append(f"{method} failed on question {question}: {why}")
        if len(result.failures) > 5:
            found.append(f"{method} failed on {len(result.failures) - 5} more questions")
    return [*found, *run.warnings]


def change_line(change: MetricChange) -> str:
    difference = change.comparison.difference
    fell = "fell" if change.fell() else "rose" if difference.mean > 0 and change.p < 0.05 else "no difference shown"
    lost = f"; {len(change.lost)} questions that were scored before failed now" if change.lost else ""
    return (
        f"{change.collection} {change.method}: {difference.mean:+.4f} [{difference.low:+.4f}, {difference.high:+.4f}] "
        f"p {change.p:.4f} ({fell}, n {change.comparison.n}){lost}"
    )


def pooled(runs: Sequence[Baseline], method: str) -> Interval | None:
    """The mean of collections' means of PAIRED_METRIC, each counting the same; None when one lacks the method."""
    if any(method not in run.methods for run in runs):
        return None
    return pooled_interval([list(run.methods[method].per_question.values()) for run in runs])


def over_single_legs(runs: Sequence[Baseline], method: str) -> Interval | None:
    """`method` minus each collection's better single leg, paired and pooled."""
    groups = []
    for run in runs:
        legs = [run.methods[leg] for leg in SINGLE_LEGS if leg in run.methods]
        if method not in run.methods or len(legs) < len(SINGLE_LEGS):
            return None
        best = max(legs, key=lambda leg: leg.metrics[PAIRED_METRIC].mean).per_question
        own = run.methods[method].per_question
        groups.append([own[question] - best[question] for question in sorted(own.keys() & best.keys())])
    return pooled_interval(groups) if groups else None


# --- Retrieval ---


def _retrieval(runs: Sequence[Baseline], plots: Plots) -> list[str]:
    parts = [
        "## Retrieval",
        f"{PAIRED_METRIC} says how well the first ten documents are chosen and ordered: 1 is the best that the judged "
        "documents allow. In brackets the 95 % bootstrap interval over questions.",
    ]
    for number, (heading, held) in enumerate(_groups(runs)):
        parts += [f"### {heading}", *_overview(held, plots, f"-{number + 1}" if number else "")]
        parts += [_details(run) for run in held]
    return parts


def _groups(runs: Sequence[Baseline]) -> list[Group]:
    """Runs that may stand in one table: the same models, and documents cut the same way."""
    found: dict[str, list[Baseline]] = {}
    for run in runs:
        cut = str(run.settings.get("passages", ""))
        told = "whole documents" if cut in ("whole", "") else f"passages of {cut} tokens (size/overlap)"
        embedder = ", ".join(sorted(run.models.keys() - {RERANKER, EXPANSION})) or "no model"
        found.setdefault(f"{embedder}, {told}", []).append(run)
    return list(found.items())


def _overview(runs: Sequence[Baseline], plots: Plots, suffix: str) -> list[str]:
    methods = list(dict.fromkeys(method for run in runs for method in run.methods))
    bars = {_label(run): {m: r.metrics[PAIRED_METRIC] for m, r in run.methods.items()} for run in runs}
    drawn = plots.bars(f"ndcg10{suffix}", f"{PAIRED_METRIC}, 95 % intervals", bars)
    parts = [f"![{PAIRED_METRIC}]({drawn})"]
    if len(runs) > 1:
        rows = [
            [m, interval_cell(pooled(runs, m)), signed_cell(over_single_legs(runs, m)),
             *(f"{run.methods[m].metrics[PAIRED_METRIC].mean:.3f}" if m in run.methods else "" for run in runs)]
            for m in methods
        ]  # fmt: skip
        head = ["", f"mean of {len(runs)}, each counting the same", "over the better single leg, paired",
                *(_label(run) for run in runs)]  # fmt: skip
        parts.append(table(head, rows))
    timed = {_label(run): {m: _from_p50_to_p95(r.latency_ms) for m, r in run.methods.items() if r.latency_ms}
             for run in runs}  # fmt: skip
    if any(timed.values()):
        told = "Time of a search without embedding the question: p50, and up to p95"
        parts.append(f"![latency]({plots.bars(f'latency{suffix}', told, timed, unit='ms')})")
    return parts


def _from_p50_to_p95(ms: Mapping[str, float]) -> Interval:
    return Interval(ms["p50"], ms["p50"], ms["p95"])


def _details(run: Baseline) -> str:
    told = [
        f"Corpus {run.corpus_hash}, judgements {run.judgement_hash}, settings {run.settings_hash}, litloop "
        f"{run.version}, " + ", ".join(f"{name} {fingerprint}" for name, fingerprint in sorted(run.models.items()))
        + (f", embedding a question {latency_cell(run.embed_ms)} ms (p50 / p95)" if run.embed_ms else ""),
        run_table(run), _unjudged(run), kinds_table(run) or "", "\n".join(f"- {one}" for one in remarks(run)),
    ]  # fmt: skip
    asked = max(result.n + result.failed for result in run.methods.values())
    return folded_section(
        f"{_label(run)}: {run.documents} documents, {asked} questions", [part for part in told if part]
    )


def _unjudged(run: Baseline) -> str:
    told = {method: result.unjudged for method, result in run.methods.items() if result.unjudged}
    if not told:
        return ""
    columns = list(next(iter(told.values())))
    return table(["", *columns], [[m, *(number_cell(figures[c]) for c in columns)] for m, figures in told.items()])


def _label(run: Baseline) -> str:
    return run.collection if run.split == "test" else f"{run.collection} ({run.split})"


def _compared(runs: Sequence[Baseline], before: Sequence[Baseline]) -> list[str]:
    pairs = [(run, then) for run in runs if (then := _counterpart(run, before))]
    if not pairs:
        raise UsageError("None of the baselines is of a collection that was run.")
    lines = [f"- {change_line(change)}" for change in changes_of_all(pairs)]
    return ["## Against the baseline", f"{PAIRED_METRIC}, paired randomisation, corrected together (Holm).",
            "\n".join(lines)]  # fmt: skip


def _counterpart(run: Baseline, before: Sequence[Baseline]) -> Baseline | None:
    """The baseline of the same collection; where there are several, one of the same models and settings first."""
    there = [one for one in before if (one.collection, one.split) == (run.collection, run.split)]
    return min(
        there, key=lambda one: (dict(one.models) != dict(run.models), one.settings_hash != run.settings_hash),
        default=None,
    )  # fmt: skip


# --- Reading ---


def _sorted(files: Sequence[Path]) -> tuple[list[Baseline], list[tuple[Path, Mapping[str, Any]]]]:
    runs: list[Baseline] = []
    others: list[tuple[Path, Mapping[str, Any]]] = []
    for path in files:
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            raise UsageError(f"{path} is not a JSON file that can be read.") from None
        if isinstance(content, dict) and section_of(content):
            others.append((path, content))
        else:
            runs.append(_in_order(read_baseline(path)))
    return runs, others


def _in_order(run: Baseline) -> Baseline:
    """Methods from the plainest to the default search, then the others: a file holds them by name."""
    known = [name for name in METHODS if name in run.methods]
    names = [*known, *(name for name in run.methods if name not in known)]
    return replace(run, methods={name: run.methods[name] for name in names})
