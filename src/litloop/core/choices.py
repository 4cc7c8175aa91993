"""The words that a caller, a setting or a request chooses from, each list written once.

The types are for editors and for pydantic, the tuples for help texts and for `checked_choice`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeVar, get_args

from litloop.core.errors import UsageError

SearchMode = Literal["hybrid", "sparse", "dense", "learned"]  # sparse: BM25; learned: a fusion fitted to the library
Fusion = Literal["blend", "rrf"]
BoostForm = Literal["off", "topic", "flat"]
QueryKind = Literal["keyword", "semantic", "vague"]
RuntimeName = Literal["auto", "openvino", "onnxruntime"]
Precision = Literal["auto", "f32"]  # f32: byte-equal vectors on any CPU
Profile = Literal["groq", "gemini", "openai", "ollama", "llamacpp", "custom", "offline"]

SEARCH_MODES: tuple[SearchMode, ...] = get_args(SearchMode)
FUSIONS: tuple[Fusion, ...] = get_args(Fusion)
BOOST_FORMS: tuple[BoostForm, ...] = get_args(BoostForm)
QUERY_KINDS: tuple[QueryKind, ...] = get_args(QueryKind)

Choice = TypeVar("Choice", bound=str)


def checked_choice(name: str, value: object, known: Sequence[Choice]) -> Choice | None:
    """`value` as one of the `known` words; None stays None. Raises UsageError naming the words there are."""
    if value is None:
        return None
    for word in known:
        if value == word:
            return word
    raise UsageError(f"{value!r:.60} is not a {name}. Known: {', '.join(known)}.")
