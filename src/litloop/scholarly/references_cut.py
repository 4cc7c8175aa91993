"""A reading text without its list of references: other people's titles are no evidence for what a paper says."""

from __future__ import annotations

import re
from dataclasses import replace

from litloop.core.records import Heading, Text, TextRun

_LIST = (
    r"(?:references?(?:\s+(?:and\s+notes|cited|list))?|reference\s+list|bibliography|literature(?:\s+cited)?|works\s+cited|"
    r"citations|literatur(?:verzeichnis)?|références(?:\s+bibliographiques)?|bibliographie|referencias"
    r"(?:\s+bibliográficas)?|bibliografía|referências|riferimenti|bibliografia|литература|список\s+литературы|"
    r"参考文献|參考文獻|引用文献|참고문헌)"
)
_NUMBER = r"(?:\d{1,2}|[ivx]{1,5})?[\s.:)]{0,6}"
_TITLE = re.compile(rf"^{_NUMBER}{_LIST}\s*[:.]?$", re.IGNORECASE)
_LINE = re.compile(rf"(?:^|\n)[ \t]{{0,40}}({_NUMBER}{_LIST})[ \t]{{0,40}}:?[ \t]{{0,40}}(?=\n)", re.IGNORECASE)
_AFTERWARDS = re.compile(
    r"^(?:[a-z\d.\s:]{0,6})?(?:appendi(?:x|ces)|supplement(?:ary|al)?\b|supporting information|annexe?|anhang|"
    r"附录|付録)",
    re.IGNORECASE,
)
_NOT_BEFORE = 0.3  # of the text: a table of contents names the references too


def without_references(text: Text) -> Text:
    """The text without the part headed References (or a word for it in a few other languages).

    What comes after the list under a heading of its own, as an appendix does, stays. The map to the pages is kept.
    """
    start = _start(text)
    if start is None:
        return text
    end = next((h.start for h in text.headings if h.start > start and _AFTERWARDS.match(h.title)), len(text.content))
    return _cut(text, start, end)


def _start(text: Text) -> int | None:
    earliest = int(len(text.content) * _NOT_BEFORE)
    headings = [h.start for h in text.headings if h.start >= earliest and _TITLE.match(h.title.strip())]
    if headings:
        return headings[-1]
    lines = [match.start(1) for match in _LINE.finditer(text.content, earliest)]
    return lines[-1] if lines else None


def _cut(text: Text, start: int, end: int) -> Text:
    gone = end - start
    content = text.content[:start] + text.content[end:]
    runs: list[TextRun] = []
    for run in text.runs:
        runs += _outside(run, start, end)
    headings = [
        h if h.end <= start else Heading(h.start - gone, h.end - gone, h.level, h.title)
        for h in text.headings
        if h.end <= start or h.start >= end
    ]
    return replace(text, content=content, runs=tuple(runs), headings=tuple(headings), parser=f"{text.parser}+cut")


def _outside(run: TextRun, start: int, end: int) -> list[TextRun]:
    """What stays of a run, moved up behind the cut. Runs of unequal lengths map as a whole, so they stay whole."""
    gone = end - start
    kept = []
    plain = run.end - run.start == run.source_end - run.source_start
    if run.start < start:
        last = min(run.end, start)
        source_end = run.source_start + (last - run.start) if plain else run.source_end
        kept.append(TextRun(run.start, last, run.page, run.source_start, source_end))
    if run.end > end:
        first = max(run.start, end)
        source_start = run.source_start + (first - run.start) if plain else run.source_start
        kept.append(TextRun(first - gone, run.end - gone, run.page, source_start, run.source_end))
    return kept
