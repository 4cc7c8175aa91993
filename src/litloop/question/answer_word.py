"""The word that what answers a look-up bears more often than not: the noun of its value, or the verb of a deed."""

from __future__ import annotations

from litloop.question.frame import Frame, analyse
from litloop.question.lexicon import lexicon
from litloop.question.morphology import verb_form
from litloop.question.tokens import at, tokenise

# Any sum is an amount and has a value: these nouns tell no fine from a fee.
_ANY = frozenset(
    """
    amount sum value figure number total price cost money level rate share percentage proportion percent degree one
    answer result estimate
    """.split()  # noqa: SIM905 - a list is read more easily as prose
)


def answer_word(question: str) -> str:
    """ "What is the fine": fine. "Who issues the permit": issues. "How old must one be": old. "" where there is none.

    As the question has it, in lower case. Nouns that fit any value (amount, share) are none.
    """
    frame = analyse(question)
    if frame.opener in ("who", "whom"):
        return _deed(frame)
    head = frame.noun.head if frame.be or frame.subject or frame.opener == "how" else ""
    if not head and frame.opener == "how" and frame.word in lexicon().grammar["quantities"] - {"many", "much"}:
        return frame.word  # how old
    return "" if head in _ANY else head


def _deed(frame: Frame) -> str:
    """The verb whose agent is asked for; the noun where one is asked after: who is the author."""
    tokens = tokenise(frame.core)
    start = next((i for i, token in enumerate(tokens) if token in ("who", "whom")), 0) + 1
    words = lexicon()
    if frame.opener == "who" and at(tokens, start) in words.be and at(tokens, start + 1) in words.determiners:
        return frame.noun.head
    skipped = words.auxiliaries | words.be | words.adverbs | {"not", "been", "be", "being"}
    rest = [token for token in tokens[start:] if token not in skipped]
    if frame.opener == "who":
        return rest[0] if rest and rest[0][0].isalpha() else ""
    return next((token for token in rest if verb_form(token) == "past"), "")
