"""Document text made safe to show: nothing a terminal obeys, nothing a reader cannot see.

For prompts and for terminals. Anchors and quotes always refer to the text as it was read, never to this one.
"""

from __future__ import annotations

import re

# Escape sequences first, whole: their tails are plain letters ("[31m").
_ESCAPES = re.compile(
    r"""(?:\x1b\[|\x9b) [0-?]{0,64} [\x20-/]{0,8} [@-~]                             # colours, cursor movements
      | (?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f]) [^\x07\x1b\x9c\n]{0,2048} (?:\x07|\x1b\\|\x9c)  # links, clipboard
      | \x1b [\x20-/]{0,8} [0-~]?""",
    re.VERBOSE,
)
_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
# Controls, direction overrides and isolates, invisible spaces, tags and selectors that can carry hidden text,
# interlinear annotation, noncharacters. The joiners U+200C and U+200D stay: Persian, Indic scripts and emoji need them.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ufdd0-\ufdef\ufffe\uffff\U000e0000-\U000e0fff]"
)
# "• ", "2. ", "(b) ", "- ": what an item of a list opens with. A range ("- 5") and an initial ("J. Doe") are none.
_LIST_MARK = re.compile(r"\s*(?:[•‣▪◦●○■]\s*|(?:\(?\d{1,2}[.)]|\([a-zA-Z]\)|[a-z]\)|[-*–])\s+)(?=[^\W\d_])")
_SURROGATES = re.compile("[\ud800-\udfff]")
_PILED_MARKS = re.compile(
    "([\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]{4})[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]+"
)


def clean_text(text: str) -> str:
    """`text` without escape sequences, control and invisible characters; line ends are "\\n", tabs stay.

    Lone surrogates become U+FFFD and more than four accents on one letter are cut to four. Cleaning twice changes
    nothing.
    """
    if text.isascii() and text.isprintable():
        return text
    text = _LINE_ENDS.sub("\n", _ESCAPES.sub("", text))
    text = _SURROGATES.sub("\ufffd", _INVISIBLE.sub("", text))
    return _PILED_MARKS.sub(r"\1", text)


def without_list_mark(text: str) -> str:
    """An item of a list as a sentence of its own: where it stood in its list says nothing elsewhere."""
    mark = _LIST_MARK.match(text)
    return text[mark.end() :] if mark else text
