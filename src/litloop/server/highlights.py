"""Places in papers: a passage or an anchor in its surroundings, and where it stands on its pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from litloop.catalogue.listing import paper_entry
from litloop.core.records import Heading, Text
from litloop.server.collection_listing import paper_row
from litloop.server.problems import ProblemError
from litloop.server.schemas.base import AnchorOut
from litloop.server.schemas.collections import Box, PageBoxes, PaperDetail, PassageBrief, PassageOut, Place
from litloop.server.source_files import file_out, image_url, unshown
from litloop.text.quotes import QuotedText

if TYPE_CHECKING:
    from litloop.catalogue import Collection, SourceFile, StoredPassage
    from litloop.server.state import ServerState

AROUND = 600  # characters shown on either side
LONGEST = 20_000  # characters of one place: a citation is a sentence, a passage a paragraph
MOST_PAGES = 20  # of one place that are searched for boxes


P = TypeVar("P", bound=Place)


@dataclass(frozen=True)
class Located(Generic[P]):
    """A place, with what is needed to find it on its pages."""

    place: P
    source: SourceFile | None
    text: Text


class PassageLocator:
    """Looks places up in the library."""

    def __init__(self, state: ServerState) -> None:
        self._state = state
        self._catalogue = state.library.components.catalogue

    def paper(self, collection: Collection, paper_id: str, *, offset: int, limit: int) -> PaperDetail:
        """Raises a 404 for a paper that the collection does not hold."""
        entry = paper_entry(self._catalogue, collection.key, paper_id)
        text = self._text(collection, paper_id)
        if entry is None:
            raise _no_paper(collection, paper_id)
        source = self._source(collection, entry.path)
        stored = self._catalogue.passages_of(collection.key, paper_id)[offset : offset + limit]
        return PaperDetail(
            **paper_row(entry).model_dump(),
            collection=collection.name,
            abstract=entry.paper.abstract,
            provenance=dict(entry.paper.provenance),
            text_version=text.version,
            characters=len(text.content),
            file=file_out(source) if source else None,
            offset=offset,
            passage_list=[_brief(one) for one in stored],
        )

    def passage(self, collection: Collection, passage_id: str, quote: str | None) -> Located[PassageOut]:
        """A passage, or the words of it that are quoted. Raises a 404 for either that is not there."""
        stored = self._catalogue.passage(collection.key, passage_id)
        if stored is None:
            raise ProblemError(404, f"There is no passage {passage_id[:200]!r} in {collection.name}.")
        passage = stored.passage
        text = self._text(collection, passage.paper_id)
        start, end = passage.anchor.start, passage.anchor.end
        if quote:
            start, end = _quoted(text, start, end, quote)
        source = self._source(collection, stored.source_file)
        place = _place(collection, passage.paper_id, stored.paper.display_title, text, start, end, source)
        out = PassageOut(**place.model_dump(), passage_id=passage.id, tokens=passage.tokens)
        return Located(out, source, text)

    def anchored(
        self, collection: Collection, paper_id: str, start: int, end: int, version: str | None
    ) -> Located[Place]:
        """The place an anchor names. Raises a 404 for an unknown paper, a 410 for another version of its text."""
        text = self._text(collection, paper_id)
        if version and version != text.version:
            raise ProblemError(410, f"The paper {paper_id[:200]} has been read again since this citation was made.")
        if not start < end <= len(text.content) or end - start > LONGEST:
            raise ProblemError(
                422, f"A place lies within the text's {len(text.content)} characters and has at most {LONGEST}."
            )
        entry = paper_entry(self._catalogue, collection.key, paper_id)
        source = self._source(collection, entry.path if entry else None)
        title = entry.paper.display_title if entry else ""
        return Located(_place(collection, paper_id, title, text, start, end, source), source, text)

    async def on_pages(self, found: Located[P]) -> P:
        """The place with its boxes, or with the reason why there are none."""
        source, anchor = found.source, found.place.anchor
        if source is None:
            return found.place.model_copy(update={"unshown": "This paper came from no file that has pages."})
        why = await self._state.workers.run_lookup(lambda: unshown(source))
        if why is None and found.place.page is None:
            why = "This paper's text has no pages."
        if why is not None:
            return found.place.model_copy(update={"unshown": why})
        spans = [s for s in found.text.source_spans(anchor.start, anchor.end) if s[0] is not None]
        try:
            pages = await self._state.pages.boxes(source, spans, most_pages=MOST_PAGES)
        except ProblemError as error:
            return found.place.model_copy(update={"unshown": error.detail})
        shown = [
            PageBoxes(
                page=page.page,
                width=page.width,
                height=page.height,
                boxes=[Box(x=x, y=y, width=w, height=h) for x, y, w, h in page.boxes],
                image=image_url(source.key, page.page),
            )
            for page in pages
        ]
        return found.place.model_copy(update={"pages": shown})

    def _text(self, collection: Collection, paper_id: str) -> Text:
        text = self._catalogue.text(collection.key, paper_id)
        if text is None:
            raise _no_paper(collection, paper_id)
        return text

    def _source(self, collection: Collection, path: str | None) -> SourceFile | None:
        return self._catalogue.source(collection.key, path) if path else None


def _place(
    collection: Collection, paper_id: str, title: str, text: Text, start: int, end: int, source: SourceFile | None
) -> Place:
    content = text.content
    return Place(
        collection=collection.name,
        paper_id=paper_id,
        title=title,
        anchor=AnchorOut(paper_id=paper_id, text_version=text.version, start=start, end=end),
        quote=content[start:end],
        before=content[max(0, start - AROUND) : start],
        after=content[end : end + AROUND],
        heading=_heading(text.headings, start),
        page=text.page_at(start),
        file=file_out(source) if source else None,
        pages=[],
        unshown=None,
    )


def _heading(headings: tuple[Heading, ...], at: int) -> str:
    """The headings above a place, outermost first."""
    above: list[Heading] = []
    for heading in headings:
        if heading.start > at:
            break
        above = [*(h for h in above if h.level < heading.level), heading]
    return " › ".join(heading.title for heading in above)


def _quoted(text: Text, start: int, end: int, quote: str) -> tuple[int, int]:
    found = QuotedText(text.content[start:end]).find(quote)
    if found is None:
        raise ProblemError(404, "This quote is not in the passage.")
    return start + found[0], start + found[1]


def _brief(stored: StoredPassage) -> PassageBrief:
    passage = stored.passage
    return PassageBrief(
        passage_id=passage.id,
        page=passage.page,
        heading=passage.heading or None,
        text=passage.text,
        start=passage.anchor.start,
        end=passage.anchor.end,
    )


def _no_paper(collection: Collection, paper_id: str) -> ProblemError:
    return ProblemError(404, f"There is no paper {paper_id[:200]!r} in {collection.name}.")
