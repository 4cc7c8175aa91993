"""Committed figures, and what has changed since.

A baseline is one JSON file per collection, with everything needed to tell whether a later run may be compared
with it: corpus and judgement hash, settings hash, model fingerprints, version, n scored and n failed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from litloop.errors import UsageError
from litloop.evaluation.metrics import Scored
from litloop.evaluation.significance import Comparison, Interval, bootstrap_interval, compare, holm

SCHEMA_VERSION = 1
PAIRED_METRIC = "nDCG@10"  # its per-question values are kept, for paired comparison


@dataclass(frozen=True, slots=True)
class MethodResult:
    """One method's figures on one collection. `per_question` holds PAIRED_METRIC."""

    n: int
    failed: int
    metrics: Mapping[str, Interval]
    per_question: Mapping[str, float]
    latency_ms: Mapping[str, float] = field(default_factory=dict)  # p50, p95

    @classmethod
    def of(cls, scored: Scored, latency_ms: Mapping[str, float] | None = None) -> MethodResult:
        metrics = {name: bootstrap_interval(list(values.values())) for name, values in scored.per_question.items()}
        paired = {question: round(value, 5) for question, value in scored.per_question[PAIRED_METRIC].items()}
        return cls(scored.scored, len(scored.failed), metrics, paired, dict(latency_ms or {}))


@dataclass(frozen=True, slots=True)
class Baseline:
    collection: str
    split: str
    corpus_hash: str
    judgement_hash: str
    settings_hash: str
    settings: Mapping[str, Any]
    models: Mapping[str, str]  # role or name -> fingerprint
    version: str
    documents: int
    methods: Mapping[str, MethodResult]
    notes: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Change:
    """One method against its baseline. `p` is corrected for the number of methods compared (Holm)."""

    method: str
    comparison: Comparison
    p: float

    def fell(self, alpha: float = 0.05) -> bool:
        return self.comparison.difference.mean < 0 and self.p < alpha


def settings_hash(settings: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(settings, sort_keys=True, default=str).encode()).hexdigest()[:16]


def write_baseline(baseline: Baseline, path: Path) -> None:
    text = json.dumps({"schema": SCHEMA_VERSION, **_rounded(asdict(baseline))}, indent=1, sort_keys=True)
    path.write_text(text + "\n", encoding="utf-8")


def read_baseline(path: Path) -> Baseline:
    """Raises UsageError when the file is missing, malformed or of a newer schema."""
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        if raw.pop("schema") > SCHEMA_VERSION:
            raise UsageError(f"{path.name} was written by a newer litloop.")
        methods = {name: _method(method) for name, method in raw.pop("methods").items()}
        return Baseline(**raw, methods=methods)
    except OSError:
        raise UsageError(f"There is no baseline at {path}.") from None
    except (json.JSONDecodeError, KeyError, TypeError, AttributeError):
        raise UsageError(f"{path.name} is not a litloop baseline.") from None


def changes(now: Baseline, before: Baseline) -> list[Change]:
    """Every method that both have, compared question by question.

    Raises UsageError when they were not measured on the same documents and judgements: the difference would
    mean nothing.
    """
    for what in ("collection", "split", "corpus_hash", "judgement_hash"):
        if getattr(now, what) != getattr(before, what):
            raise UsageError(
                f"The baseline is of another {what.replace('_', ' ')} ({getattr(before, what)}, "
                f"now {getattr(now, what)}): the two cannot be compared."
            )
    compared = {
        name: compare(now.methods[name].per_question, before.methods[name].per_question)
        for name in sorted(now.methods.keys() & before.methods.keys())
    }
    corrected = holm({name: comparison.p for name, comparison in compared.items()})
    return [Change(name, comparison, corrected[name]) for name, comparison in compared.items()]


def _method(raw: Mapping[str, Any]) -> MethodResult:
    metrics = {name: Interval(**interval) for name, interval in raw["metrics"].items()}
    return MethodResult(**{**raw, "metrics": metrics})


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 5)
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    return [_rounded(item) for item in value] if isinstance(value, list | tuple) else value
