"""How a question will search: a few terms, a full question, or words too general to name what is sought."""

from __future__ import annotations

from collections.abc import Sequence

from litloop.core.choices import QueryKind
from litloop.question.frame import Frame
from litloop.question.keywords import is_content
from litloop.question.lexicon import lexicon
from litloop.question.morphology import singular, verb_form
from litloop.question.record import Keyword
from litloop.question.tokens import tokenise

_MOST_TERMS = 12  # words: longer than this is no list of terms


def query_kind(text: str, frames: Sequence[Frame], words: Sequence[Keyword]) -> tuple[QueryKind, str]:
    """The kind, and the rule that decided."""
    tokens = tokenise(text.lower())
    named = any(keyword.source == "anchor" for keyword in words)
    if not named and not _named(text) and not _specific(tokens):
        return "vague", "only-general-words"
    if not named and tokens[:2] in (["what", "about"], ["how", "about"]):
        return "vague", "goes-on-from-something-unsaid"
    asks = [frame for frame in frames if frame.opener not in {"phrase"}]
    if asks:
        return "semantic", "a-question-with-content-words"
    if len(tokens) > _MOST_TERMS:
        return "semantic", "too-long-for-terms"
    links = sum(token in lexicon().prepositions or token in lexicon().determiners for token in tokens)
    if any(frame.asked for frame in frames) or "please" in tokens or links > 1:
        return "semantic", "a-phrase-with-its-own-grammar"
    return "keyword", "terms-only"


def _named(text: str) -> bool:
    """Whether a word inside the text has a capital letter, as names and labels have (policy A)."""
    words = tokenise(text)[1:]
    return not text.isupper() and any(word[0].isupper() and word not in {"I", "I'm", "I'd"} for word in words)


def _specific(tokens: list[str]) -> list[str]:
    """The words that name something: content words that are neither general nor mere verbs."""
    general = lexicon().general
    return [
        token
        for token in tokens
        if token[0].isalnum()
        and is_content(token)
        and token not in general
        and singular(token) not in general
        and not (verb_form(token) and _general_verb(token))
    ]


def _general_verb(token: str) -> bool:
    return token in lexicon().irregular_past or token.endswith(("ed", "ing", "s"))
