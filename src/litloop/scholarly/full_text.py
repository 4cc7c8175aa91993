"""The whole text of a work, where it is open: found, fetched, read, and held against the title.

JATS before PDF before HTML, the published version before drafts. Whatever goes wrong (no open copy, a refused address,
a page that asks to log in, another paper), the abstract stands in, with the reason.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from litloop.core.errors import SourceError
from litloop.core.records import Document, Form, Text, TextRun
from litloop.core.settings import FullTextSettings
from litloop.net.downloading import Downloader, NoDownload
from litloop.papers.merging import MergedWork
from litloop.papers.titles import folded_words
from litloop.papers.works import FullTextLocation
from litloop.reading import ReadingPool
from litloop.scholarly.full_text_cache import ENDINGS, Download, FullTextCache
from litloop.scholarly.references_cut import without_references

Places = Callable[[MergedWork], Sequence[FullTextLocation]]

_READABLE = ("jats", "pdf", "html", "unknown")
_VERSIONS = ("published", "accepted", "submitted", "unknown")
_LEAST = {"pdf": 1500, "jats": 1500, "html": 4000}  # characters; an abstract page or a notice has fewer
_TITLE_SHARE = 0.6  # of the title's words must stand near the beginning
_BEGINNING = 6000  # characters


@dataclass(frozen=True, slots=True)
class FoundText:
    """The document to read for a work. `reason` says why it is only the abstract; empty where it is the whole text.

    `tried` lists every address that was asked, and why it did not serve.
    """

    document: Document
    whole: bool
    url: str | None = None
    form: Form = "unknown"
    cached: bool = False
    reason: str = ""
    tried: tuple[tuple[str, str], ...] = ()


class FullTextFetcher:
    """Finds full texts. `pool` reads in processes that may be killed; `cache` may be None."""

    def __init__(
        self,
        settings: FullTextSettings,
        pool: ReadingPool,
        downloader: Downloader,
        *,
        cache: FullTextCache | None = None,
        places: Places | None = None,
    ) -> None:
        self._settings = settings
        self._pool = pool
        self._downloader = downloader
        self._cache = cache
        self._places = places or full_text_locations

    async def of(self, work: MergedWork) -> FoundText:
        """The whole text of a work, else its abstract with the reason. Never raises for an outside failure."""
        places = self._places(work)
        if not places:
            return _abstract(work, "No open copy of it is known.")
        tried: list[tuple[str, str]] = []
        try:
            async with asyncio.timeout(self._settings.timeout_s):
                for place in places:
                    try:
                        return await self._from(place, work, tried)
                    except (NoDownload, SourceError) as error:
                        tried.append((place.url, str(error)))
        except TimeoutError:
            reason = f"Its full text did not arrive within {self._settings.timeout_s:g} s."
            return _abstract(work, reason, tried)
        return _abstract(work, f"No open copy could be read: {tried[-1][1]}", tried)

    async def of_many(self, works: Sequence[MergedWork], at_once: int = 4) -> list[FoundText]:
        """The texts of the first `max_papers` works, several at a time; the abstracts of the rest."""
        few = asyncio.Semaphore(at_once)

        async def one(work: MergedWork) -> FoundText:
            async with few:
                return await self.of(work)

        chosen = works[: self._settings.max_papers]
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(work)) for work in chosen]
        rest = [_abstract(work, "Only the first papers are read in full.") for work in works[len(chosen) :]]
        return [*(task.result() for task in tasks), *rest]

    async def _from(self, place: FullTextLocation, work: MergedWork, tried: Sequence[tuple[str, str]]) -> FoundText:
        with TemporaryDirectory(prefix="litloop-") as folder:
            download = await self._download(place.url, Path(folder))
            result = await asyncio.to_thread(self._pool.read, download.path)
        read = result.documents[0]
        text = without_references(read.text)
        _check(read.paper.title, text, download.form, work)
        paper = replace(work.to_paper(), provenance={**work.provenance, "text": place.url})
        return FoundText(Document(paper, text), True, place.url, download.form, download.cached, tried=tuple(tried))

    async def _download(self, url: str, folder: Path) -> Download:
        if self._cache and (known := await asyncio.to_thread(self._cache.get, url)):
            return known
        body = await self._downloader.get(url)
        kept = await asyncio.to_thread(self._cache.put, url, body.content, body.form) if self._cache else None
        if kept:
            return kept
        path = folder / f"text{ENDINGS[body.form]}"
        await asyncio.to_thread(path.write_bytes, body.content)
        return Download(path, body.form)


def full_text_locations(work: MergedWork) -> list[FullTextLocation]:
    """Where the work may be had, best first: what the databases name, and what its ids say of arXiv and PMC."""
    places = [location for location in work.full_texts if location.url]
    if pmcid := work.ids.get("pmcid"):
        address = f"https://www.ebi.ac.uk/europepmc/webservices/rest/{pmcid}/fullTextXML"
        places.append(FullTextLocation(address, "jats", version="published"))
    if arxiv := work.ids.get("arxiv"):
        places.append(FullTextLocation(f"https://arxiv.org/pdf/{arxiv}", "pdf", version="submitted"))
    by_url = {place.url: place for place in reversed(places)}
    return sorted(by_url.values(), key=lambda p: (_READABLE.index(p.format), _VERSIONS.index(p.version), p.url))


def _check(title: str, text: Text, form: Form, work: MergedWork) -> None:
    """Raises NoDownload where the text is too short to be a paper, or is another one.

    JATS says its title; of the other forms the beginning must hold the words of the work's title.
    """
    if len(text.content) < _LEAST.get(form, 0):
        raise NoDownload("The download is too short to be the paper.")
    beginning = title if form == "jats" else f"{title}\n{text.content[:_BEGINNING]}"
    words, near = set(folded_words(work.title)), set(folded_words(beginning))
    # In scripts without spaces a word of the title need not be one of the text.
    shared = sum(word in near or (not word.isascii() and word in beginning) for word in words)
    if shared < _TITLE_SHARE * len(words):
        raise NoDownload("The download is another text: its beginning does not contain the title.")


def _abstract(work: MergedWork, reason: str, tried: Sequence[tuple[str, str]] = ()) -> FoundText:
    content = work.abstract
    runs = (TextRun(0, len(content), None, 0, len(content)),) if content else ()
    return FoundText(
        Document(work.to_paper(), Text(content, runs, parser="abstract/1")), False, reason=reason, tried=tuple(tried)
    )
