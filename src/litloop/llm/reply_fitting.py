"""Fitting: a reply of another shape than was asked for, brought into that shape without a change to what it says.

Models send a list as a string of JSON, one object where a list of them was asked for, verdicts keyed by their ids, a
number where a text was asked for, or everything once more within an object of their own. Such a reply says plainly
what it means. Nothing is guessed: what cannot be read stays as it is, and the schema refuses it.
"""

from __future__ import annotations

import ast
import json
import re
import types
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import AliasChoices, BaseModel
from pydantic.fields import FieldInfo

_FENCED = re.compile(r"\s*```[\w-]*\s*\n?(?P<inside>.*?)(?:```\s*)?\Z", re.S)
_COMMA = re.compile(r'(?P<string>"(?:[^"\\]|\\.)*+"?)|,(?=\s{0,200}[}\]])', re.DOTALL)
_LONGEST_LITERAL = 20_000  # characters of a Python literal that are read; JSON may be longer
_WRAPPERS = 2  # objects around the one that was asked for


def fitted(model: type[BaseModel], value: Any, *, alone: bool = True) -> Any:
    """`value` (decoded JSON of any kind) as `model` would have it, as far as it can be told for certain. Unless it
    stands `alone` in its reply, it may be one item of a list that is broken elsewhere, and is not taken for the whole.
    """
    for _ in range(_WRAPPERS):
        value = _decoded(value)
        inner = _wrapped(model, value)
        if inner is None:
            break
        value = inner
    every = list(model_lists(model))
    lists = [found for found in every if model.model_fields[found[0]].is_required()] or every
    if alone and len(lists) == 1:
        name, item = lists[0]
        keys = _keys(name, model.model_fields[name])
        if isinstance(value, list):
            value = {name: value}
        elif isinstance(value, dict) and not keys & value.keys() and _is_one(item, value):
            value = {name: [value]}
    return _fit(model, value)


def model_lists(model: type[BaseModel]) -> Iterator[tuple[str, type[BaseModel]]]:
    """The fields of `model` that hold lists of objects, and what those are."""
    for name, field in model.model_fields.items():
        annotation = _plain(field.annotation)
        item = _plain(get_args(annotation)[0]) if get_origin(annotation) is list else None
        if isinstance(item, type) and issubclass(item, BaseModel):
            yield name, item


def _fit(annotation: Any, value: Any) -> Any:
    annotation = _plain(annotation)
    origin = get_origin(annotation)
    if origin is list:
        return _as_list(get_args(annotation)[0], _decoded(value))
    if origin is dict:
        value = _decoded(value)
        if value is None:
            return {}
        _, kind = get_args(annotation)
        return {key: _fit(kind, inner) for key, inner in value.items()} if isinstance(value, dict) else value
    if annotation is str:
        return _as_text(value)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return _as_object(annotation, _decoded(value))
    return value


def _as_list(kind: Any, value: Any) -> Any:
    if value is None or value == "":
        return []
    item = _plain(kind)
    if isinstance(value, dict):
        is_model = isinstance(item, type) and issubclass(item, BaseModel)
        value = (_keyed(item, value) if is_model else None) or [value]
    if not isinstance(value, list):
        value = [value]
    return [_fit(kind, entry) for entry in value]


def _as_object(model: type[BaseModel], value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    named = {key: field for name, field in model.model_fields.items() for key in _keys(name, field)}
    return {key: _fit(named[key].annotation, inner) if key in named else inner for key, inner in value.items()}


def _as_text(value: Any) -> Any:
    """Numbers, lists of plain values and `{"query": "..."}` as text; a truth value is left for the schema to judge."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, dict) and len(value) == 1 and isinstance(inner := next(iter(value.values())), str):
        return inner
    if isinstance(value, list) and value and all(isinstance(part, str | int | float) for part in value):
        return ", ".join(str(part) for part in value)
    return value


def _keyed(item: type[BaseModel], value: Mapping[str, Any]) -> list[Any] | None:
    """`{"1": {...}, "2": {...}}` or `{"1": true}` as a list whose items bear their keys as ids, quotes as passages."""
    if any(key in _keys(name, field) for name, field in item.model_fields.items() for key in value):
        return None  # an item of its own, or a part of one: its keys are no ids
    named = next((name for name in ("id", "passage") if name in item.model_fields), None)
    if named is None:
        entries = [_decoded(inner) for inner in value.values()]
        return entries if all(_is_one(item, inner) for inner in entries) else None
    rest = [name for name, field in item.model_fields.items() if field.is_required() and name != named]
    entries = []
    for key, inner in zip(value, map(_decoded, value.values()), strict=True):
        if isinstance(inner, dict):
            entries.append({named: key, **inner})
        elif len(rest) == 1:
            entries.append({named: key, rest[0]: inner})
        else:
            return None
    return entries


def _wrapped(model: type[BaseModel], value: Any) -> Any:
    """What stands within an object that has no field of `model` itself, when that has all that is required."""
    if not isinstance(value, dict):
        return None
    known = {key for name, field in model.model_fields.items() for key in _keys(name, field)}
    if known & value.keys():
        return None
    return next((inner for inner in map(_decoded, value.values()) if _is_one(model, inner)), None)


def _is_one(model: type[BaseModel], value: Any) -> bool:
    """Whether `value` has every field that `model` requires."""
    if not isinstance(value, dict):
        return False
    required = [_keys(name, field) for name, field in model.model_fields.items() if field.is_required()]
    return bool(required) and all(keys & value.keys() for keys in required)


def _keys(name: str, field: FieldInfo) -> set[str]:
    """The names under which a reply may give a field."""
    alias = field.validation_alias
    if isinstance(alias, AliasChoices):
        return {choice for choice in alias.choices if isinstance(choice, str)}
    return {alias if isinstance(alias, str) else name}


def _plain(annotation: Any) -> Any:
    """An annotation without `Annotated` and without the None that it allows."""
    while get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    if get_origin(annotation) in (Union, types.UnionType):
        kinds = [kind for kind in get_args(annotation) if kind is not type(None)]
        return _plain(kinds[0]) if len(kinds) == 1 else annotation
    return annotation


def _decoded(value: Any) -> Any:
    """The list or object that a string holds; anything else as it is."""
    if not isinstance(value, str):
        return value
    fenced = _FENCED.match(value)
    text = (fenced["inside"] if fenced else value).strip()
    found = leniently_decoded(text) if text.startswith(("[", "{")) else None
    return value if found is None else found


def leniently_decoded(text: str) -> Any:
    """The list or object that `text` is: as JSON, as JSON with commas too many, or as Python writes it; else None."""
    for written in (text, _COMMA.sub(lambda found: found["string"] or "", text)):
        try:
            found = json.loads(written)
        except (ValueError, RecursionError):
            continue
        return found if isinstance(found, list | dict) else None
    if len(text) > _LONGEST_LITERAL:
        return None
    try:
        found = ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return None
    return found if isinstance(found, list | dict) else None
