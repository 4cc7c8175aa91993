"""A question in other words without a model: its core alone, with the names and words that the first hits lend.

Two phrasings, always the same ones for the same hits. The first is the core of the question with abbreviations
written out, or long names abbreviated, as the hits themselves define them; the second the core beside the hits' most
telling words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from litloop.question.keywords import core_concepts
from litloop.text.acronyms import find_acronyms

BORROWED = 4  # words of the first hits


def offline_paraphrases(query: str, texts: Sequence[str], telling: Sequence[str]) -> tuple[str, ...]:
    """At most two phrasings that differ from `query` and from each other.

    `texts` are the first hits, best first; `telling` their most telling words that `query` lacks.
    """
    core = " ".join(core_concepts(query)) or query
    named = renamed(core, _acronyms(texts))
    borrowed = " ".join([core, *telling[:BORROWED]])
    seen, kept = {_folded(query)}, []
    for phrase in (named, borrowed):
        if _folded(phrase) not in seen:
            seen.add(_folded(phrase))
            kept.append(phrase)
    return tuple(kept)


def renamed(text: str, acronyms: Mapping[str, str]) -> str:
    """`text` with each short form replaced by its long form, and each long form by its short one."""
    for short, long in acronyms.items():
        there, other = _place(short, text), long
        if there is None:
            there, other = _place(long, text, re.IGNORECASE), short
        if there:
            text = text[: there.start()] + other + text[there.end() :]
    return text


def _place(name: str, text: str, flags: int = 0) -> re.Match[str] | None:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, flags)


def _acronyms(texts: Sequence[str]) -> dict[str, str]:
    """What the texts define, the first definition of a short form first."""
    found: dict[str, str] = {}
    for text in texts:
        for short, long in find_acronyms(text).items():
            found.setdefault(short, long)
    return found


def _folded(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
