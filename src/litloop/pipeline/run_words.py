"""The words for the steps of a run, read by the command line and, through `scripts/reference.py`, by the page."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files

LIKELY = 0.5  # the probability from which a paper that was kept is called relevant without a "possibly"


@functools.cache
def run_words() -> Mapping[str, Mapping[str, str]]:
    """Words by kind (`gate`, `end`, `relevance`) and by what they are said of."""
    told: dict[str, dict[str, str]] = tomllib.loads(
        (files("litloop.pipeline") / "run_words.toml").read_text(encoding="utf-8")
    )
    return told


def verdict_words(verdict: str, confidence: float) -> str:
    """A paper's verdict with how sure it is, 0-1: "relevant 0.90", "possibly relevant 0.27", "not relevant 0.95".

    `confidence` is the probability of being relevant, so of an irrelevant paper the rest of it is told.
    """
    words = run_words()["relevance"]
    if verdict == "relevant":
        return f"{words['relevant' if confidence >= LIKELY else 'possibly']} {confidence:.2f}"
    return f"{words['irrelevant']} {1 - confidence:.2f}" if verdict == "irrelevant" else words["unknown"]


def share_words(verdicts: Sequence[tuple[str, float]]) -> str:
    """How many of the judged papers are relevant, from (verdict, confidence) of each: "2 of 5 papers relevant, 1
    possibly"."""
    if not verdicts:
        return "no paper to judge"
    words = run_words()["relevance"]
    kept = [confidence for verdict, confidence in verdicts if verdict == "relevant"]
    likely = sum(confidence >= LIKELY for confidence in kept)
    unknown = sum(verdict == "unknown" for verdict, _ in verdicts)
    of = "1 paper" if len(verdicts) == 1 else f"{len(verdicts)} papers"
    if likely or not kept:
        share = f"{likely} of {of} {words['relevant']}"
        share += f", {len(kept) - likely} possibly" if len(kept) > likely else ""
    else:
        share = f"{len(kept)} of {of} {words['possibly']}"
    return f"{share}, {unknown} {words['unknown']}" if unknown else share


def end_words(end: str | None, *, last: bool) -> str:
    """Why a round was the last, or that another follows."""
    return run_words()["end"][end or ("exhausted" if last else "next")]
