"""Raised reference numbers stand apart from words and figures: "women¹²,¹³" becomes "women [12,13]".

Left on its word, a raised number becomes part of it: "women12" is found by nobody, and a rate of 3 with a raised 7 is
37 to a model. Powers stay ("10⁶", "kg/m²", "R²"), and so do charges, isotopes and the marks in a line of authors'
names. What stands before a raised number says what it is. Where that leaves a choice ("3⁷", "MS⁵"), the document
decides: a paper that cites by raised numbers elsewhere means a reference.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace

from litloop.core.records import Heading, Text, TextRun

_DIGITS, _LETTERS = "⁰¹²³⁴⁵⁶⁷⁸⁹", "ᵃᵇᶜᵈᵉᶠᵍʰ"
_ONE = rf"(?:[{_DIGITS}]{{1,3}}+|[{_LETTERS}])"
_RUN = re.compile(rf"{_ONE}(?:(?>[ ]?[,;][ ]?|[⁻–—-]){_ONE})*+")
_LOWERED = str.maketrans(f"{_DIGITS}⁻{_LETTERS}", "0123456789-abcdefgh")
_STICKS = re.compile(rf"[{_DIGITS}⁺⁻⁽⁼ⁿ{_LETTERS}]|(?![\u2e80-\U0003ffff])[^\W_]")

_BEFORE = 40  # characters before a raised number that decide what it is
_NAMES_NEAR = 120  # characters around it that may be a line of names
_POWERED = re.compile(  # units and functions that are raised to powers
    r"(?:[kcmdnpµμ]?m|in|ft|yd|h[am]|[mµμn]?s|sec|px|(?:centi|milli|kilo|micro|nano)?(?:met(?:er|re)s?)|inch(?:es)?|feet|foot|"
    r"miles?|pixels?|voxels?|seconds?|degrees?|dex|log|ln|exp|sin|cos|tan|chi|eta|omega|sigma|rho|tau|phi|psi|delta|alpha|"
    r"beta|gamma|lambda|mc)"
)
_OTHER_UNIT = re.compile(r"[kmµμn]?g|[mµμdk]?[lL]|[mµμn]?mol|[mk]?V|min|hr?s?|M?Hz|kPa|mmHg|IU|U")
# Words that are squared or cubed in tables of regressions and in formulas.
_TERMS = frozenset({
    "age", "bmi", "time", "dose", "distance", "year", "years", "income", "weight", "height", "temperature", "day",
    "days", "experience", "week", "month", "trend", "score", "density", "concentration", "depth", "size", "length",
    "radius", "diameter", "frequency", "velocity", "speed", "adj", "adjusted", "nagelkerke", "var", "linear"
})  # fmt: skip
_SHORT_WORDS = frozenset({
    "in", "of", "on", "by", "to", "is", "it", "as", "at", "us", "we", "an", "or", "do", "so", "up", "be", "no"
})  # fmt: skip
_MASS_NUMBERS = {
    "H": {2, 3}, "C": {11, 13, 14}, "N": {13, 15}, "O": {15, 17, 18}, "F": {18, 19}, "P": {31, 32, 33}, "S": {35},
    "K": {40}, "I": {123, 124, 125, 127, 131}, "Y": {90}, "U": {235, 238}, "Tc": {99}, "Cr": {51}, "Ga": {67, 68},
    "In": {111}, "Tl": {201}, "Xe": {133, 129}, "Rb": {82}, "Lu": {177}, "Sr": {87, 89, 90}, "Ra": {223, 226},
    "Cs": {137}, "Co": {57, 60}, "Fe": {55, 59}, "Ca": {45, 47}, "Cu": {64, 67}, "Zr": {89}, "Ac": {225},
    "Na": {22, 24}, "Re": {186, 188}, "Sm": {153}, "Pb": {210, 212}, "Po": {210}, "Kr": {81}, "Be": {7},
    "Br": {76, 77}, "At": {211},
}  # fmt: skip
_FIGURE = re.compile(r"\d[\d.,·]*\Z")
_MULTIPLIED = re.compile(r"[×x*∗·^][ ]?\d[\d.,·]*\Z|\d[ ]10\Z")
_POWER_FOLLOWS = re.compile(r"[ ]?(?:[=×*^+<>≤≥≈/]|(?:full )?factorial|designs?\b|possible|combinations)")
_NAMED_BY_LETTER = re.compile(r"[^\W\d_]{4,}[ ][A-Z]\Z")  # vitamin D, hepatitis B
_LOWER_WORD = re.compile(r"(?<![^\W_])[^\W\d_A-Z]{3,}")
_CAPITALISED = re.compile(r"(?<![^\W_])[^\W\d_a-z][^\W\d_]+")
_NOT_IN_NAMES = re.compile(r"[0-9\t%=<>]")
_PARTICLES = frozenset({"and", "van", "von", "der", "den", "del", "dos", "dal", "ten", "ter", "und", "bin", "ibn"})


def with_reference_marks(text: Text) -> Text:
    """`text` with its raised reference numbers in brackets behind a space, its map to the original kept."""
    marks = _marks(text.content)
    if not marks:
        return text
    shifts = _Shifts(marks)
    headings = [
        Heading(shifts.new(h.start), shifts.new(h.end), h.level, _cut(text.content, h, marks)) for h in text.headings
    ]
    return replace(
        text,
        content=_replaced(text.content, marks),
        runs=tuple(_remapped(text.runs, marks, shifts)),
        headings=tuple(headings),
    )


def reference_marks_apart(text: str) -> str:
    """A text without a map, such as an abstract, with its raised reference numbers in brackets behind a space."""
    return _replaced(text, _marks(text))


Mark = tuple[int, int, str]  # [start, end) and what stands there instead


def _marks(text: str) -> list[Mark]:
    runs = [(match.start(), match.end()) for match in _RUN.finditer(text)]
    cites = any(_is_reference(text, start, end, cites=False) for start, end in runs if text[start] in _DIGITS)
    references = [run for run in runs if _is_reference(text, *run, cites=cites)]
    return [(start, end, _bracketed(text, start, end)) for start, end in references]


def _bracketed(text: str, start: int, end: int) -> str:
    space = "" if text[start - 1 : start].isspace() or start == 0 else " "
    return f"{space}[{text[start:end].translate(_LOWERED)}]"


def _replaced(text: str, marks: Sequence[Mark]) -> str:
    parts, at = [], 0
    for start, end, instead in marks:
        parts += [text[at:start], instead]
        at = end
    return "".join([*parts, text[at:]])


def _is_reference(text: str, start: int, end: int, *, cites: bool) -> bool:
    """Whether the raised run is a mark of a reference or footnote. `cites`: the document has raised references."""
    before = text[max(0, start - _BEFORE) : start].rpartition("\n")[2]
    if not before.strip() or before[-1] in "([{/" or _STICKS.match(text, end):
        return False
    run = text[start:end].translate(_LOWERED)
    numbers = [int(number) for number in re.findall(r"\d+", run)]
    if any(number == 0 for number in numbers) or re.search(r"(?<!\d)0", run):
        return False
    if not numbers:
        return _is_footnote_letter(before, run)
    if before[-1] == " ":
        return cites and not _FIGURE.search(before.rstrip())
    if before[-1].isdecimal():
        return _cites_after_figure(text, before, end, numbers, cites=cites)
    if before[-1].isalpha():
        return _cites_after_word(text, start, end, before, numbers, cites=cites)
    if before[-1] in ")]}":
        return _cites_after_bracket(before, numbers, cites=cites)
    return before[-1] in ".,;:!?%‰\"'”’»…。，、" and not _is_line_of_names(text, start, end)


def _is_footnote_letter(before: str, run: str) -> bool:
    if before[-1].isdecimal():
        return run != "e"  # "2ᵉ" is an ordinal
    return before[-1] in "%)].,;" or (len(_word_at_end(before)) > 2 and not before[-3:].isupper())


def _cites_after_figure(text: str, before: str, end: int, numbers: Sequence[int], *, cites: bool) -> bool:
    found = _FIGURE.search(before)
    figure = found.group() if found else ""
    if figure == "10" or _MULTIPLIED.search(before) or _POWER_FOLLOWS.match(text, end):
        return False
    return cites or len(numbers) > 1


def _cites_after_word(text: str, start: int, end: int, before: str, numbers: Sequence[int], *, cites: bool) -> bool:
    word = _word_at_end(before)
    one = numbers[0] if len(numbers) == 1 else None
    if not word or (one is not None and one in _MASS_NUMBERS.get(word, ())):
        return False
    if word[-1] >= "\u2e80":
        return True
    if _POWERED.fullmatch(word) or _OTHER_UNIT.fullmatch(word):
        return cites and (one is None or one > 6 or not _POWERED.fullmatch(word))
    if len(word) == 1:
        return cites and one not in {2, 3} and bool(_NAMED_BY_LETTER.search(before))
    if len(word) == 2 and word not in _SHORT_WORDS:
        return cites and (one is None or one > 9 or word.isupper())
    if one in {2, 3} and word.casefold() in _TERMS:
        return False
    if word.isupper() and one in {2, 3}:
        return cites
    return not _is_line_of_names(text, start, end)


def _cites_after_bracket(before: str, numbers: Sequence[int], *, cites: bool) -> bool:
    inside = before[max(before.rfind("("), before.rfind("[")) + 1 : -1]
    if re.search(r"[+*/^=−×]", inside):
        return False  # a term
    prose = bool(re.search(r"[^\W\d_]{3}", inside))
    if len(numbers) > 1 or numbers[0] > 3:
        return prose or cites
    return prose and cites


def _word_at_end(before: str) -> str:
    at = len(before)
    while at and before[at - 1].isalpha() and before[at - 1] not in _LETTERS:
        at -= 1
    return before[at:]


def _is_line_of_names(text: str, start: int, end: int) -> bool:
    """Whether the line around holds names and nothing else: their raised numbers name addresses."""
    left = text[max(0, start - _NAMES_NEAR) : start].rpartition("\n")[2]
    right = text[end : end + _NAMES_NEAR].partition("\n")[0]
    line = f"{left},{right}"
    if _NOT_IN_NAMES.search(line) or len(_CAPITALISED.findall(line)) < 2:
        return False
    return all(word in _PARTICLES for word in _LOWER_WORD.findall(line))


class _Shifts:
    """Where an offset of the text without brackets lies in the text with them."""

    def __init__(self, marks: Sequence[Mark]) -> None:
        self._ends = [end for _, end, _ in marks]
        self._sums = [0]
        for start, end, instead in marks:
            self._sums.append(self._sums[-1] + len(instead) - (end - start))

    def new(self, offset: int) -> int:
        return offset + self._sums[bisect_right(self._ends, offset)]


def _cut(content: str, heading: Heading, marks: Sequence[Mark]) -> str:
    """The heading's title without the marks in it: they are no part of a name."""
    inside = [(start, end) for start, end, _ in marks if heading.start <= start and end <= heading.end]
    if not inside:
        return heading.title
    parts, at = [], heading.start
    for start, end in inside:
        parts.append(content[at:start])
        at = end
    return " ".join("".join([*parts, content[at : heading.end]]).split())


