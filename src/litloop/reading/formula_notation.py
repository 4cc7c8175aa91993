"""How a formula is written on one line: powers raised where Unicode can, fractions with a slash.

One notation for the formulas of all formats (Office, MathML, TeX).
"""

from __future__ import annotations

import re

_RAISED = str.maketrans("0123456789+-−=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ")
_LOWERED = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")
# Signs that stand raised already, and what is meant by a raised circle.
_HIGH = re.compile(r"[′″‴*†‡°∘]+")
_WORD = re.compile(r"\w*(?:[.,]\d+)?")


def grouped(text: str) -> str:
    """`text`, in parentheses unless it is one word or number."""
    text = text.strip()
    return text if _WORD.fullmatch(text) else f"({text})"


def fraction(above: str, below: str) -> str:
    """`above/below`."""
    return f"{grouped(above)}/{grouped(below)}"


def power(text: str) -> str:
    """An exponent: "²", "⁻³", "²⁺", "°", otherwise "^x"."""
    text = text.strip()
    if not text:
        return ""
    if _HIGH.fullmatch(text):
        return text.replace("∘", "°")
    if re.fullmatch(r"[+\-−]?\d+[+\-−]?|[+\-−]", text):
        return text.translate(_RAISED)
    return f"^{grouped(text)}"


def index(text: str) -> str:
    """An index: "₂", otherwise "_x"."""
    text = text.strip()
    if not text:
        return ""
    if re.fullmatch(r"[\d+\-−=()]+", text):
        return text.translate(_LOWERED)
    return f"_{grouped(text)}"


def root(of: str, degree: str = "") -> str:
    """`√(of)`, with its degree raised before it."""
    return f"{power(degree).removeprefix('^')}√({of.strip()})"
