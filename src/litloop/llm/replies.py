"""Reading replies: models wrap JSON in reasoning, in fences, in chatter, or break off in the middle."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Generic

from pydantic import ValidationError
from pydantic_core import from_json

from litloop.llm.chat import M
from litloop.llm.reasoning import without_reasoning
from litloop.llm.reply_fitting import fitted, leniently_decoded, model_lists

_FENCE = re.compile(r"```[\w-]*[ \t]*\n?(.*?)(?:```|\Z)", re.S)
_START = re.compile(r"\{|\[(?=\s{0,20}\{)")
_MOST_STARTS = 64  # places where an object may begin; a reply of brackets must not cost quadratic time


@dataclass(frozen=True, slots=True)
class ParsedReply(Generic[M]):
    """A reply read as `M`: the checked value, or what is wrong with it in words the model can act on.

    `dropped` counts list items that were wrong and left out. `emptied`: none of a list is left, so that its emptiness
    says nothing; there is no value then.
    """

    value: M | None
    error: str = ""
    dropped: int = 0
    emptied: bool = False


def read_as(model: type[M], text: str) -> ParsedReply[M]:
    """The first JSON object in `text` that `model` accepts, as it is or fitted to its shape."""
    error = "There is no JSON object in the answer."
    for candidate, alone in json_candidates(without_reasoning(text)):
        try:
            return ParsedReply(model.model_validate(candidate))
        except ValidationError as invalid:
            error = _in_words(invalid)
        try:
            return ParsedReply(model.model_validate(fitted(model, candidate, alone=alone)))
        except ValidationError:
            continue
    return ParsedReply(None, error)


def salvaged(model: type[M], text: str) -> ParsedReply[M]:
    """What can be kept of a reply that is wrong or cut: list items that `model` refuses are left out and counted."""
    stripped = without_reasoning(text)
    for broken_off, found in ((0, json_candidates(stripped)), (1, iter(_cut_object(stripped)))):
        for candidate, alone in found:
            before = fitted(model, candidate, alone=alone)
            had = {name for name, _ in model_lists(model) if isinstance(before, dict) and before.get(name)}
            reading = _without_wrong_items(model, before)
            if reading.value is None:
                continue
            dropped = reading.dropped + broken_off
            left = {name for name, _ in model_lists(model) if getattr(reading.value, name)}
            if had - left or (broken_off and not left and any(model_lists(model))):
                return ParsedReply(None, reading.error or "It broke off before its first item.", dropped, emptied=True)
            return ParsedReply(reading.value, dropped=dropped)
    return ParsedReply(None, "Nothing in the answer could be used.", 1)


def json_candidates(text: str) -> Iterator[tuple[Any, bool]]:
    """JSON values in `text`, most likely first: all of it, fenced blocks, then objects within prose. With each, whether
    it stands alone: one of several may be a part of an answer that is broken elsewhere."""
    for part in (text, *(match.group(1) for match in _FENCE.finditer(text))):
        try:
            yield json.loads(part), True
            return
        except (ValueError, RecursionError):  # a number of over 4,300 digits is a ValueError
            continue
    decoder = json.JSONDecoder()
    start, starts = _START.search(text), 0
    while start and starts < _MOST_STARTS:
        try:
            value, end = decoder.raw_decode(text, start.start())
            yield value, starts == 0 and not _START.search(text, end)
        except (ValueError, RecursionError):  # a number of over 4,300 digits is a ValueError
            end = start.end()
        start, starts = _START.search(text, end), starts + 1
    first, last = text.find("{"), text.rfind("}")
    if -1 < first < last and (found := leniently_decoded(text[first : last + 1])) is not None:
        yield found, True


def _cut_object(text: str) -> list[tuple[Any, bool]]:
    """The object that was being written when the reply broke off, without its unfinished last part."""
    start = text.find("{")
    if start == -1:
        return []
    try:
        value = from_json(text[start:], allow_partial=True)
    except ValueError:
        return []
    return [(value, False)] if value else []


def _without_wrong_items(model: type[M], value: Any) -> ParsedReply[M]:
    dropped, first = 0, ""
    while True:
        try:
            return ParsedReply(model.model_validate(value), first, dropped)
        except ValidationError as invalid:
            first = first or _in_words(invalid)
            places = {_list_item(error["loc"]) for error in invalid.errors(include_url=False, include_input=False)}
        if None in places or not places:
            return ParsedReply(None, first, dropped)
        # From the back and from within, so that an index still names the item it named.
        for place in sorted((place for place in places if place), key=_in_order, reverse=True):
            if not _removed(value, place):
                return ParsedReply(None, first, dropped)
            dropped += 1


def _list_item(place: tuple[int | str, ...]) -> tuple[int | str, ...] | None:
    """The innermost list item that a fault lies in, as a path; None when it lies in no list."""
    for depth in range(len(place), 0, -1):
        if isinstance(place[depth - 1], int):
            return place[:depth]
    return None


def _in_order(place: tuple[int | str, ...]) -> list[tuple[int, str]]:
    return [(part, "") if isinstance(part, int) else (-1, part) for part in place]


def _removed(value: Any, place: tuple[int | str, ...]) -> bool:
    try:
        for part in place[:-1]:
            value = value[part]
        del value[place[-1]]
    except (KeyError, IndexError, TypeError):
        return False
    return True


def _in_words(invalid: ValidationError) -> str:
    faults = invalid.errors(include_url=False, include_input=False)[:5]
    return " ".join(f"{'.'.join(map(str, fault['loc'])) or 'the object'}: {fault['msg']}." for fault in faults)
