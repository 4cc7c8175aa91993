"""Records from the JSON that `events.plain` makes of them."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

T = TypeVar("T")


def record_from(kind: type[T], raw: Mapping[str, Any]) -> T:
    """A record of `kind` from its JSON. Unknown fields are left out, so that older readers bear newer files.

    Raises TypeError when a field without a default is missing.
    """
    hints: dict[str, Any] = _hints(kind)  # type: ignore[arg-type]
    names = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    return kind(**{name: _value(hints[name], raw[name]) for name in names if name in raw})


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _value(hint: Any, raw: Any) -> Any:
    if raw is None:
        return None
    origin = get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        options = [option for option in get_args(hint) if option is not type(None)]
        return _value(options[0], raw) if len(options) == 1 else _label(raw)
    if origin is tuple:
        return tuple(_value(get_args(hint)[0], item) for item in raw)
    if origin is not None and isinstance(raw, Mapping):
        inner = get_args(hint)[1]
        return {name: _value(inner, item) for name, item in raw.items()}
    if origin is not None and isinstance(raw, Sequence) and not isinstance(raw, str):
        return tuple(_value(get_args(hint)[0], item) for item in raw)
    if isinstance(hint, type) and is_dataclass(hint):
        return record_from(hint, raw)
    return raw


def _label(raw: Any) -> Any:
    """A label's value: several stand in a tuple."""
    return tuple(raw) if isinstance(raw, list) else raw
