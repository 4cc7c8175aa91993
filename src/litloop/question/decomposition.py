"""Whether the second question of a text needs the answer of the first."""

from __future__ import annotations

import re
from collections.abc import Sequence

from litloop.question.frame import Frame
from litloop.question.lexicon import lexicon
from litloop.question.morphology import singular

_THINGS = re.compile(
    r"\b(?:its|it|their|they|them|theirs|he|she|his|her|him|hers|there|do so|did so)\b"
    r"|\b(?:that|this|those|these|such|the same|the latter) (?!is\b|was\b|are\b|were\b)\w+"
    r"|\bof (?:that|those|it|them)\b",
    re.IGNORECASE,
)
_ELLIPSIS = 4  # words: "and at what dose?" has no subject but the answer of the first question
_PEOPLE = re.compile(r"\b(?:he|she|his|her|him|hers|their|they|them|this person|that person)\b", re.IGNORECASE)
_FOLLOWS = re.compile(r"\b(?:if so|if yes|if not|then|in that case|if it is|if they do|if it does)\b", re.IGNORECASE)


def needs_the_first(first: Frame, second: str, joined: str) -> str | None:
    """The rule by which `second` depends on the answer of `first`, or None when the order does not matter."""
    if _FOLLOWS.search(joined) or _FOLLOWS.match(second):
        return "follows-from-the-first"
    if first.opener in {"who", "whom", "whose"}:
        return "refers-to-the-person" if _PEOPLE.search(second) else None
    if first.subject and len(second.split()) <= _ELLIPSIS:
        return "ends-in-a-question-word-about-the-answer"
    if not _THINGS.search(second):
        return None
    if first.opener == "yesno":
        return "refers-to-what-may-exist" if re.match(r"(?:is|are|was|were) there\b", first.core) else None
    if first.subject or (_names_a_thing(first) and first.opener in {"what", "which", "request", "where"}):
        return "refers-to-the-answer"
    return None


def _names_a_thing(frame: Frame) -> bool:
    """What is asked for is a thing that has properties of its own, not a property of a thing already named."""
    return singular(frame.noun.head) in lexicon().types["entity"] and not frame.noun.of


def joint_rule(rules: Sequence[str | None]) -> tuple[str, str]:
    """(decomposition, rule) of a text with several questions."""
    named = [rule for rule in rules if rule]
    return ("sequential", named[0]) if named else ("independent", "several-questions")
