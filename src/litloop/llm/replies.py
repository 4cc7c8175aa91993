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

_TAG = re.compile(r"<(?P<closing>/?)(?:think|thinking|reasoning|reflection|thought)>", re.IGNORECASE)
_FENCE = re.compile(r"```[\w-]*[ \t]*\n?(.*?)(?:```|\Z)", re.S)
_MOST_STARTS = 64  # places where an object may begin; a reply of brackets must not cost quadratic time


@dataclass(frozen=True, slots=True)
class ParsedReply(Generic[M]):
    """A reply read as `M`: the checked value, or what is wrong with it in words the model can act on."""

    value: M | None
    error: str = ""
    dropped: int = 0


def without_reasoning(text: str) -> str:
    """`text` without the model's thinking aloud. An opening tag that is never closed takes the rest with it; a closing
    tag that was never opened (the chat template opened it) takes what stands before."""
    kept: list[str] = []
    position, inside = 0, False
    for tag in _TAG.finditer(text):
        if tag["closing"]:
            if not inside:
                kept.clear()
            position, inside = tag.end(), False
        elif not inside:
            kept.append(text[position : tag.start()])
            inside = True
    if not inside:
        kept.append(text[position:])
    return "".join(kept).strip()


def read_as(model: type[M], text: str) -> ParsedReply[M]:
    """The first JSON object in `text` that `model` accepts."""
    error = "There is no JSON object in the answer."
    for candidate in json_candidates(without_reasoning(text)):
        try:
            return ParsedReply(model.model_validate(candidate))
        except ValidationError as invalid:
            error = _in_words(invalid)
    return ParsedReply(None, error)


def salvaged(model: type[M], text: str) -> ParsedReply[M]:
    """What can be kept of a reply that is wrong or cut: list items that `model` refuses are left out and counted."""
    stripped = without_reasoning(text)
    for broken_off, found in ((0, json_candidates(stripped)), (1, iter(_cut_object(stripped)))):
        for candidate in found:
            reading = _without_wrong_items(model, candidate)
            if reading.value is not None:
                return ParsedReply(reading.value, dropped=reading.dropped + broken_off)
    return ParsedReply(None, "Nothing in the answer could be used.", 1)


def json_candidates(text: str) -> Iterator[Any]:
    """JSON values in `text`, most likely first: all of it, fenced blocks, then objects within prose."""
    for part in (text, *(match.group(1) for match in _FENCE.finditer(text))):
        try:
            yield json.loads(part)
            return
        except (json.JSONDecodeError, RecursionError):
            continue
    decoder = json.JSONDecoder()
    start, starts = text.find("{"), 0
    while start != -1 and starts < _MOST_STARTS:
        try:
            value, end = decoder.raw_decode(text, start)
            yield value
        except (json.JSONDecodeError, RecursionError):
            end = start + 1
        start, starts = text.find("{", end), starts + 1


def _cut_object(text: str) -> list[Any]:
    """The object that was being written when the reply broke off, without its unfinished last part."""
    start = text.find("{")
    if start == -1:
        return []
    try:
        value = from_json(text[start:], allow_partial=True)
    except ValueError:
        return []
    return [value] if value else []


def _without_wrong_items(model: type[M], value: Any) -> ParsedReply[M]:
    dropped = 0
    while True:
        try:
            return ParsedReply(model.model_validate(value), dropped=dropped)
        except ValidationError as invalid:
            places = {_list_item(error["loc"]) for error in invalid.errors(include_url=False, include_input=False)}
        if None in places or not places:
            return ParsedReply(None, dropped=dropped)
        # From the back, so that an index still names the item it named.
        for place in sorted((place for place in places if place), key=lambda place: place[-1], reverse=True):
            if not _removed(value, place):
                return ParsedReply(None, dropped=dropped)
            dropped += 1


def _list_item(place: tuple[int | str, ...]) -> tuple[int | str, ...] | None:
    """The outermost list item that a fault lies in, as a path; None when it lies in no list."""
    for depth, part in enumerate(place):
        if isinstance(part, int):
            return place[: depth + 1]
    return None


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
