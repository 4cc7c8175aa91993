"""The deterministic parser of questions and its tables."""

from litloop.question.asked import asked_word
from litloop.question.keywords import naming_words
from litloop.question.parser import parse
from litloop.question.record import (
    Keyword,
    ParsedQuestion,
    Scope,
    SubQuestion,
)
from litloop.question.sides import compared

__all__ = [
    "Keyword",
    "ParsedQuestion",
    "Scope",
    "SubQuestion",
    "asked_word",
    "compared",
    "naming_words",
    "parse",
]
