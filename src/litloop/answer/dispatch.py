"""Dispatch: are the passages read one by one, or all at once? The table `dispatch.toml` decides; no model ever does."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal, Protocol, cast

from litloop.core.errors import SettingsError
from litloop.core.records import Candidate
from litloop.question import ParsedQuestion, SubQuestion

_ROUNDING = 1e-9  # 1 - 0.95 is a little more than 0.05 in binary
Mode = Literal["sequential", "batch"]
Context = Literal["passage", "window"]


class Numbers(Protocol):
    """The settings that dispatch reads (`settings.dispatch` has them)."""

    @property
    def tie(self) -> float: ...
    @property
    def sequential_tokens(self) -> int: ...
    @property
    def batch_tokens(self) -> int: ...


@dataclass(frozen=True, slots=True)
class DefaultNumbers:
    tie: float = 0.05  # (max - min) / max of retrieval scores at or under which passages tie
    sequential_tokens: int = 6000
    batch_tokens: int = 12000


@dataclass(frozen=True, slots=True)
class DispatchDecision:
    """How the candidates are read. `rule` is the row that decided, `k` how many candidates may be read,
    `budget_tokens` what reading them may cost, `parts` the decision for each question of a text with several."""

    mode: Mode
    rule: str
    context: Context
    k: int
    budget_tokens: int
    parts: tuple[DispatchDecision, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class DispatchRow:
    """A row of the table: conditions (None or empty: not looked at) and what follows from them."""

    name: str
    mode: Literal["sequential", "batch", "parts"]
    context: Context
    reason: str
    tie: bool | None = None
    sure: bool | None = None
    parts: bool | None = None
    shape: frozenset[str] = frozenset()
    decomposition: frozenset[str] = frozenset()
    intent: frozenset[str] = frozenset()
    answer_type: frozenset[str] = frozenset()
    terms: frozenset[str] = frozenset()

    def holds(self, row: SubQuestion | ParsedQuestion, *, tie: bool, parts: bool, concepts: Sequence[str]) -> bool:
        for wanted, found in ((self.tie, tie), (self.sure, row.sure), (self.parts, parts)):
            if wanted is not None and wanted != found:
                return False
        for column in ("shape", "decomposition", "intent", "answer_type"):
            allowed: frozenset[str] = getattr(self, column)
            if allowed and getattr(row, column) not in allowed:
                return False
        return not self.terms or any(_names(term, concepts) for term in self.terms)


def dispatch(
    question: ParsedQuestion,
    scores: Sequence[float] | None = None,
    numbers: Numbers | None = None,
    *,
    k: int = 5,
    table: Sequence[DispatchRow] | None = None,
) -> DispatchDecision:
    """Decide how `k` candidates are read.

    scores: of the passages that would be read, as the search gave them (`passage_scores`), in any order; None when
    nothing was searched. What a model thinks of them has no say: the same question, scores and table always give the
    same decision.
    """
    numbers = numbers or DefaultNumbers()
    table = table or default_table()
    tie = is_tie(scores, numbers.tie)
    several = len(question.sub_questions) > 1
    row = _first(table, question, tie=tie, parts=several, concepts=question.core_concepts)
    if row.mode != "parts":
        return _decision(row, row.mode, numbers, k)
    parts = tuple(_part(table, part, question, numbers, k, tie=tie) for part in question.sub_questions)
    mode: Mode = "sequential" if all(part.mode == "sequential" for part in parts) else "batch"
    return _decision(row, mode, numbers, k, parts)


def passage_scores(candidates: Sequence[Candidate], k: int = 5) -> list[float]:
    """The search's scores of the first `k` passages of these papers, best first. Passages of one paper can tie, too."""
    return sorted((hit.score for candidate in candidates for hit in candidate.hits), reverse=True)[:k]


