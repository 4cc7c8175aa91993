"""Shortening: a prompt that does not fit a model's window is asked again with less of its documents.

The instructions and the question stay whole. Of the documents the longest are cut first, from their ends, and none
vanishes: what is left of each is verbatim, so that quotes from it can still be found.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from litloop.llm.chat import Message

_DOCUMENT = re.compile(r'(?<=<document id=")([^"]*">\n)(.*?)(?=\n</document>)', re.DOTALL)
_SHORTEST = 200  # characters of a document: with less of it nothing can be judged
_CUT = " …"


def shortened(messages: Sequence[Message], share: float) -> tuple[Message, ...] | None:
    """The messages with about `share` (0 to 1) of their characters; None where the documents cannot give that much.

    Documents are those that `prompt.delimited` wrote: their text cannot hold the tags they stand between.
    """
    lengths = [len(text) for message in messages for _, text in _DOCUMENT.findall(message.content)]
    whole = sum(len(message.content) for message in messages)
    wanted = sum(lengths) - whole * (1 - share)
    least = sum(min(length, _SHORTEST) for length in lengths)
    if not lengths or wanted < least or wanted >= sum(lengths):
        return None
    most = _level(lengths, wanted)
    return tuple(
        replace(message, content=_DOCUMENT.sub(lambda found: found[1] + _beginning(found[2], most), message.content))
        for message in messages
    )


def _level(lengths: Sequence[int], wanted: float) -> int:
    """The length at which the longest are cut, so that all together have `wanted` characters."""
    left = wanted
    ascending = sorted(lengths)
    for place, length in enumerate(ascending):
        share = left / (len(ascending) - place)
        if length >= share:
            return int(share)
        left -= length
    return ascending[-1]


def _beginning(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    cut = text[: max(0, most - len(_CUT))]
    words = cut.rsplit(None, 1)[0] if any(character.isspace() for character in cut[-80:]) else cut
    return words + _CUT
