"""Unicode's normal forms in time linear in the text.

Python orders the marks after a letter by insertion, which takes time in the square of their number: 100 KB of two
accents in turn cost a minute. Long runs are put in their canonical order here first; the result is the same.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]

# What might be a run of marks: neither words nor white space, nor the blocks without a mark. The two voicing marks of
# half width are letters, and become marks in the compatibility forms.
_LONG = 32  # characters
_RUN = re.compile(rf"(?:[^\w\s\x00-\u02ff]|[\uff9e\uff9f]){{{_LONG},}}+")
_BECOME_MARKS = frozenset("\u0f73\u0f75\u0f81\uff9e\uff9f")  # no marks themselves, decomposed they are


def normal_form(form: Form, text: str) -> str:
    """`unicodedata.normalize(form, text)`."""
    if len(text) >= _LONG and not text.isascii():
        text = _RUN.sub(lambda run: _ordered(run[0], form), text)
    return unicodedata.normalize(form, text)


def _ordered(run: str, form: Form) -> str:
    """The run with its marks decomposed and in canonical order: equivalent, and quick to normalise."""
    decomposing: Form = "NFKD" if form.startswith("NFK") else "NFD"
    parts: list[str] = []
    marks: list[str] = []
    for char in run:
        is_mark = unicodedata.combining(char) or char in _BECOME_MARKS
        decomposed = unicodedata.normalize(decomposing, char) if is_mark else char
        if is_mark and all(map(unicodedata.combining, decomposed)):
            marks += decomposed
        else:
            parts += [*sorted(marks, key=unicodedata.combining), decomposed]
            marks = []
    return "".join([*parts, *sorted(marks, key=unicodedata.combining)])
