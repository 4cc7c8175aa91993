"""The names that the API and the traces have for what a domain adds to an answer.

Records speak of topics and alternatives, whatever the field. The API keeps the names that it has had since NeuLitTrace:
an alternative is a differential, a topic a condition. Traces and kept runs of litloop 0.1 hold the record of an answer
under those names, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from litloop.core.records import Alternative, Answer, Check

# A field of an answer's record, as litloop 0.1 named it -> its name today.
_RECORD_OF_0_1 = {
    "differentials": "alternatives",
    "best_condition": "matched_topic",
    "corpus_paper_count": "topic_paper_count",
}
_KIND = {"alternative": "differential"}


def topic_fields(answer: Answer) -> dict[str, Any]:
    """What the API says of an answer's topic and of those near the question."""
    return {
        "suggested_conditions": [topic.name for topic in answer.closest_topics],
        "corpus_paper_count": answer.topic_paper_count,
        "best_condition": answer.matched_topic,
    }


def differentials(alternatives: Sequence[Alternative]) -> list[dict[str, Any]]:
    return [
        {
            "condition": one.name,
            "why": one.why,
            "paper_id": one.paper_id,
            "quote": one.quote,
            "verdict": one.verdict,
        }
        for one in alternatives
    ]


def alternatives_from(raw: Sequence[Mapping[str, Any]]) -> tuple[Alternative, ...]:
    """The records behind `differentials`. Raises KeyError where one lacks its name, its reason or its paper."""
    return tuple(
        Alternative(
            name=one["condition"],
            why=one["why"],
            paper_id=one["paper_id"],
            quote=one.get("quote", ""),
            verdict=one.get("verdict", "unverified"),
        )
        for one in raw
    )


def check_fields(check: Check) -> dict[str, Any]:
    return {**asdict(check), "kind": _KIND.get(check.kind, check.kind)}


def renamed_record(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The record of an answer as a trace holds it, with the fields of 0.1 under today's names."""
    record = {_RECORD_OF_0_1.get(name, name): value for name, value in raw.items()}
    if "differentials" in raw:
        record["alternatives"] = [asdict(one) for one in alternatives_from(raw["differentials"])]
    former = {old: new for new, old in _KIND.items()}
    checks = record.get("checks", ())
    record["checks"] = [{**check, "kind": former.get(check["kind"], check["kind"])} for check in checks]
    return record
