"""What a setting may be: the bounded kinds that the sections are made of."""

from __future__ import annotations

import re
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

Fraction = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[int, Field(gt=0)]
Seconds = Annotated[float, Field(gt=0)]
Weight = Annotated[float, Field(ge=0)]


def _is_url(value: str) -> str:
    """An http or https address with a host, so that a typing error is found here and not at the first call."""
    try:
        parts = urlsplit(value)
        well_formed = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:  # a port that is no number, an unclosed bracket
        well_formed = False
    if not well_formed or any(character.isspace() for character in value):
        raise ValueError("not an address such as https://host/v1")
    return value


Url = Annotated[str, AfterValidator(_is_url)]


def _split(value: object) -> object:
    """`a, b` from an environment variable; a list as it is."""
    return tuple(word.strip() for word in value.split(",") if word.strip()) if isinstance(value, str) else value


def _is_rate(value: str) -> str:
    """A number of requests in a stretch of time, as 10/minute; "" for no limit. An empty variable is one that is not
    set, so the environment says it with a word."""
    if value == "off":
        return ""
    if value and not re.fullmatch(r"[1-9]\d{0,8}/(second|minute|hour|day)", value):
        raise ValueError("not a rate such as 10/minute, or off")
    return value


def _are_hashes(values: tuple[str, ...]) -> tuple[str, ...]:
    """SHA-256 sums in hex. A key itself in its place would let nobody in, and stand where it can be read."""
    hashes = tuple(value.removeprefix("sha256:").strip().lower() for value in values)
    if not all(re.fullmatch(r"[0-9a-f]{64}", one) for one in hashes):
        raise ValueError("not the SHA-256 of a key, as `litloop serve --new-key` prints it beside the key")
    return hashes


Words = Annotated[tuple[str, ...], BeforeValidator(_split)]
KeyHashes = Annotated[Words, AfterValidator(_are_hashes)]
Rate = Annotated[str, AfterValidator(_is_rate)]


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)
