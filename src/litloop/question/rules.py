"""Rules as data: a row of the shape tables or of `columns.toml` is a set of conditions on a frame, and a value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from litloop.question.frame import Frame
from litloop.question.lexicon import lexicon
from litloop.question.morphology import is_plural, singular
from litloop.question.nouns import NounPhrase
from litloop.question.tables import compiled, read_table, shape_rows
from litloop.question.tokens import tokenise


@dataclass(frozen=True, slots=True)
class QuestionRule:
    name: str
    value: str
    sure: bool
    text: re.Pattern[str] | None
    unless: re.Pattern[str] | None
    anywhere: re.Pattern[str] | None
    terms: re.Pattern[str] | None
    clauses: re.Pattern[str] | None
    among: Mapping[str, frozenset[str]]  # a feature of the frame must be one of these
    head_class: frozenset[str]
    head_not: frozenset[str]
    be: bool | None
    subject: bool | None
    coordinated: bool

    def holds(self, frame: Frame, features: Mapping[str, str]) -> bool:
        if any(features.get(key, "") not in allowed for key, allowed in self.among.items()):
            return False
        if self.be is not None and self.be != frame.be:
            return False
        if self.subject is not None and self.subject != frame.subject:
            return False
        if self.coordinated and not several_values(frame.noun):
            return False
        if self.head_not and frame.noun.head in self.head_not:
            return False
        if self.head_class and not any(self.head_class & classes for classes in _head_classes(frame.noun)):
            return False
        if self.text and not self.text.search(frame.core):
            return False
        if self.anywhere and not self.anywhere.search(frame.sentence):
            return False
        if self.terms and not self.terms.search(frame.terms):
            return False
        if self.clauses and not self.clauses.search(frame.clauses):
            return False
        return not (self.unless and self.unless.search(frame.core))


def several_values(noun: NounPhrase) -> bool:
    """Whether the nouns joined by "and" are each one value: the premium and the deductible."""
    return len(noun.coordinated) > 1 and all(not is_plural(head) and answer_type_of(head) for head in noun.coordinated)


def _head_classes(noun: NounPhrase) -> list[frozenset[str]]:
    return [lexicon().head_classes.get(head, frozenset()) for head in noun.coordinated or (noun.head,)]


def answer_type_of(noun: str) -> str:
    """The type of value that a noun names, or "" when it is not in the table."""
    lemma = singular(noun)
    return next((name for name, nouns in lexicon().types.items() if lemma in nouns), "")


_AMONG = (
    "opener",
    "verb",
    "word",
    "head",
    "number",
    "of_number",
    "determiner",
    "shape",
    "answer_type",
    "type_noun",
    "context",
    "asked",
    "acts",
    "any_type",
)


@cache
def rules(column: str) -> tuple[QuestionRule, ...]:
    """The rows of one column, in the order of the file."""
    rows = shape_rows() if column == "shape" else read_table("columns.toml")[column]
    return tuple(_rule(row) for row in rows)


def first_match(column: str, frame: Frame, features: Mapping[str, str]) -> QuestionRule:
    """The first row that holds. The last row of every column has no conditions, so there is one."""
    return next(rule for rule in rules(column) if rule.holds(frame, features))


def question_features(frame: Frame) -> dict[str, str]:
    noun = frame.noun
    return {
        "opener": frame.opener,
        "verb": frame.verb or "none",
        "word": frame.word,
        "head": noun.head,
        "number": frame.number,
        "of_number": "plural" if noun.of_plural else "singular" if noun.of else "",
        "determiner": noun.determiner,
        "type_noun": _type_asked_for(frame),
        "acts": "yes" if frame.acts else "no",
        "any_type": _first_value_type(frame.core),
        "asked": "yes" if frame.asked else "no",
    }


def _type_asked_for(frame: Frame) -> str:
    """The type of the noun asked for; among bare terms, of the first word that names a typed value."""
    if frame.opener == "phrase":
        singular_words = " ".join(word for word in tokenise(frame.terms) if not is_plural(word))
        return _first_value_type(singular_words) or _type_of_head(frame.noun, frame.core)
    noun = frame.noun
    return _type_of_head(noun, " ".join((*noun.words, "of", noun.of) if noun.of else noun.words))


def _type_of_head(noun: NounPhrase, text: str) -> str:
    """Cognitive impairment is no sum, though an impairment may be one."""
    return answer_type_of(noun.head) if noun.head and not compiled("<BODILY>").search(text) else ""


def _first_value_type(text: str) -> str:
    """The type of the first word that names a value with a type of its own; "" when none does."""
    found = (answer_type_of(word) for word in tokenise(text))
    return next((name for name in found if name not in {"", "entity", "text"}), "")


def _rule(row: Mapping[str, Any]) -> QuestionRule:
    def pattern(key: str) -> re.Pattern[str] | None:
        source = row.get(key)
        return compiled(source) if source else None

    def words(key: str) -> frozenset[str]:
        value = row.get(key, ())
        return frozenset([value] if isinstance(value, str) else value)

    return QuestionRule(
        name=str(row["name"]),
        value=str(row["value"]),
        sure=bool(row.get("sure", True)),
        text=pattern("text"),
        unless=pattern("unless"),
        anywhere=pattern("anywhere"),
        terms=pattern("terms"),
        clauses=pattern("clauses"),
        among={key: words(key) for key in _AMONG if key in row},
        head_class=words("head_class"),
        head_not=words("head_not"),
        be=row.get("be"),
        subject=row.get("subject"),
        coordinated="coordinated" in row,
    )
