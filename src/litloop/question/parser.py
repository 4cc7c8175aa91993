"""The parser: rules only, no model. The same text always gives the same row."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import cast

from litloop.question.clarification import clarification
from litloop.question.cleaning import clean, correct_spelling
from litloop.question.decomposition import joint_rule, needs_the_first
from litloop.question.frame import Frame, analyse
from litloop.question.keywords import core_concepts, keywords, negative_cues
from litloop.question.query_kind import query_kind
from litloop.question.record import (
    AnswerType,
    Decomposition,
    Intent,
    ParsedQuestion,
    Shape,
    SubQuestion,
)
from litloop.question.rules import first_match, question_features, several_values
from litloop.question.sentences import MOST_PARTS, clauses, question_sentences
from litloop.question.source_hints import find_scope

# A sentence after a question that only says how the answer should look.
_ABOUT_THE_FORM = re.compile(
    r"(?:please |kindly )?(?:show|list|give|use|explain|include|cite|be|keep|put|provide|present|answer|format|"
    r"tabulate|quote|state|briefly|describe|elaborate)\b(?! (?:all|every|me|us)\b).{0,60}$",
    re.IGNORECASE,
)

# Of several questions with different forms of answer, the whole takes the one that asks for most.
_HEAVIEST = ("table", "comparison", "differential", "listing", "procedure", "summary", "single")


@dataclass(frozen=True, slots=True)
class _Part:
    frame: Frame
    row: SubQuestion
    joined: str


def parse(
    text: str,
    *,
    vocabulary: Container[str] | None = None,
    topics: Sequence[str] = (),
    dictionary: Mapping[str, Sequence[str]] | None = None,
) -> ParsedQuestion:
    """Read a question.

    vocabulary: words known to the collection (lower case); misspelt words are corrected against it, and only then.
    topics: names of the collection's topics, one of which the question may name (`scope.condition`).
    dictionary: abbreviation or synonym -> expansions, added to the keywords with a lower weight.

    Raises UsageError when the text holds no letter or digit. Time is linear in the length of the text.
    """
    cleaned = clean(text)
    corrected, rewritten = correct_spelling(cleaned, vocabulary)
    parts = _parts(corrected)
    rules: dict[str, str] = {}
    decomposition, rules["decomposition"] = _decomposition(parts)
    lead = parts[0] if len(parts) == 1 else min(parts, key=lambda part: _HEAVIEST.index(part.row.shape))
    for column in ("shape", "answer_type", "intent"):
        rules[column] = lead.row.rules[column] if len(parts) == 1 else f"of-the-parts: {lead.row.rules[column]}"
    scope = find_scope(corrected, topics)
    words = keywords(corrected, rewritten, dictionary or {})
    concepts = core_concepts(corrected)
    kind, rules["query_kind"] = query_kind(corrected, [part.frame for part in parts], words)
    question, rules["clarification_needed"] = clarification(corrected, kind, lead.frame, lead.row.shape, concepts)
    return ParsedQuestion(
        text=text.replace("\0", ""),
        corrected=corrected,
        keywords=words,
        core_concepts=concepts,
        scope=scope,
        shape=lead.row.shape,
        answer_type=lead.row.answer_type,
        decomposition=decomposition,
        sub_questions=tuple(part.row for part in parts) if len(parts) > 1 else (),
        intent=lead.row.intent,
        query_kind=kind,
        negative_cues=negative_cues(corrected),
        clarification_needed=question,
        sure=all(part.row.sure for part in parts),
        rules=rules,
    )


def _parts(text: str) -> tuple[_Part, ...]:
    """The questions of a text, each with its row. Sentences that ask nothing are context, unless all are such."""
    read = [(sentence, analyse(sentence)) for sentence in _looked_at(question_sentences(text))]
    asking = [
        (sentence, frame) for sentence, frame in read if frame.opener not in {"phrase", "statement"} or frame.asked
    ]
    if not asking:
        return (_part(text if len(read) == 1 else read[-1][0], ""),)
    context = " ".join(sentence for sentence, frame in read if (sentence, frame) not in asking)
    found: list[_Part] = []
    for sentence, _ in asking:
        if found and _ABOUT_THE_FORM.match(sentence):
            found[-1] = _part(f"{found[-1].row.text} {sentence}", found[-1].joined, context)
            continue
        found.extend(
            _part(clause, joined or ("" if not found else "."), context) for clause, joined in clauses(sentence)
        )
    return _with_several_values(tuple(found[:MOST_PARTS]))


def _looked_at(every: list[str]) -> list[str]:
    """All sentences of a short text; of a long one the first and the last few, where questions stand."""
    return every if len(every) <= 12 else every[:6] + every[-6:]


def _part(sentence: str, joined: str, context: str = "") -> _Part:
    frame = analyse(sentence)
    features = question_features(frame)
    features["context"] = "given" if context else "none"
    shape = first_match("shape", frame, features)
    features["shape"] = shape.value
    answer_type = first_match("answer_type", frame, features)
    features["answer_type"] = answer_type.value
    decomposition = first_match("decomposition", frame, features)
    intent = first_match("intent", frame, features)
    names = {
        "shape": shape.name,
        "answer_type": answer_type.name,
        "decomposition": decomposition.name,
        "intent": intent.name,
    }
    row = SubQuestion(
        sentence,
        cast(Shape, shape.value),
        cast(AnswerType, answer_type.value),
        cast(Decomposition, decomposition.value),
        cast(Intent, intent.value),
        shape.sure,
        names,
    )
    return _Part(frame, row, joined)


def _with_several_values(parts: tuple[_Part, ...]) -> tuple[_Part, ...]:
    """What are the premium and the deductible: two questions with one value each."""
    if len(parts) != 1 or parts[0].row.shape != "single" or not several_values(parts[0].frame.noun):
        return parts
    noun = parts[0].frame.noun
    opening = "what was" if parts[0].frame.word in {"was", "were"} else "what is"
    tail = parts[0].frame.core.partition(noun.coordinated[-1])[2].strip()
    return tuple(
        _part(f"{opening} the {head} {tail}".strip() + "?", "" if index == 0 else "and")
        for index, head in enumerate(noun.coordinated)
    )


def _decomposition(parts: tuple[_Part, ...]) -> tuple[Decomposition, str]:
    if len(parts) == 1:
        row = parts[0].row
        return row.decomposition, row.rules["decomposition"]
    links = [needs_the_first(before.frame, part.row.text, part.joined) for before, part in pairwise(parts)]
    value, rule = joint_rule(links)
    return cast(Decomposition, value), rule


__all__ = ["parse"]
