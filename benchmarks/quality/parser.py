"""How often the parser and the dispatch table are right, column by column, beside a ten-line keyword baseline.

    python -m benchmarks.quality.parser [--file FILE] [--quiet-errors]

Intervals are Wilson's, 95 %. The questions are labelled by tests/data/questions/GUIDE.md.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.places import ROOT
from litloop.answer.dispatch import dispatch
from litloop.question import parse

DEV = ROOT / "tests" / "data" / "questions" / "dev.jsonl"
COLUMNS = ("shape", "dispatch", "decomposition", "intent", "answer_type", "query_kind")


def baseline_shape(text: str) -> str:
    """What ten lines of keywords make of a question."""
    lower = text.lower()
    cues = [
        ("table", r"\btable\b|for each|\bper\b|by region"),
        ("comparison", r"compare|difference|versus|\bvs\b|better"),
        ("differential", r"diagnos|could (explain|cause)|possible causes|root cause"),
        ("procedure", r"how (do|to|can) |steps|procedure"),
        ("listing", r"^(list|which|what are|name)\b|\ball\b"),
        ("summary", r"\bwhy\b|explain|summar|overview|^how\b"),
    ]
    return next((shape for shape, cue in cues if re.search(cue, lower)), "single")


def baseline_row(text: str) -> dict[str, str]:
    shape = baseline_shape(text)
    return {"shape": shape, "dispatch": "sequential" if shape == "single" else "batch"}


def parser_row(text: str) -> dict[str, str]:
    question = parse(text)
    row = {column: getattr(question, column) for column in COLUMNS if column != "dispatch"}
    return {**row, "dispatch": dispatch(question).mode}


def read_questions(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def wilson(right: int, n: int, z: float = 1.96) -> tuple[float, float]:
    """The 95 % interval of a proportion (Wilson 1927)."""
    if n == 0:
        return 0.0, 1.0
    p = right / n
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return centre - half, centre + half


def accuracy(labels: Sequence[str], rows: Sequence[str]) -> tuple[int, int]:
    return sum(label == row for label, row in zip(labels, rows, strict=True)), len(labels)


def report(questions: Sequence[Mapping[str, str]], *, errors: bool) -> str:
    parsed = [parser_row(question["text"]) for question in questions]
    simple = [baseline_row(question["text"]) for question in questions]
    lines = [f"{'column':<22}{'n':>5}  {'parser':>7}  {'95 % interval':<15}{'baseline':>9}"]
    for column in COLUMNS:
        lines.append(_line(column, column, questions, parsed, simple))
    for name, column in (("shape", "shape"), ("dispatch", "dispatch")):
        lines.append("")
        for value in sorted({question[column] for question in questions}):
            chosen = [index for index, question in enumerate(questions) if question[column] == value]
            lines.append(
                _line(
                    f"{name} = {value}", column, [questions[i] for i in chosen],
                    [parsed[i] for i in chosen], [simple[i] for i in chosen],
                )
            )  # fmt: skip
    lines += ["", "sector (shape, dispatch)"]
    for sector in sorted({question["sector"] for question in questions}):
        chosen = [index for index, question in enumerate(questions) if question["sector"] == sector]
        shares = [
            sum(parsed[i][column] == questions[i][column] for i in chosen) / len(chosen)
            for column in ("shape", "dispatch")
        ]
        lines.append(f"{sector:<22}{len(chosen):>5}  {shares[0]:>7.3f}  {shares[1]:>7.3f}")
    if errors:
        lines += ["", *_errors(questions, parsed)]
    return "\n".join(lines)


def _line(
    title: str,
    column: str,
    questions: Sequence[Mapping[str, str]],
    parsed: Sequence[Mapping[str, str]],
    simple: Sequence[Mapping[str, str]],
) -> str:
    labels = [question[column] for question in questions]
    right, n = accuracy(labels, [row[column] for row in parsed])
    low, high = wilson(right, n)
    line = f"{title:<22}{n:>5}  {right / n:>7.3f}  [{low:.3f}, {high:.3f}] "
    if column in simple[0]:
        line += f"{accuracy(labels, [row[column] for row in simple])[0] / n:>9.3f}"
    return line


def _errors(questions: Sequence[Mapping[str, str]], parsed: Sequence[Mapping[str, str]]) -> list[str]:
    lines = []
    for question, row in zip(questions, parsed, strict=True):
        wrong = [column for column in COLUMNS if row[column] != question[column]]
        if wrong:
            rules = parse(question["text"]).rules
            faults = "; ".join(f"{c}: {row[c]} not {question[c]} ({rules.get(c, 'table')})" for c in wrong)
            lines.append(f"{question['id']} {question['text']}\n     {faults}")
    counts = Counter(
        column for q, row in zip(questions, parsed, strict=True) for column in COLUMNS if row[column] != q[column]
    )
    return [*lines, ", ".join(f"{column}: {count} wrong" for column, count in counts.most_common())]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    options.add_argument("--file", type=Path, default=DEV)
    options.add_argument("--quiet-errors", action="store_true", help="do not list the questions that came out wrong")
    chosen = options.parse_args()
    questions = read_questions(chosen.file)
    for question in questions:  # the first parse compiles the tables
        parse(question["text"])
        break
    started = time.perf_counter()
    for question in questions:
        parse(question["text"])
    each = (time.perf_counter() - started) / max(len(questions), 1) * 1000
    print(report(questions, errors=not chosen.quiet_errors))
    print(f"\n{each:.2f} ms a question")


if __name__ == "__main__":
    main()
