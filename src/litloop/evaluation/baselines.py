"""Committed figures, and what has changed since.

A baseline is one JSON file per collection, with everything needed to tell whether a later run may be compared
with it: corpus and judgement hash, settings hash, model fingerprints, version, n scored and n failed.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from litloop.core.errors import UsageError
from litloop.evaluation.metrics import Scored
from litloop.evaluation.significance import Comparison, Interval, bootstrap_interval, compare, holm

SCHEMA_VERSION = 1
RERANKER, EXPANSION = "reranker", "expansion"  # roles among a run's models, beside the embedder's name
PAIRED_METRIC = "nDCG@10"  # its per-question values are kept, for paired comparison


@dataclass(frozen=True, slots=True)
class MethodResult:
    """One method's figures on one collection. `per_question` holds PAIRED_METRIC."""

    n: int
    failed: int
    metrics: Mapping[str, Interval]
    per_question: Mapping[str, float]
    latency_ms: Mapping[str, float] = field(default_factory=dict)  # p50, p95, without embedding the question
    by_kind: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # kind -> n and means
    unjudged: Mapping[str, float] = field(default_factory=dict)  # unjudged@k, and nDCG@10 of the judged alone
    failures: Mapping[str, str] = field(default_factory=dict)  # question -> why it has no figure
    tokens: float | None = None  # of models, a question; None where no model was asked

    @classmethod
    def of(cls, scored: Scored, latency_ms: Mapping[str, float] | None = None, **more: Any) -> MethodResult:
        """Raises UsageError when every question failed: there is nothing to average."""
        if not scored.scored:
            raise UsageError("No question could be scored: all of them failed.")
        metrics = {name: bootstrap_interval(list(values.values())) for name, values in scored.per_question.items()}
        paired = {question: round(value, 5) for question, value in scored.per_question[PAIRED_METRIC].items()}
        return cls(scored.scored, len(scored.failed), metrics, paired, dict(latency_ms or {}), **more)


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
    attainable: Mapping[str, float] = field(default_factory=dict)  # P@k of a perfect ranking
    embed_ms: Mapping[str, float] = field(default_factory=dict)  # of a question: p50, p95
    skipped: Mapping[str, str] = field(default_factory=dict)  # method -> why it could not run
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MetricChange:
    """One method against its baseline. `p` is corrected for the number of comparisons made together (Holm).
    `lost`: questions that the baseline scored and that failed now; a mean over the others would flatter."""

    method: str
    comparison: Comparison
    p: float
    collection: str = ""
    lost: tuple[str, ...] = ()

    def fell(self, alpha: float = 0.05) -> bool:
        return self.comparison.difference.mean < 0 and self.p < alpha


def settings_hash(settings: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(settings, sort_keys=True, default=str).encode()).hexdigest()[:16]


def made_folder(folder: Path) -> None:
    """Raises UsageError with the reason when it cannot be made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"The folder {folder} cannot be made: {error.strerror}.") from None


def write_text(path: Path, text: str) -> None:
    """Raises UsageError with the reason when it cannot be written."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}.") from None


def write_baseline(baseline: Baseline, path: Path) -> None:
    text = json.dumps({"schema": SCHEMA_VERSION, **_rounded(asdict(baseline))}, indent=1, sort_keys=True)
    write_text(path, text + "\n")


def read_baseline(path: Path) -> Baseline:
    """Raises UsageError when the file is missing, malformed or of a newer schema."""
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        if raw.pop("schema") > SCHEMA_VERSION:
            raise UsageError(f"{path.name} was written by a newer litloop.")
        if raw.get("split") == "seed":  # as 0.1.0 named questions and judgements in the layout of Neural_search
            raw["split"] = "neural_search"
        methods = {name: _method(method) for name, method in raw.pop("methods").items()}
        return Baseline(**{**raw, "warnings": tuple(raw.get("warnings", ()))}, methods=methods)
    except OSError as error:
        why = "There is no file" if isinstance(error, FileNotFoundError) else "This cannot be read:"
        raise UsageError(f"{why} {path}.") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UsageError(f"{path.name} is not a litloop baseline.") from None


def changes(now: Baseline, before: Baseline) -> list[MetricChange]:
    """Every method that both have, compared question by question. Errors as in `changes_of_all`."""
    return changes_of_all([(now, before)])


def changes_of_all(pairs: Sequence[tuple[Baseline, Baseline]]) -> list[MetricChange]:
    """Every method that both of a pair (now, before) have, compared question by question, all corrected together.

    Raises UsageError when a pair was not measured on the same documents and judgements (the difference would mean
    nothing), has no method in common, or no question that both scored.
    """
    compared: dict[tuple[str, str], tuple[Comparison, tuple[str, ...]]] = {}
    for now, before in pairs:
        _same_material(now, before)
        for name in sorted(now.methods.keys() & before.methods.keys()):
            then, here = before.methods[name].per_question, now.methods[name].per_question
            if not then.keys() & here.keys():
                raise UsageError(f"No question of {now.collection} was scored by {name} both times.")
            compared[now.collection, name] = (
                compare(here, then),
                tuple(sorted(then.keys() - here.keys())),
            )
    if not compared:
        raise UsageError("The two have no method in common: there is nothing to compare.")
    corrected = holm({"\n".join(key): comparison.p for key, (comparison, _) in compared.items()})
    return [
        MetricChange(method, comparison, corrected["\n".join((collection, method))], collection, lost)
        for (collection, method), (comparison, lost) in compared.items()
    ]


def dropped_methods(now: Baseline, before: Baseline) -> dict[str, str]:
    """Methods of the baseline that could not be scored at all now, with the reason: no mean is left to fall."""
    return {name: why for name, why in now.skipped.items() if name in before.methods}


def setup_differences(now: Baseline, before: Baseline) -> list[str]:
    """What besides the code differs between two runs: settings and models, each in a few words."""
    found = [
        f"{name}: {before.settings.get(name)} before, {now.settings.get(name)} now"
        for name in sorted(now.settings.keys() | before.settings.keys())
        if now.settings.get(name) != before.settings.get(name)
    ]
    if dict(now.models) != dict(before.models):
        found.append(f"models: {_named(before.models)} before, {_named(now.models)} now")
    return found


def _same_material(now: Baseline, before: Baseline) -> None:
    for what in ("collection", "split", "corpus_hash", "judgement_hash"):
        if getattr(now, what) != getattr(before, what):
            raise UsageError(
                f"The baseline is of another {what.replace('_', ' ')} ({getattr(before, what)}, "
                f"now {getattr(now, what)}): the two cannot be compared."
            )


def _named(models: Mapping[str, str]) -> str:
    return ", ".join(f"{name} ({fingerprint})" for name, fingerprint in sorted(models.items()))


def _method(raw: Mapping[str, Any]) -> MethodResult:
    metrics = {name: Interval(**interval) for name, interval in raw["metrics"].items()}
    figures = [*raw["per_question"].values(), *(v for one in metrics.values() for v in (one.mean, one.low, one.high))]
    if not all(math.isfinite(value) for value in figures):
        raise UsageError("The baseline holds a NaN: failed questions must be left out, and counted, before.")
    return MethodResult(**{**raw, "metrics": metrics})


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 5)
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    return [_rounded(item) for item in value] if isinstance(value, list | tuple) else value
