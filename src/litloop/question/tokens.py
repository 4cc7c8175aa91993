"""Words and signs of a sentence, as the readers of word order see them."""

from __future__ import annotations

import re
from collections.abc import Sequence

TOKEN = re.compile(r"[^\W_]+(?:[-'./][^\W_]+)*'?%?|[^\w\s]|_+")


def tokenise(text: str) -> list[str]:
    return TOKEN.findall(text)


def at(tokens: Sequence[str], index: int) -> str:
    """The token at `index`, or "" past the end."""
    return tokens[index] if index < len(tokens) else ""
