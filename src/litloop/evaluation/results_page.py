"""The sections of a report that are not retrieval: each reads one kind of results file.

A file of any other measurement joins the page by bringing its own tables:

    "page": {"title": …, "about": …, "tables": [{"about": …, "columns": […], "rows": [[…], …]}, …]}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from litloop.evaluation.markdown import number_cell, table
from litloop.evaluation.plots import Plots, Point

Section = Callable[[str, Mapping[str, Any], Plots], list[str]]  # (name of the file, its content, plots) -> parts


def section_of(content: Mapping[str, Any]) -> Section | None:
    """What shows a file of this content; None where nothing does."""
    kinds: Mapping[str, Section] = {
        "page": _tables, "arms": _chunks, "multiturn_session": _tokens, "reports": _calibration,
    }  # fmt: skip
    return next((section for key, section in kinds.items() if key in content), None)


def _tables(name: str, content: Mapping[str, Any], plots: Plots) -> list[str]:
    page = content["page"]
    parts = [f"## {page['title']}", page.get("about", "")]
    for one in page["tables"]:
        parts += [one.get("about", ""), table(one["columns"], [[number_cell(cell) for cell in row]
                                                               for row in one["rows"]])]  # fmt: skip
    return [part for part in parts if part]


def _chunks(name: str, content: Mapping[str, Any], plots: Plots) -> list[str]:
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


def _tokens(name: str, content: Mapping[str, Any], plots: Plots) -> list[str]:
    parts = ["## Tokens"]
    session = content["multiturn_session"]
    drawn = {mode: [(float(turn), float(total)) for turn, total in enumerate(totals, start=1)]
             for mode, totals in session["cumulative_prompt_tokens"].items()}  # fmt: skip
    shown = plots.lines("multiturn", "Cumulative prompt tokens of a session", drawn, x="turn", y="tokens")
    parts.append(f"![multi-turn session]({shown})")
    rows = [[mode, *(f"{total}" for total in totals)] for mode, totals in session["cumulative_prompt_tokens"].items()]
    turns = max(len(row) for row in rows) - 1
    parts.append(table(["", *(f"turn {turn}" for turn in range(1, turns + 1))], rows))
    for heading in ("sequential_against_batch", "per_task"):
        if isinstance(content.get(heading), Mapping):
            rows = [[key, *map(number_cell, row.values())] for key, row in content[heading]["rows"].items()]
            columns = next(iter(content[heading]["rows"].values()))
            named = ["", *(column.replace("_", " ") for column in columns)]
            parts += [f"### {heading.replace('_', ' ').capitalize()}", content[heading].get("about", ""),
                      table(named, rows)]  # fmt: skip
    return [part for part in parts if part]


# --- Calibration ---


def _calibration(name: str, content: Mapping[str, Any], plots: Plots) -> list[str]:
    reports: Mapping[str, Any] = content["reports"]
    rows = [[model, str(r["n"]), f"{r['brier']:.3f}", f"{r['debiased_ece']:.3f}", f"{r['auc']:.3f}"]
            for model, r in reports.items()]  # fmt: skip
    told = name.replace("_", " ").removesuffix(" report")
    parts = [f"## Calibration: {told}", content.get("about", ""),
             table(["model", "n", "Brier", "debiased ECE", "AUC"], rows)]  # fmt: skip
    gates = {float(gate): use for gate, use in content.get("gates", {}).items()}
    bins = {f"{model} (n = {r['n']})": [(one["predicted"], one["observed"], one["n"]) for one in r["reliability"]]
            for model, r in reports.items() if r.get("reliability")}  # fmt: skip
    if bins:
        drawn = plots.reliability(f"{name}-reliability", f"Reliability: {told}", bins, marked=list(gates))
        parts += [f"![reliability]({drawn})", "Bins hold equally many cases; bars are 95 % Wilson intervals of the "
                  "observed share. On the dashed line a probability means what it says."]  # fmt: skip
    parts += _gates(reports, content.get("gates", {}))
    parts += _refusals(reports)
    curves = {model: [(p["coverage"], p["risk"]) for p in r["risk_coverage"]]
              for model, r in reports.items() if r.get("risk_coverage")}  # fmt: skip
    if curves:
        drawn = plots.lines(
            f"{name}-risk", "Answering against refusing", curves,
            x="share of questions answered, surest first", y="share of them that should be refused",
            marked=_on_the_curve(reports, list(content.get("gates", {}))),
        )  # fmt: skip
        parts.append(f"![risk-coverage]({drawn})")
    return [part for part in parts if part]


def _on_the_curve(reports: Mapping[str, Any], gates: Sequence[str]) -> dict[str, Point]:
    """Where the first model's thresholds lie on its curve of risk and coverage."""
    model, report = next(iter(reports.items()))
    unanswerable = report["risk_coverage"][0]["risk"]  # of all questions: at full coverage nothing is refused
    found = {}
    for gate in gates:
        if figures := report.get("mix", {}).get(gate):
            let_through = (1 - figures["recall"]) * unanswerable
            coverage = (1 - figures["refused_wrongly"]) * (1 - unanswerable) + let_through
            found[f"{model}: {gate}"] = (coverage, let_through / coverage)
    return found


def _gates(reports: Mapping[str, Any], gates: Mapping[str, str]) -> list[str]:
    """What each threshold does: how often rightly, and how much of what it is there for it catches."""
    kinds = list(dict.fromkeys(
        key for report in reports.values() for key, held in report.items()
        if isinstance(held, Mapping) and gates.keys() & held.keys()
    ))  # fmt: skip
    rows = [
        [f"{gate}: below it {use}", model, *(_precision_and_recall(report.get(kind, {}).get(gate)) for kind in kinds)]
        for gate, use in gates.items()
        for model, report in reports.items()
    ]
    if not rows or not kinds:
        return []
    about = (
        "What the thresholds mean, as precision / recall / share of answerable questions caught as well: of the "
        "questions under a threshold, how many have no answer here; of those without an answer, how many are under it."
    )
    return [about, table(["threshold", "model", *kinds], rows)]


def _refusals(reports: Mapping[str, Any]) -> list[str]:
    """Refusing a question because none of its papers passes."""
    rows = [
        [model, f"{report['relevant_at']:.2f}", *(_precision_and_recall(one) for one in report["refusal"].values())]
        for model, report in reports.items()
        if "refusal" in report
    ]
    if not rows:
        return []
    kinds = next(report["refusal"] for report in reports.values() if "refusal" in report)
    about = "Refusing when no paper is relevant: precision / recall / answerable questions refused."
    return [about, table(["model", "relevant from", *kinds], rows)]


def _precision_and_recall(figures: Mapping[str, float] | None) -> str:
    if not figures:
        return ""
    told: Sequence[float] = (figures["precision"], figures["recall"], figures["refused_wrongly"])
    return " / ".join(f"{value:.2f}" for value in told)
