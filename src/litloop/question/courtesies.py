"""What stands around a question and asks nothing: greetings, politeness, introductions."""

from __future__ import annotations

import re
from functools import cache

from litloop.question.tables import compiled, read_table

LONGEST = 1200  # characters of one sentence that are looked at; a question is not longer, and time stays bounded

_CONTRACTED = re.compile(r"\b(what|who|where|when|why|how|that|there|it|here|which)'s\b")
_ARE = re.compile(r"\b(what|who|where|when|why|how|which|they|we|you)'re\b")
_NOT = re.compile(r"\b(wo|ca|sha|do|does|did|is|are|was|were|has|have|had|would|could|should|must|need|might)n't\b")
_WHOLE = {"wo": "will", "ca": "can", "sha": "shall"}
_MOST_LEAD_INS = 6


def normalised_question(sentence: str) -> str:
    """Lower case with contractions written out. Of an overlong sentence the end, where its question stands."""
    lower = sentence[-LONGEST:].lower()
    lower = _NOT.sub(lambda match: f"{_WHOLE.get(match[1], match[1])} not", lower.replace("’", "'"))
    return _ARE.sub(r"\1 are", _CONTRACTED.sub(r"\1 is", lower)).strip()


def strip_lead_ins(text: str) -> tuple[str, bool]:
    """`text` without greetings and courtesies, and whether what is left is asked with if or whether."""
    whether = False
    for _ in range(_MOST_LEAD_INS):
        for pattern, asks_whether in _lead_ins():
            match = pattern.match(text)
            if match and match.end() < len(text):
                text = text[match.end() :].lstrip(" ,:;-")
                whether = whether or asks_whether
                break
        else:
            break
    return text, whether


@cache
def _lead_ins() -> tuple[tuple[re.Pattern[str], bool], ...]:
    return tuple((compiled(row["starts"]), "means" in row) for row in read_table("lead_ins.toml")["lead_in"])
