"""Reading what strangers send: a field of the wrong type is an absent field, and markup is not text."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from litloop.text.retractions import read_title
from litloop.text.tags import ATTRIBUTES, without_tags

T = TypeVar("T")

_FIRST_YEAR, _LAST_YEAR = 1400, 2200
_MOST_DIGITS = 18  # of a whole number: Python refuses to read thousands
_MATHS = re.compile(r"<(?:mml:)?(?P<annotation>annotation)\b", re.IGNORECASE)
_UNSEEN = re.compile(r"<(?:(?P<name>script|style|template|noscript)\b|(?P<comment>!--))", re.IGNORECASE)
_ENDS = {
    "annotation": re.compile(r"</(?:mml:)?annotation>", re.IGNORECASE), "!--": re.compile("-->"),
    **{name: re.compile(rf"</{name}\s*>", re.IGNORECASE) for name in ("script", "style", "template", "noscript")},
}  # fmt: skip
_BLOCK = re.compile(
    rf"</?(?:jats:)?(?:p|title|sec|div|br|h[1-6]|li|ul|ol|list|list-item|tr|table|blockquote){ATTRIBUTES}>",
    re.IGNORECASE,
)
# Crossref's records lost the spaces around italics: "targeting<jats:italic>MLH1</jats:italic>variants".
_GLUED = re.compile(r"(?<=[^\W_])(?=<jats:italic>[^\W_])|(?<=[^\W_]</jats:italic>)(?=[^\W_])")
_HEADING = re.compile(r"^(?i:abstract|summary)\b[\s.:]*(?=[A-Z\d\"“(])")


def text(value: object) -> str:
    """A string on one line, else nothing."""
    return " ".join(value.split()) if isinstance(value, str) else ""


def plain(value: object) -> str:
    """The words of a string that may hold HTML, JATS or MathML: tags away, entities read, white space folded."""
    if not isinstance(value, str):
        return ""
    if "<" not in value and "&" not in value:  # no markup, as in most records: the patterns below are slow
        return " ".join(value.replace("\0", "").split())
    value = _GLUED.sub(" ", value)
    for _ in range(2):  # markup that was escaped once more is common in abstracts
        value = without_tags(_BLOCK.sub(" ", _cut_out(_MATHS, "", _cut_out(_UNSEEN, " ", value))))
        value = html.unescape(value)
    return " ".join(without_tags(value).replace("\0", "").split())


def _cut_out(begins: re.Pattern[str], instead: str, value: str) -> str:
    """The string with each element or comment that begins so replaced, to its end; one that has no end stays. Each end
    that is missing is looked for once."""
    parts: list[str] = []
    endless: set[str] = set()
    kept = at = 0
    while opening := begins.search(value, at):
        at = opening.end()
        name = opening[opening.lastgroup or 0].lower()
        ending = None if name in endless else _ENDS[name].search(value, at)
        if ending is None:
            endless.add(name)
            continue
        parts += [value[kept : opening.start()], instead]
        kept = at = ending.end()
    return "".join([*parts, value[kept:]])


def abstract(value: object) -> str:
    """As `plain`, without the word Abstract in front."""
    return _HEADING.sub("", plain(value))


def title(value: object) -> str:
    """As `plain`, without the full stop and the brackets of a translated title that MEDLINE adds."""
    words = plain(value)
    if words.endswith(".") and not words.endswith(".."):
        words = words[:-1]
    return words[1:-1] if words.startswith("[") and words.endswith("]") and words.count("[") == 1 else words


def says_retracted(title: str) -> bool:
    """Whether a title carries the publisher's own mark, as in "RETRACTED ARTICLE: …"."""
    return read_title(title).kind == "retracted"


def integer(value: object) -> int | None:
    """A whole number of at least 0, given as a number or as digits."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        digits = value.strip()
        value = int(digits) if digits.isdecimal() and len(digits) <= _MOST_DIGITS else None
    return value if isinstance(value, int) and value >= 0 else None


def year(value: object) -> int | None:
    """A year, given as a number or at the beginning of a date."""
    number = integer(value[:4] if isinstance(value, str) else value)
    return number if number is not None and _FIRST_YEAR < number < _LAST_YEAR else None


def mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def mappings(value: object) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def strings(value: object) -> list[str]:
    """The strings of a list, or the string itself."""
    if isinstance(value, str):
        return [value]
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def within(value: object, *path: str) -> Any:
    """The value under a path of names; None as soon as one is missing."""
    for name in path:
        value = mapping(value).get(name)
    return value


def address(value: object) -> str | None:
    """An http address without white space, else None."""
    url = value.strip() if isinstance(value, str) else ""
    return url if url.startswith(("http://", "https://")) and not any(c.isspace() for c in url) else None


def finite(value: object) -> float:
    """A finite number; 0 for anything else, such as the Infinity and NaN that some programs write into JSON."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return 0.0
    try:
        return float(value) if math.isfinite(value) else 0.0
    except OverflowError:  # an integer of hundreds of digits
        return 0.0


def listed(value: object) -> list[Any]:
    """A list without its nulls; none for anything else."""
    return [item for item in value if item is not None] if isinstance(value, list) else []


def each(items: Iterable[Any], read: Callable[[Any], T | None]) -> Iterator[T]:
    """What `read` makes of each item. An odd one is left out: it never spoils the page it stands on."""
    for item in items:
        try:
            made = read(item)
        except (TypeError, ValueError, KeyError, AttributeError, IndexError):
            continue
        if made is not None:
            yield made
