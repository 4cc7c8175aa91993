"""When a question cannot be answered as it stands, one sentence that says what is missing."""

from __future__ import annotations

import re

from litloop.core.choices import QueryKind
from litloop.question.frame import Frame
from litloop.question.record import Shape

_REFERS_BACK = re.compile(
    r"\b(?:it|this|that|these|those|they|them|he|she|the other one|the same|the latter|one)\b", re.IGNORECASE
)
_SIDES = re.compile(
    r"\b(?:and|or|vs|versus|with|to|from|than|over|against|between|last|since|previous)\b", re.IGNORECASE
)

MISSING_SUBJECT = (
    "Name the document, product, person or condition you mean: the question has no word that could be searched for."
)
MISSING_REFERENCE = 'Say what "{word}" stands for: each question is read by itself, without the ones before it.'
MISSING_SIDE = "Name the two things to be compared: only one of them is in the question."


def clarification(
    text: str, kind: QueryKind, frame: Frame, shape: Shape, concepts: tuple[str, ...]
) -> tuple[str | None, str]:
    """The sentence to show, or None, and the rule that decided."""
    if kind == "vague":
        reference = _REFERS_BACK.search(text)
        if reference:
            return MISSING_REFERENCE.format(word=reference[0].lower()), "refers-to-something-unsaid"
        return MISSING_SUBJECT, "no-subject"
    if shape == "comparison" and len(concepts) < 2 and not _SIDES.search(frame.sentence):
        return MISSING_SIDE, "one-side-missing"
    return None, "clear"
