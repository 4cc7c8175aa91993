"""HTML becomes a document: what a reader sees of a page, without scripts, styles, menus and forms."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from litloop.core.errors import SourceError
from litloop.core.records import Document
from litloop.reading.assembly import Block, Series, build_text
from litloop.reading.html_visibility import Visibility
from litloop.reading.mathml import mathml_text
from litloop.reading.metadata import clean_doi, described_document
from litloop.reading.reference_marks import with_reference_marks
from litloop.reading.result import ReadResult
from litloop.text.characters import raised_mark
from litloop.text.encodings import decode

PARSER = "html/1"
MEDIA_TYPE = "text/html"

_SKIPPED = frozenset({
    "script", "style", "nav", "noscript", "template", "head", "svg", "iframe", "object", "embed", "canvas",
    "button", "select", "textarea", "input", "form", "footer", "aside", "audio", "video", "map", "annotation",
    "annotation-xml"
})  # fmt: skip
_SKIPPED_ROLES = frozenset({"navigation", "search", "contentinfo", "banner", "complementary", "menu", "dialog"})
_BLOCKS = frozenset({
    "address", "article", "blockquote", "body", "center", "dd", "details", "div", "dl", "dt", "fieldset",
    "figcaption", "figure", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "html", "li", "main", "ol", "p",
    "pre", "section", "summary", "table", "tbody", "tfoot", "thead", "tr", "ul", "caption"
})  # fmt: skip
_SERIES: dict[str, Series] = {"li": "item", "dt": "item", "dd": "item", "tr": "row"}
_CELLS = frozenset({"td", "th"})
_DECLARED = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w-]+)", re.IGNORECASE)
_XML_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*\?>")
_RAISED = re.compile(r"vertical-align\s*:\s*super\b", re.IGNORECASE)
_TITLE_FIELDS = ("citation_title", "dc.title", "og:title")


def read_html(path: Path) -> ReadResult:
    """Read an HTML page. Raises SourceError: empty, broken. Source offsets are into the page's extracted text."""
    import lxml.etree
    import lxml.html

    data = path.read_bytes()
    declared = _DECLARED.search(data[:4096])
    raw, _ = decode(data, declared.group(1).decode("ascii", "ignore") if declared else None)
    raw = _XML_DECLARATION.sub("", raw.replace("\0", ""))
    try:
        page = lxml.html.document_fromstring(raw, parser=lxml.html.HTMLParser(huge_tree=True))
    except (lxml.etree.LxmlError, ValueError, AssertionError) as error:
        raise SourceError("empty", f"{path.name} is empty: there is no text on the page.") from error
    blocks = _Walker(Visibility(page)).walk(_main_part(page))
    text = with_reference_marks(build_text(blocks, PARSER))
    if not text.content.strip():
        raise SourceError("empty", f"{path.name} is empty: there is no text on the page.")
    return ReadResult((Document(described_document(path, text, _metadata(page)), text),), (), MEDIA_TYPE)


def _main_part(page: Any) -> Any:
    """The element that holds the article where the page marks exactly one, else the body."""
    for name in ("main", "article"):
        found = list(page.iter(name))
        if len(found) == 1 and len("".join(found[0].itertext())) > 200:
            return found[0]
    body = page.find("body")
    return page if body is None else body


class _Walker:
    """Goes through the elements in document order, without recursion: nesting is the page's own choice."""

    def __init__(self, visibility: Visibility) -> None:
        self._visibility = visibility
        self._blocks: list[Block] = []
        self._parts: list[str] = []
        self._level = 0
        self._series: Series = ""
        self._verbatim = 0

    def walk(self, root: Any) -> list[Block]:
        stack: list[tuple[Any, bool]] = [(root, True)]
        while stack:
            element, entering = stack.pop()
            if not entering:
                self._leave(element)
                if element is not root:
                    self._add(element.tail)
                continue
            if not isinstance(element.tag, str) or self._is_skipped(element):
                if element is not root:
                    self._add(element.tail)
                continue
            self._enter(element)
            stack.append((element, False))
            if element.tag == "sup" or _RAISED.search(element.get("style") or ""):
                self._add(raised_mark("".join(element.itertext())))
                continue
            if element.tag == "math":
                self._add(mathml_text(element))
                continue
            self._add(element.text)
            stack += [(child, True) for child in reversed(element)]
        self._finish()
        return self._blocks

    def _is_skipped(self, element: Any) -> bool:
        if element.tag in _SKIPPED or element.get("role") in _SKIPPED_ROLES:
            return True
        return self._visibility.is_hidden(element)

    def _enter(self, element: Any) -> None:
        tag = element.tag
        if tag in _BLOCKS:
            self._finish()
            self._series = _SERIES.get(tag, "")
            if re.fullmatch("h[1-6]", tag):
                self._level = int(tag[1])
        if tag == "pre":
            self._verbatim += 1
        elif tag in _CELLS and any(part.strip() for part in self._parts):
            self._parts.append("\x1f")  # the boundary of a cell, until white space is settled
        elif tag == "br":
            self._parts.append("\x1e")
        elif tag == "img" and (alternative := element.get("alt")):
            self._add(f" {alternative} ")

    def _leave(self, element: Any) -> None:
        if element.tag in _BLOCKS:
            self._finish()
        if element.tag == "pre":
            self._verbatim -= 1

    def _add(self, text: str | None) -> None:
        if text:
            self._parts.append(text.replace("\r\n", "\n").replace("\n", "\x1e") if self._verbatim else text)

    def _finish(self) -> None:
        text = "".join(self._parts)
        self._parts.clear()
        if not self._verbatim:
            text = re.sub(r"[ \t\n\r\f]+", " ", text)
            text = re.sub(r" ?([\x1e\x1f]) ?", r"\1", text)
        text = text.replace("\x1f", "\t").replace("\x1e", "\n").strip(" \n")
        if text:
            self._blocks.append(Block(text, self._level, self._series))
            self._level = 0
            self._series = ""


def _metadata(page: Any) -> dict[str, str]:
    """Title, authors, DOI, date and journal as the page's head gives them, in the names publishers use."""
    named: dict[str, list[str]] = {}
    for element in page.iter("meta"):
        name = (element.get("name") or element.get("property") or "").lower()
        named.setdefault(name, []).append(element.get("content") or "")
    first = {name: values[0] for name, values in named.items()}
    title = next((first[name] for name in _TITLE_FIELDS if first.get(name)), "") or (page.findtext(".//title") or "")
    return {
        "title": title,
        "author": "; ".join(named.get("citation_author", named.get("dc.creator", named.get("author", [])))),
        "doi": f"doi:{clean_doi(first['citation_doi'])}" if first.get("citation_doi") else "",
        "year": first.get("citation_publication_date", first.get("citation_date", first.get("dc.date", ""))),
        "journal": first.get("citation_journal_title", ""),
    }
