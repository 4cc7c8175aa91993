"""The deterministic parser of questions and its tables."""

from litloop.question.answer_word import answer_word
from litloop.question.compared_sides import compared_sides
from litloop.question.keywords import naming_words
from litloop.question.parser import parse
from litloop.question.record import (
    Keyword,
    ParsedQuestion,
    Scope,
    SubQuestion,
)
from litloop.question.spelling import spelling_suggestions

__all__ = [
    "Keyword",
    "ParsedQuestion",
    "Scope",
    "SubQuestion",
    "answer_word",
    "compared_sides",
    "naming_words",
    "parse",
    "spelling_suggestions",
]
