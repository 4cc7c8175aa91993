"""The gate: whether the run goes on to answer, or stops here (out of scope among its reasons), cheaply and honestly.

It decides over what `loop/search_loop.py` found and `loop/relevance.py` judged; its thresholds come from the settings
(`search.scope_threshold`, `search.synthesis_threshold`) through `run_service.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from litloop.loop.relevance import SUBJECT_MISSING
from litloop.loop.search_loop import LoopResult
from litloop.pipeline.run_words import LIKELY
from litloop.retrieval.confidence import told_apart

Decision = Literal["answer", "passages_only", "out_of_scope", "budget_ended", "retrieval_failed", "degraded"]

# Of a question of another field with the same method no paper is likelier than the first, and each lacks in its title
# at least the second of the asked subject; more may be lacking of one that is likelier. Chosen on the development half
# of `benchmarks/quality/same_method.py`.
UNLIKELY = ((0.33, 0.4), (0.4, 0.6))
NO_SUBJECT = "No paper found is likely to be about the question, and none has what it asks about as its subject."


@dataclass(frozen=True, slots=True)
class Gate:
    decision: Decision
    why: str


def gate(result: LoopResult, *, threshold: float, foreign: float, synthesis: bool) -> Gate:
    """Decide from how the search loop ended. `threshold` and `foreign` are on the calibrated retrieval confidence:
    under the one nothing is written, under the other a question that no paper surely addresses is foreign here.

    A failed judge or search, or one that ran only in part, is never called "out of scope": nothing is known about the
    literature then.
    """
    if result.end == "retrieval_failed":
        return Gate("retrieval_failed", result.degraded or "Nothing could be retrieved.")
    if result.excluded:
        return Gate("out_of_scope", result.excluded)
    if result.out_of_scope:
        return Gate("out_of_scope", "No paper of this collection addresses the question.")
    if not result.relevant and result.end == "budget":
        return Gate("budget_ended", "The budget ended the run before any paper was found relevant.")
    if not result.relevant:
        why = result.degraded or result.impaired or "The run ended before any paper was found relevant."
        return Gate("degraded", why)
    if result.unknown and not result.judged_by_model:
        return Gate("out_of_scope", result.unknown)
    # Fitted on closed collections without a model; one that judged the papers knows more than these numbers.
    confidence = None if result.judged_by_model else result.retrieval_confidence
    if confidence is not None and confidence < foreign and _only_weak(result):
        if result.impaired:
            return Gate("degraded", result.impaired)
        return Gate("out_of_scope", f"No paper is close enough: retrieval confidence {confidence:.2f}.")
    # Where `foreign` is 0, the library is too small or its documents too long for its numbers to tell.
    if foreign > 0 and _of_another_subject(result):
        return Gate("degraded", result.impaired) if result.impaired else Gate("out_of_scope", NO_SUBJECT)
    if not synthesis:
        return Gate("passages_only", "Writing answers is switched off.")
    if confidence is not None and confidence < threshold:
        return Gate("passages_only", _too_unsure(confidence, threshold, rounds=len(result.rounds)))
    likely = any(verdict.confidence >= LIKELY for _, verdict in result.relevant)
    return Gate("answer", "Relevant papers were found." if likely else "Papers that may be relevant were found.")


def _too_unsure(confidence: float, threshold: float, *, rounds: int) -> str:
    """Each round tells a confidence of its own, and the first one counts: it is of the question, as it was asked."""
    told, limit = told_apart(confidence, threshold)
    if rounds > 1:
        return f"The retrieval confidence of the question as it was asked, {told}, is below {limit}."
    return f"Retrieval confidence {told} is below {limit}."


def _of_another_subject(result: LoopResult) -> bool:
    """Whether signals alone judged, and every paper kept is unlikely and lacks the asked subject in its title."""
    if not all(entry.judged_by == "offline" for entry in result.rounds):
        return False
    likely = max(verdict.confidence for _, verdict in result.relevant)
    lacking = min(candidate.signals.get(SUBJECT_MISSING, 0.0) for candidate, _ in result.relevant)
    return any(likely < unlikely and lacking >= least for unlikely, least in UNLIKELY)


def _only_weak(result: LoopResult) -> bool:
    """Whether signals alone judged, and found no paper more likely relevant than not."""
    by_signals = all(entry.judged_by == "offline" for entry in result.rounds)
    return by_signals and all(verdict.confidence < LIKELY for _, verdict in result.relevant)
