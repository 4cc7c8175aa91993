"""The gate: whether the run goes on to answer, or stops here, cheaply and honestly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from litloop.loop.search_loop import LoopResult

Decision = Literal["answer", "passages_only", "out_of_scope", "retrieval_failed", "degraded"]


@dataclass(frozen=True, slots=True)
class Gate:
    decision: Decision
    why: str


def gate(result: LoopResult, *, threshold: float, synthesis: bool) -> Gate:
    """Decide from how the search loop ended. `threshold` is on the calibrated retrieval confidence.

    A failed judge or a failed search is never called "out of scope": nothing is known about the literature then.
    """
    if result.end == "retrieval_failed":
        return Gate("retrieval_failed", result.degraded or "Nothing could be retrieved.")
    if result.out_of_scope:
        return Gate("out_of_scope", "No paper in this literature addresses the question.")
    if not result.relevant:
        why = result.degraded or "The run ended before any paper was found relevant."
        return Gate("degraded", why)
    if not synthesis:
        return Gate("passages_only", "Writing answers is switched off.")
    confidence = result.retrieval_confidence
    if confidence is not None and confidence < threshold:
        return Gate("passages_only", f"Retrieval confidence {confidence:.2f} is below {threshold:.2f}.")
    return Gate("answer", "Relevant papers were found.")
