"""The things that a comparison names: A and B of "the difference between A and B"."""

from __future__ import annotations

import re

from litloop.question.courtesies import normalised_question, strip_lead_ins

_SIDES = tuple(
    re.compile(pattern)
    for pattern in (
        r"\bbetween (?P<one>.{2,80}?) and (?P<other>.{2,80})",
        r"\b(?:compare|contrast|distinguish|differentiate|juxtapose)s? (?P<one>.{2,80}?) "
        r"(?:and|with|to|from|against|versus|vs\.?) (?P<other>.{2,80})",
        r"\bhow (?:do|does|did|is|are) (?P<one>.{2,80}?) (?:compare|differ|different)\w* (?:with|to|from) "
        r"(?P<other>.{2,80})",
        r"\bhow (?:do|did|are) (?P<one>.{2,80}?) and (?P<other>.{2,80}?) (?:compare|differ)\w*",
        r"^(?:is|are|was|were|does|do|did) (?P<one>.{2,80}?) (?:\w+ ){0,2}"
        r"(?:more|less|better|worse|\w{2,}er)\b.{0,60}? than (?P<other>.{2,80})",
        r"^which\b.{2,120}, (?P<one>[^,]{2,80}?) or (?P<other>.{2,80})",
        r"^(?P<one>.{2,60}?) (?:versus|vs\.?|compared (?:with|to)) (?P<other>.{2,80})",
    )
)
# What follows says under which aspect the last one is compared.
_ASPECT = re.compile(
    r"[,;:?(]|\b(?:in|for|on|at|by|as|with|when|where|while|during|under|regarding|concerning|over|about)\b"
)


def compared_sides(question: str) -> tuple[str, str] | None:
    """The two things, as the question has them in lower case; None when no known form names two."""
    text, _ = strip_lead_ins(normalised_question(question).strip(" .?!"))
    for pattern in _SIDES:
        match = pattern.search(text)
        if match:
            one, other = match["one"].strip(), _ASPECT.split(match["other"], maxsplit=1)[0].strip()
            return (one, other) if one and other else None
    return None