def is_tie(scores: Sequence[float] | None, spread: float) -> bool:
    """Whether two or more scores lie within `spread` of the highest: (max - min) / max."""
    if scores is None or len(scores) < 2 or max(scores) <= 0:
        return False
    return (max(scores) - min(scores)) / max(scores) <= spread + _ROUNDING


@cache
def default_table() -> tuple[DispatchRow, ...]:
    return parse_table((files("litloop.answer") / "dispatch.toml").read_text(encoding="utf-8"), "dispatch.toml")


def parse_table(text: str, name: str) -> tuple[DispatchRow, ...]:
    """The rows of a dispatch table in TOML. Raises SettingsError naming the first row that is wrong."""
    try:
        return _rows(tomllib.loads(text), name)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"The dispatch table {name} cannot be read: {error}.") from None


_CONDITIONS = {"tie", "sure", "parts", "shape", "decomposition", "intent", "answer_type", "terms"}
_OUTCOMES = {
    "mode": {"sequential", "batch", "parts"},
    "context": {"passage", "window"},
}


def _rows(table: Mapping[str, Any], name: str) -> tuple[DispatchRow, ...]:
    rows = tuple(_row(entry, name) for entry in table.get("row", ()))
    if not rows or any(_conditions(rows[-1])):
        raise SettingsError(f"The last row of {name} must have no conditions, so that every question finds a row.")
    if rows[-1].mode == "parts":
        raise SettingsError(f"The last row of {name} must be sequential or batch.")
    return rows


def _row(entry: Mapping[str, Any], name: str) -> DispatchRow:
    title = str(entry.get("name", "without a name"))
    unknown = sorted(set(entry) - _CONDITIONS - set(_OUTCOMES) - {"name", "reason"})
    if unknown:
        raise SettingsError(f"The row {title} of {name} has an unknown key: {unknown[0]}.")
    for key, allowed in _OUTCOMES.items():
        if entry.get(key) not in allowed:
            raise SettingsError(f"The row {title} of {name} needs {key}: one of {', '.join(sorted(allowed))}.")
    return DispatchRow(
        name=title,
        mode=entry["mode"],
        context=entry["context"],
        reason=str(entry.get("reason", "")),
        tie=entry.get("tie"),
        sure=entry.get("sure"),
        parts=entry.get("parts"),
        shape=frozenset(entry.get("shape", ())),
        decomposition=frozenset(entry.get("decomposition", ())),
        intent=frozenset(entry.get("intent", ())),
        answer_type=frozenset(entry.get("answer_type", ())),
        terms=frozenset(entry.get("terms", ())),
    )


def _conditions(row: DispatchRow) -> list[object]:
    return [getattr(row, key) for key in sorted(_CONDITIONS) if getattr(row, key) not in (None, frozenset())]


def _first(
    table: Sequence[DispatchRow], row: SubQuestion | ParsedQuestion, *, tie: bool, parts: bool, concepts: Sequence[str]
) -> DispatchRow:
    return next(entry for entry in table if entry.holds(row, tie=tie, parts=parts, concepts=concepts))


def _part(
    table: Sequence[DispatchRow], part: SubQuestion, whole: ParsedQuestion, numbers: Numbers, k: int, *, tie: bool
) -> DispatchDecision:
    concepts = [concept for concept in whole.core_concepts if concept.lower() in part.text.lower()]
    row = _first(table, part, tie=tie, parts=False, concepts=concepts)
    return _decision(row, cast(Mode, row.mode), numbers, k)


def _decision(
    row: DispatchRow, mode: Mode, numbers: Numbers, k: int, parts: tuple[DispatchDecision, ...] = ()
) -> DispatchDecision:
    budget = numbers.sequential_tokens if mode == "sequential" else numbers.batch_tokens
    return DispatchDecision(mode, row.name, row.context, k, budget, parts, row.reason)


def _names(term: str, concepts: Sequence[str]) -> bool:
    """Whether a term is a concept or ends one ("water damage exclusions" is about exclusions)."""
    return any(concept.lower() == term or concept.lower().endswith(f" {term}") for concept in concepts)