def _remapped(runs: Sequence[TextRun], marks: Sequence[Mark], shifts: _Shifts) -> Iterator[TextRun]:
    """The runs of the new text. A mark maps as a whole to all that it was made from."""
    waiting = iter([*marks, (len(runs) and runs[-1].end + 1, 0, "")])
    mark = next(waiting)
    made_from: list[TextRun] = []
    for run in runs:
        at = run.start
        while at < run.end:
            if at < mark[0]:
                stop = min(run.end, mark[0])
                yield _moved(_part(run, at, stop), shifts)
                at = stop
                continue
            stop = min(run.end, mark[1])
            made_from.append(_part(run, at, stop))
            at = stop
            if stop == mark[1]:
                yield _whole(made_from, shifts.new(mark[1]) - len(mark[2]), shifts.new(mark[1]))
                made_from, mark = [], next(waiting)


def _part(run: TextRun, start: int, end: int) -> TextRun:
    if run.end - run.start != run.source_end - run.source_start:
        return TextRun(start, end, run.page, run.source_start, run.source_end)
    ahead = start - run.start
    return TextRun(start, end, run.page, run.source_start + ahead, run.source_start + ahead + end - start)


def _moved(run: TextRun, shifts: _Shifts) -> TextRun:
    start = shifts.new(run.start)
    return TextRun(start, start + run.end - run.start, run.page, run.source_start, run.source_end)


def _whole(parts: Sequence[TextRun], start: int, end: int) -> TextRun:
    page = parts[0].page
    same = [part for part in parts if part.page == page]
    return TextRun(start, end, page, min(p.source_start for p in same), max(p.source_end for p in same))
