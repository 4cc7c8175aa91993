"""Which names of a claim the cited text does not hold."""

from __future__ import annotations

import re
from functools import lru_cache

from litloop.text.entities import Entity, find_entities, missing_entities


@lru_cache(maxsize=2048)
def names(claim: str) -> tuple[Entity, ...]:
    """The names of a claim, each once."""
    return tuple({entity.key: entity for entity in find_entities(claim)}.values())


@lru_cache(maxsize=1024)
def missing_names(claim: str, text: str) -> tuple[Entity, ...]:
    """The names of `claim` that `text` does not hold under any of their spellings.

    Reading all spellings of a whole abstract takes half the time of a check, and most names stand there as they are
    written in the claim: only when one does not is the text read that closely.
    """
    if all(_stands(entity.text, text) for entity in names(claim)):
        return ()
    return tuple(missing_entities(claim, text))


def _stands(name: str, text: str) -> bool:
    case = re.IGNORECASE if len(name) > 4 else re.NOFLAG  # "AIDS" is not "aids"
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, case) is not None
