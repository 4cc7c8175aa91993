"""arXiv's Atom interface. https://info.arxiv.org/help/api/user-manual.html"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from litloop.core.identifiers import normal_doi, normal_ids
from litloop.core.normal_forms import normal_form
from litloop.net.faults import UnreadableBody
from litloop.net.service import Facts
from litloop.net.transport import read_xml
from litloop.papers.works import FullTextLocation, Work
from litloop.scholarly import fields
from litloop.scholarly.protocol import ScholarlyQuery
from litloop.scholarly.provider import Call, HttpProvider, Page, chunks, expect, readable

_ATOM = {
    "a": "http://www.w3.org/2005/Atom",
    "x": "http://arxiv.org/schemas/atom",
    "o": "http://a9.com/-/spec/opensearch/1.1/",
}
_AT_ONCE = 100  # ids in one list
_MOST_WORDS = 12
_EARLIEST, _LATEST = "19910101", "29991231"
_WITHDRAWN = "this paper has been withdrawn"


class ArXiv(HttpProvider):
    # The manual asks for three seconds between calls, whoever calls.
    facts = Facts("arxiv", "arXiv", "https://export.arxiv.org/api", 3.0)
    by = ("arxiv",)

    async def _search(self, call: Call, query: ScholarlyQuery) -> Page:
        wanted = search_query(query)
        if not wanted:
            return Page()
        params = {"search_query": wanted, "start": 0, "max_results": query.limit, "sortBy": "relevance"}
        return await call.get("/query", params, _patiently(page_of)) or Page()

    async def _by(self, call: Call, kind: str, values: Sequence[str]) -> Iterable[Work]:
        found: list[Work] = []
        for some in chunks(values, _AT_ONCE):
            page = await call.get("/query", {"id_list": ",".join(some), "max_results": len(some)}, page_of)
            found.extend(page.works if page else ())
        return found


def search_query(query: ScholarlyQuery) -> str:
    """Any of the words, best match first: all of them together seldom stand in one record. Accents and brackets break
    arXiv's parser, so words are sent in plain letters; a word without any is left out."""
    words = dict.fromkeys(_plain_letters(word) for word in query.text.split())
    terms = [f"all:{word}" if word.isalnum() else f'all:"{word}"' for word in words if word][:_MOST_WORDS]
    if not terms:
        return ""
    wanted = " OR ".join(terms)
    if query.since or query.until:
        first = f"{query.since}0101" if query.since else _EARLIEST
        last = f"{query.until}1231" if query.until else _LATEST
        wanted = f"({wanted}) AND submittedDate:[{first}0000 TO {last}2359]"
    return wanted


def _plain_letters(word: str) -> str:
    decomposed = normal_form("NFKD", word.casefold())
    return "".join(c for c in decomposed if c.isascii() and (c.isalnum() or c in "-.")).strip("-.")


def _patiently(read: Callable[[bytes], Page]) -> Callable[[bytes], Page]:
    """A feed without entries is asked for once more before it is believed: arXiv sends some under load."""
    seen = False

    def read_again(body: bytes) -> Page:
        nonlocal seen
        page = read(body)
        if not page and not seen:
            seen = True
            raise UnreadableBody("an empty feed", retry=True)
        return page

    return read_again


def page_of(body: bytes) -> Page:
    feed = read_xml(body)
    expect(feed.tag == f"{{{_ATOM['a']}}}feed", "no feed")
    entries = feed.findall("a:entry", _ATOM)
    for entry in entries:
        if "/api/errors" in _text(entry, "a:id"):
            raise UnreadableBody(f"an error ({_text(entry, 'a:summary')})")
    total = fields.integer(_text(feed, "o:totalResults"))
    start, size = fields.integer(_text(feed, "o:startIndex")), fields.integer(_text(feed, "o:itemsPerPage"))
    if not entries and size and (total or 0) > (start or 0):
        raise UnreadableBody("a feed without the entries that it counts", retry=True)
    return Page(readable(entries, work_of), total)


def work_of(entry: Any) -> Work | None:
    address = _text(entry, "a:id")
    ids = normal_ids({"arxiv": address})
    title = fields.title(_text(entry, "a:title"))
    if not title or "arxiv" not in ids:
        return None
    summary, comment = fields.abstract(_text(entry, "a:summary")), _text(entry, "x:comment")
    return Work(
        provider=ArXiv.facts.name,
        title=title,
        ids=ids,
        abstract=summary,
        authors=tuple(filter(None, (fields.text(name.text) for name in entry.findall("a:author/a:name", _ATOM)))),
        year=fields.year(_text(entry, "a:published")),
        venue=_text(entry, "x:journal_ref") or "arXiv",
        url=f"https://arxiv.org/abs/{ids['arxiv']}",
        kind="preprint",
        full_texts=(FullTextLocation(f"https://arxiv.org/pdf/{ids['arxiv']}", "pdf", version="submitted"),),
        retracted=any(_WITHDRAWN in words.lower() for words in (summary[:200], comment)),
        relations=_relations(entry),
    )


def _relations(entry: Any) -> dict[str, tuple[str, ...]]:
    """The DOI in a record is that of the published version, a work of its own, unless it is arXiv's."""
    doi = normal_doi(_text(entry, "x:doi"))
    return {"preprint_of": (doi,)} if doi and not doi.startswith("10.48550/") else {}


def _text(element: Any, path: str) -> str:
    return fields.text(element.findtext(path, "", _ATOM))
