"""A contract becomes cited sentences: `[N]` markers bound to passages, titles and links from the catalogue.

A model never writes a marker or a title that a reader sees. It names passages; the numbers are given here, in
order of first citation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from litloop.core.records import (
    AnswerItem,
    AnswerSentence,
    AnswerWithEvidence,
    Candidate,
    Citation,
    PaperUse,
    Relevance,
)
from litloop.text.clean import clean_text, without_list_mark
from litloop.text.markers import strip_markers

PASSAGES_SHOWN = 2  # of each paper
SENTENCE_WORDS = 5  # a value of fewer words is shown inside the sentence that bears it


@dataclass(frozen=True, slots=True)
class RenderedAnswer:
    text: str
    sentences: tuple[AnswerSentence, ...]
    markers: Mapping[str, int]  # passage id -> marker


def render(contract: AnswerWithEvidence, *, listing: bool = False) -> RenderedAnswer:
    """Number the cited passages and write the text. A listing is written one item a line."""
    markers: dict[str, int] = {}
    sentences = [_sentence(item, markers) for item in contract.items]
    lines = [_with_markers(sentence) for sentence in sentences]
    if listing and len(lines) > 1:
        text = "\n".join(f"- {line}" for line in lines)
    else:  # what ends without a stop (a caption, a row of a table) would run into the next sentence
        text = " ".join(
            [*(line if line.endswith((".", "!", "?", ":")) else f"{line}." for line in lines[:-1]), *lines[-1:]]
        )
    return RenderedAnswer(text, tuple(sentences), markers)


def _sentence(item: AnswerItem, markers: dict[str, int]) -> AnswerSentence:
    citations = tuple(
        Citation(
            marker=markers.setdefault(span.passage_id, len(markers) + 1),
            paper_id=span.anchor.paper_id,
            passage_id=span.passage_id,
            quote=span.quote,
            page=span.page,
            anchor=span.anchor,
        )
        for span in item.evidence
    )
    return AnswerSentence(_wording(item), citations)


def _wording(item: AnswerItem) -> str:
    """The value when it can stand alone; a bare date or number is shown in the sentence it was found in.

    Markers that a text brings along (its own references, or a forgery) are taken out: only ours may stand there. So is
    the mark of a list's item; the quote keeps it.
    """
    value = without_list_mark(_plain(item.value))
    quote = without_list_mark(_plain(item.evidence[0].quote)) if item.evidence else ""
    alone = len(value.split()) >= SENTENCE_WORDS or value.casefold() not in quote.casefold()
    return value if alone or not quote else quote


def _plain(text: str) -> str:
    return " ".join(strip_markers(clean_text(text)).split())


def _with_markers(sentence: AnswerSentence) -> str:
    marks = "".join(f"[{marker}]" for marker in dict.fromkeys(c.marker for c in sentence.citations))
    body = sentence.text.rstrip()
    if not marks:
        return body
    if body.endswith((".", "!", "?", ":")):
        return f"{body[:-1]} {marks}{body[-1]}"
    return f"{body} {marks}"


def paper_uses(
    judged: Sequence[tuple[Candidate, Relevance]], unjudged: Sequence[Candidate], sentences: Sequence[AnswerSentence]
) -> tuple[PaperUse, ...]:
    """Every paper the run looked at, cited ones first, with the markers it is cited under."""
    markers: dict[str, dict[int, None]] = {}
    for sentence in sentences:
        for citation in sentence.citations:
            markers.setdefault(citation.paper_id, {})[citation.marker] = None
    everything = [*judged, *((c, Relevance(c.paper.id, "unknown")) for c in unjudged)]
    uses = [
        PaperUse(
            paper=c.paper,
            relevance=verdict,
            markers=tuple(markers.get(c.paper.id, ())),
            passages=tuple(hit.passage for hit in c.hits[:PASSAGES_SHOWN]),
            score=c.score,
            signals=c.signals,
        )
        for c, verdict in everything
    ]
    return tuple(sorted(uses, key=lambda use: (not use.markers, use.markers[:1])))
