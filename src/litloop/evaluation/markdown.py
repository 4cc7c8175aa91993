"""Tables and cells of a report, in Markdown."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from litloop.evaluation.significance import Interval


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def folded_section(summary: str, parts: Sequence[str]) -> str:
    """Parts that a reader opens with a click."""
    inside = "\n\n".join(parts)
    return f"<details>\n<summary>{summary}</summary>\n\n{inside}\n\n</details>"


def interval_cell(interval: Interval | None) -> str:
    return f"{interval.mean:.3f} [{interval.low:.3f}, {interval.high:.3f}]" if interval else ""


def signed_cell(interval: Interval | None) -> str:
    return f"{interval.mean:+.3f} [{interval.low:+.3f}, {interval.high:+.3f}]" if interval else ""


def latency_cell(ms: Mapping[str, float]) -> str:
    return f"{ms['p50']:.1f} / {ms['p95']:.1f}" if ms else ""


def number_cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return "not known" if math.isnan(value) else f"{value:.3f}"
    return str(value)
