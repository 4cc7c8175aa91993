"""A page of figures from committed files: Markdown, with plots beside it.

What a file holds is told from its content: a run or baseline of `eval run`, the chunk ablation, token measurements,
calibration reports.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from litloop.errors import UsageError
from litloop.evaluation.baselines import PAIRED_METRIC, Baseline, Change, MethodResult, changes_of_all, read_baseline
from litloop.evaluation.methods import METHODS
from litloop.evaluation.plots import Plots
from litloop.evaluation.significance import Interval, pooled_interval

SHOWN = ("nDCG@10", "nDCG@5", "MAP", "MRR", "Recall@10", "Recall@100", "P@3", "P@5", "P@10")
SINGLE_LEGS = ("bm25", "dense")


def write_report(
    files: Sequence[Path], page: Path, *, baselines: Sequence[Path] = (), title: str = "Evaluation"
) -> str:
    """Write `page` and its plots, from `files`, compared with `baselines` of the same collections where there are any.

    Returns the page's text. Raises UsageError for a file that is none of what a report is made from.
    """
    runs, others = _sorted(files)
    plots = Plots(page.parent / f"{page.stem}-plots")
    there = f"{page.stem}-plots"
    parts = [f"# {title}"]
    if runs:
        parts += _retrieval(runs, plots, there)
    if baselines:
        parts += _compared(runs, [read_baseline(path) for path in baselines])
    for path, content in others:
        parts += _SECTIONS[_kind(content) or ""](path.stem, content, plots, there)
    text = "\n\n".join(parts) + "\n"
    page.write_text(text, encoding="utf-8")
    return text


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def run_table(run: Baseline) -> str:
    """One collection's methods; P@k stands beside what a perfect ranking would have."""
    shown = [name for name in SHOWN if any(name in result.metrics for result in run.methods.values())]
    head = ["", *shown, "p50 / p95 ms", "tokens", "n", "failed"]
    rows = [[method, *(_interval(result.metrics.get(name)) for name in shown), _latency(result.latency_ms),
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


def change_line(change: Change) -> str:
    difference = change.comparison.difference
    fell = "fell" if change.fell() else "rose" if difference.mean > 0 and change.p < 0.05 else "no difference shown"
    lost = f"; {len(change.lost)} questions that were scored before failed now" if change.lost else ""
    return (
        f"{change.collection} {change.method}: {difference.mean:+.4f} [{difference.low:+.4f}, {difference.high:+.4f}] "
        f"p {change.p:.3f} ({fell}, n {change.comparison.n}){lost}"
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


def _retrieval(runs: Sequence[Baseline], plots: Plots, there: str) -> list[str]:
    parts = ["## Retrieval"]
    bars = {_label(run): {m: r.metrics[PAIRED_METRIC] for m, r in run.methods.items()} for run in runs}
    parts.append(f"![{PAIRED_METRIC}]({there}/{plots.bars('ndcg10', f'{PAIRED_METRIC}, 95 % intervals', bars)})")
    if len(runs) > 1:
        methods = [m for m in runs[0].methods if all(m in run.methods for run in runs)]
        rows = [[m, _interval(pooled(runs, m)), _signed(over_single_legs(runs, m))] for m in methods]
        parts.append(
            f"Over all {len(runs)} collections, each counting the same ({PAIRED_METRIC}):\n\n"
            + table(["", "mean", "over the better single leg, paired"], rows)
        )
    for run in runs:
        parts.append(f"### {_label(run)}")
        parts.append(
            f"{run.documents} documents, corpus {run.corpus_hash}, judgements {run.judgement_hash}, settings "
            f"{run.settings_hash}, litloop {run.version}, "
            + ", ".join(f"{name} {fingerprint}" for name, fingerprint in sorted(run.models.items()))
            + (f", embedding a question {_latency(run.embed_ms)} ms (p50 / p95)" if run.embed_ms else "")
        )
        parts.append(run_table(run))
        parts.append(_unjudged(run.methods))
        if kinds := kinds_table(run):
            parts.append(kinds)
        if told := remarks(run):
            parts.append("\n".join(f"- {one}" for one in told))
    delays = {m: [(float(at), run.methods[m].latency_ms["p50"]) for at, run in enumerate(runs)
                  if run.methods.get(m) and run.methods[m].latency_ms] for m in runs[0].methods}  # fmt: skip
    if len(runs) > 1 and any(delays.values()):
        drawn = plots.lines("latency", "p50 without embedding the question", {m: d for m, d in delays.items() if d},
                            x="collection, in the order above", y="ms")  # fmt: skip
        parts.append(f"![latency]({there}/{drawn})")
    return [part for part in parts if part]


def _compared(runs: Sequence[Baseline], before: Sequence[Baseline]) -> list[str]:
    by_name = {(one.collection, one.split): one for one in before}
    pairs = [(run, by_name[run.collection, run.split]) for run in runs if (run.collection, run.split) in by_name]
    if not pairs:
        raise UsageError("None of the baselines is of a collection that was run.")
    lines = [f"- {change_line(change)}" for change in changes_of_all(pairs)]
    return ["## Against the baseline", f"{PAIRED_METRIC}, paired randomisation, corrected together (Holm).",
            "\n".join(lines)]  # fmt: skip


def _chunks(name: str, content: Mapping[str, Any], plots: Plots, there: str) -> list[str]:
    arms = sorted(content["summary"].items(), key=lambda item: tuple(map(int, item[0].split("/"))))
    against = "hybrid_minus_default"
    collections = list(dict.fromkeys(one for _, figures in arms for one in figures if one != against))
    rows = []
    for arm, figures in arms:
        shown = [f"{figures[one]['hybrid'][0]:.3f} ({figures[one]['passages']})" if one in figures else ""
                 for one in collections]  # fmt: skip
        over = figures.get(against)
        told = f"{over['mean']:+.4f} [{over['low']:+.4f}, {over['high']:+.4f}]" if over else ""
        rows.append([arm, *shown, told])
    head = ["size/overlap", *(f"{one} (passages)" for one in collections), "hybrid minus the default, paired"]
    return ["## Passage length", f"{content['metric']} of the default search; a document ranks by its best passage.",
            table(head, rows)]  # fmt: skip


def _tokens(name: str, content: Mapping[str, Any], plots: Plots, there: str) -> list[str]:
    parts = ["## Tokens"]
    session = content["multiturn_session"]
    drawn = {mode: [(float(turn), float(total)) for turn, total in enumerate(totals, start=1)]
             for mode, totals in session["cumulative_prompt_tokens"].items()}  # fmt: skip
    shown = plots.lines("multiturn", "Cumulative prompt tokens of a session", drawn, x="turn", y="tokens")
    parts.append(f"![multi-turn session]({there}/{shown})")
    rows = [[mode, *(f"{total}" for total in totals)] for mode, totals in session["cumulative_prompt_tokens"].items()]
    turns = max(len(row) for row in rows) - 1
    parts.append(table(["", *(f"turn {turn}" for turn in range(1, turns + 1))], rows))
    for heading in ("sequential_against_batch", "per_task"):
        if isinstance(content.get(heading), Mapping):
            rows = [[key, *map(_number, row.values())] for key, row in content[heading]["rows"].items()]
            columns = next(iter(content[heading]["rows"].values()))
            parts += [f"### {heading.replace('_', ' ').capitalize()}", content[heading].get("about", ""),
                      table(["", *columns], rows)]  # fmt: skip
    return [part for part in parts if part]


def _calibration(name: str, content: Mapping[str, Any], plots: Plots, there: str) -> list[str]:
    reports: Mapping[str, Any] = content["reports"]
    rows = [[model, str(r["n"]), f"{r['brier']:.3f}", f"{r['debiased_ece']:.3f}", f"{r['auc']:.3f}"]
            for model, r in reports.items()]  # fmt: skip
    parts = [f"## Calibration: {name.replace('_', ' ')}", table(["model", "n", "Brier", "debiased ECE", "AUC"], rows)]
    curves = {model: [(p["coverage"], p["risk"]) for p in r["risk_coverage"]]
              for model, r in reports.items() if r.get("risk_coverage")}  # fmt: skip
    if curves:
        drawn = plots.lines(f"{name}-risk", "Answering against refusing", curves,
                            x="share of questions answered", y="share of them to refuse")  # fmt: skip
        parts.append(f"![risk-coverage]({there}/{drawn})")
    return parts


_SECTIONS = {"chunks": _chunks, "tokens": _tokens, "calibration": _calibration}


def _kind(content: Mapping[str, Any]) -> str | None:
    if "arms" in content:
        return "chunks"
    if "multiturn_session" in content:
        return "tokens"
    return "calibration" if "reports" in content else None


def _sorted(files: Sequence[Path]) -> tuple[list[Baseline], list[tuple[Path, Mapping[str, Any]]]]:
    runs: list[Baseline] = []
    others: list[tuple[Path, Mapping[str, Any]]] = []
    for path in files:
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, json.JSONDecodeError):
            raise UsageError(f"{path} is not a JSON file that can be read.") from None
        if isinstance(content, dict) and _kind(content):
            others.append((path, content))
        else:
            runs.append(_in_order(read_baseline(path)))
    return runs, others


def _in_order(run: Baseline) -> Baseline:
    """Methods from the plainest to the default search, then the others: a file holds them by name."""
    known = [name for name in METHODS if name in run.methods]
    names = [*known, *(name for name in run.methods if name not in known)]
    return replace(run, methods={name: run.methods[name] for name in names})


def _label(run: Baseline) -> str:
    return run.collection if run.split == "test" else f"{run.collection} ({run.split})"


def _unjudged(methods: Mapping[str, MethodResult]) -> str:
    told = {method: result.unjudged for method, result in methods.items() if result.unjudged}
    if not told:
        return ""
    columns = list(next(iter(told.values())))
    return table(["", *columns], [[m, *(_number(figures[c]) for c in columns)] for m, figures in told.items()])


def _interval(interval: Interval | None) -> str:
    return f"{interval.mean:.3f} [{interval.low:.3f}, {interval.high:.3f}]" if interval else ""


def _signed(interval: Interval | None) -> str:
    return f"{interval.mean:+.3f} [{interval.low:+.3f}, {interval.high:+.3f}]" if interval else ""


def _latency(ms: Mapping[str, float]) -> str:
    return f"{ms['p50']:.1f} / {ms['p95']:.1f}" if ms else ""


def _number(value: Any) -> str:
    if isinstance(value, float):
        return "not known" if math.isnan(value) else f"{value:.3f}"
    return str(value)
