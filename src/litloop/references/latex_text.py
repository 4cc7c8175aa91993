r"""LaTeX in bibliographic fields becomes plain characters.

Fields are prose that people typed, not TeX source: an unescaped "%" is a per cent sign and not a comment, and "$" is
a dollar where it encloses no formula. Addresses and identifiers are never typeset (`verbatim`).
"""

from __future__ import annotations

import re
import unicodedata

# Commands that only change the face of what they enclose.
_FACES = re.compile(r"\\(?:text(?:it|bf|rm|sc|sf|tt|sl|up|normal|superscript|subscript)|emph|mbox|"
                    r"math(?:rm|it|bf|sf|cal)|url|path|enquote|ensuremath)\s*(?=\{)")  # fmt: skip
_SIGNS = {"textbackslash": "\\", "textbraceleft": "{", "textbraceright": "}", "textasciitilde": "~",
          "textasciicircum": "^", **dict(zip("{}$&%#_", "{}$&%#_", strict=True))}  # fmt: skip
_ESCAPED = re.compile(
    r"\\(textbackslash|textbraceleft|textbraceright|textasciitilde|textasciicircum|[{}$&%#_])(?:\{\})?"
)
_ASIDE = {name: chr(0xE000 + at) for at, name in enumerate(_SIGNS)}  # private characters, which no text holds
_BACK = {ord(_ASIDE[name]): sign for name, sign in _SIGNS.items()}
# A formula, else a dollar: "$5,000 against $7,000" encloses none.
_DOLLAR = re.compile(r"(\$(?!\s)[^$]*(?<!\s)\$(?!\d)|\$(?=[^$\\^_]*[\\^_])[^$]*+\$)|\$")
_SPACES = re.compile(r"\\(?:[,;: \n]|\\|(?:thinspace|enspace|enskip|quad|qquad|newline)(?![A-Za-z])\s*(?:\{\})?)")
_NO_SPACES = re.compile(r"\\[!/@-]")
_ACCENTS = {"'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307",
            "c": "\u0327", "k": "\u0328", "r": "\u030a", "u": "\u0306", "v": "\u030c", "H": "\u030b", "d": "\u0323",
            "b": "\u0331"}  # fmt: skip
_LETTER = r"(?:[^\W\d_][\u0300-\u036f]*|\\[ij](?![A-Za-z]))"
_ACCENTED = re.compile(
    r"""(?<!\\)\\(['`^"~=.]|[ckruvHdb](?![A-Za-z]))\s*"""
    rf"(?:\{{\s*({_LETTER})(?:\{{\}})?\s*\}}|\{{\s*\{{({_LETTER})\}}\s*\}}|({_LETTER})(?:\{{\}})?)"
)
_MOST_STACKED = 4  # accents on one letter
_NAMED = {"mu": "µ", "less": "<", "greater": ">", "times": "×", "pm": "±", "minus": "−", "degree": "°", "div": "÷",
          "bullet": "•", "periodcentered": "·", "ellipsis": "…", "bar": "|", "onehalf": "½", "onequarter": "¼",
          "threequarters": "¾", "celsius": "°C", "perthousand": "‰", "trademark": "™", "registered": "®",
          "copyright": "©", "euro": "€", "dagger": "†", "section": "§"}  # fmt: skip
_GREEK = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "xi", "pi",
          "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega")  # fmt: skip
_NAMED |= {name: unicodedata.lookup("GREEK SMALL LETTER " + name.replace("lambda", "lamda")) for name in _GREEK}
_NAME = re.compile(rf"\\text({'|'.join(sorted(_NAMED, key=len, reverse=True))})(?![A-Za-z])(?:\{{\}}|\s+)?")
_TILDE = re.compile(r"\\~\{\s*\}|\{?\\textasciitilde(?:\{\}|\s+)?\}?|\$\s*\\sim\s*\$")
_ESCAPE = re.compile(r"\\([%_&#$~{}])(?:\{\})?")
_WRAPPED = re.compile(r"\\(?:url|path|href|doi)\s*\{([^{}]*)\}")


def plain(value: str) -> str:
    """Plain characters in place of LaTeX, white space folded. What cannot be decoded keeps its text without braces."""
    if not any(sign in value for sign in "\\{}$~-"):
        return " ".join(value.split())
    from pybtex.richtext import Text

    # Signs that stand for themselves step aside: the decoder would take some of them for markup after all.
    value = _NO_SPACES.sub("", _SPACES.sub(" ", _FACES.sub("", value)))
    value = _ESCAPED.sub(lambda match: _ASIDE[match.group(1)], value).replace("%", _ASIDE["%"])
    value = _DOLLAR.sub(lambda match: match.group(1) or _ASIDE["$"], value)
    value = _NAME.sub(lambda match: _NAMED[match.group(1)], value)
    for _ in range(_MOST_STACKED):  # the decoder puts one accent on an ASCII letter: r"\~{\^e}" is two
        value, changed = _ACCENTED.subn(_accented, value)
        if not changed:
            break
    try:
        text = str(Text.from_latex(value))
    except Exception:  # the decoder fails on macros it half knows
        text = value.replace("{", "").replace("}", "")
    return " ".join(text.replace("\u00a0", " ").replace("$", "").translate(_BACK).split())


def verbatim(value: str) -> str:
    """An address, identifier or path to the letter: only escapes and braces that protect it are taken away."""
    value = _TILDE.sub(lambda _: _ASIDE["textasciitilde"], value)
    value = _ESCAPE.sub(lambda match: _ASIDE["textasciitilde" if match.group(1) == "~" else match.group(1)], value)
    value = _WRAPPED.sub(r"\1", value)
    return " ".join(value.replace("{", "").replace("}", "").translate(_BACK).split())


def _accented(match: re.Match[str]) -> str:
    letter = (match.group(2) or match.group(3) or match.group(4)).removeprefix("\\")
    return unicodedata.normalize("NFC", letter + _ACCENTS[match.group(1)])
