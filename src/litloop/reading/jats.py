"""JATS XML, the article format of PubMed Central and many publishers, becomes documents.

The reading text is the abstract and the body with captions, tables and appendices. The title is the paper's, not part
of the text; reference lists, acknowledgements and author notes are left out.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from litloop.core.errors import SourceError
from litloop.core.identifiers import normal_doi
from litloop.core.records import Document, LabelValue, Paper
from litloop.reading.assembly import Block, Series, build_text
from litloop.reading.mathml import mathml_text
from litloop.reading.metadata import clean_doi, document_id, year_of
from litloop.reading.reference_marks import reference_marks_apart, with_reference_marks
from litloop.reading.result import ReadResult
from litloop.reading.retraction_marks import with_marks
from litloop.reading.tex_formula import tex_text
from litloop.text.characters import one_line, raised_mark
from litloop.text.retractions import is_banner, read_title
from litloop.text.safe_xml import UnsafeXML, parse_xml

PARSER = "jats/1"
MEDIA_TYPE = "application/jats+xml"

_SKIPPED = frozenset({
    "ref-list", "ack", "fn-group", "glossary", "notes", "bio", "author-notes", "permissions", "object-id",
    "graphic", "media", "inline-graphic", "alt-text", "long-desc", "annotation", "annotation-xml",
    "supplementary-material"
})  # fmt: skip
_PARAGRAPHS = frozenset({
    "p", "disp-formula", "disp-quote", "verse-line", "def", "attrib", "mixed-citation", "td-paragraph"
})  # fmt: skip
_WITH_FORMULA = frozenset({"alternatives", "inline-formula", "disp-formula"})
_OPEN_WITHIN = 200  # characters before a reference that may open a bracket around it
_OTHER_ABSTRACTS = frozenset({
    "graphical", "toc", "teaser", "summary", "executive-summary", "precis", "key-points", "video"
})  # fmt: skip
_TAKEN_BACK = ("retraction-forward", "withdrawal-forward", "removal-forward", "retraction")
_TAKES_BACK = ("retracted-article", "withdrawn-article", "removed-article", "retraction-of")
_NOTICES = frozenset({"retraction", "withdrawal", "partial-retraction", "removal"})
_HREF = "{http://www.w3.org/1999/xlink}href"
_STUDIES = frozenset({"research-article", "review-article", "case-report", "brief-report", "systematic-review"})
_YEAR_ORDER = ("ppub", "collection", "epub-ppub", "epub", "pub", "epreprint", "preprint")
_ID_NAMES = {"pmid": "pmid", "pmc": "pmcid", "pmcid": "pmcid", "doi": "doi"}


def read_jats(path: Path) -> ReadResult:
    """Read the articles of a JATS file. Raises SourceError: broken, empty, unsupported (another kind of XML)."""
    from lxml import etree

    try:
        root = parse_xml(path.read_bytes(), allow_doctype=True)
    except (etree.XMLSyntaxError, UnsafeXML, ValueError) as error:
        raise SourceError("broken", f"{path.name} is broken: it is not well-formed XML ({_reason(error)}).") from error
    for element in root.iter():
        if isinstance(element.tag, str) and "}" in element.tag:
            element.tag = element.tag.rpartition("}")[2]  # MathML and other namespaces are read by local name
    articles = [root] if root.tag == "article" else list(root.iter("article"))
    if not articles:
        raise SourceError("unsupported", f"{path.name} is XML, but holds no JATS article.")
    documents = [_document(path, article, number) for number, article in enumerate(articles, start=1)]
    if not any(document.text.content for document in documents):
        raise SourceError("empty", f"{path.name} is empty: its article has no abstract and no body.")
    return ReadResult(tuple(documents), (), MEDIA_TYPE)


def _reason(error: Exception) -> str:
    return str(error).split(",")[0].rstrip(".")


def _document(path: Path, article: Any, number: int) -> Document:
    meta = article.find("front/article-meta")
    meta = article.find("front-stub") if meta is None else meta
    abstract = list(_abstract_blocks(meta))
    blocks = [*abstract, *_body_blocks(article)]
    fields = _fields(article, meta) if meta is not None else {}
    title = fields.pop("title", "") or path.stem
    paper = Paper(
        id=document_id(path) + (f"-{number}" if number > 1 else ""),
        title=title,
        abstract=reference_marks_apart(" ".join(one_line(block.text) for block in abstract if block.level != 1)),
        provenance=dict.fromkeys(("title", "abstract", *fields), path.name),
        **fields,
    )
    return Document(_marked(paper, article, meta), with_reference_marks(build_text(blocks, PARSER)))


def _marked(paper: Paper, article: Any, meta: Any) -> Paper:
    """The paper with the marks of retraction that JATS has elements for.

    The work that was taken back points forward to its notice, the notice to the article that it retracts; the other
    work's DOI stands in the link.
    """
    if meta is None:
        return with_marks(paper)
    kinds: dict[str, list[Any]] = {kind: [] for kind in (*_TAKEN_BACK, *_TAKES_BACK)}
    for related in meta.iter("related-article", "related-object"):
        if (kind := related.get("related-article-type", related.get("link-type", ""))) in kinds:
            kinds[kind].append(related)
    by, of = (list(chain.from_iterable(kinds[kind] for kind in names)) for names in (_TAKEN_BACK, _TAKES_BACK))
    subjects = [one_line(_inline(subject)) for subject in meta.iterfind("article-categories//subject")]
    dated = any(date.get("date-type") in {"retracted", "withdrawn"} for date in meta.iter("pub-date", "date", "event"))
    notice = article.get("article-type") in _NOTICES or any(read_title(one).kind == "notice" for one in subjects)
    # A study under its own mark, or one that replaces a retracted article, is not the notice of it.
    notice = notice or bool(of and article.get("article-type") not in _STUDIES and not read_title(paper.title).mark)
    mark = next((one for one in subjects if is_banner(one)), "") or ("retracted" if by or dated else "")
    links = {name: ids for name, ids in (("retraction_of", _linked(of)), ("retracted_by", _linked(by))) if ids}
    return with_marks(paper, mark=mark, notice=notice and not by, opening=paper.abstract, links=links)


def _linked(related: list[Any]) -> tuple[str, ...]:
    """The ids of related articles, as "doi:10.1000/x"."""
    told = [(element, element.get(_HREF) or element.get("href") or "") for element in related]
    dois = (normal_doi(href) or normal_doi(one_line(_inline(element))) for element, href in told)
    return tuple(dict.fromkeys(f"doi:{doi}" for doi in dois if doi))


def _fields(article: Any, meta: Any) -> dict[str, Any]:
    ids: dict[str, str] = {}
    for element in meta.iter("article-id"):
        name, value = _ID_NAMES.get(element.get("pub-id-type", "")), one_line(element.text or "")
        if name and value:
            ids[name] = (
                clean_doi(value) if name == "doi" else "PMC" + value.removeprefix("PMC") if name == "pmcid" else value
            )
    labels: dict[str, LabelValue] = {}
    if keywords := tuple(one_line(_inline(kwd)) for kwd in meta.iter("kwd")):
        labels["keywords"] = keywords
    if kind := article.get("article-type"):
        labels["article_type"] = kind
    title = meta.find(".//article-title")
    return {
        "title": one_line(_inline(title)) if title is not None else "",
        "authors": tuple(_authors(meta)),
        "year": _year(meta),
        "venue": one_line(article.findtext("front/journal-meta//journal-title") or "") or None,
        "ids": ids,
        "url": f"https://doi.org/{ids['doi']}" if "doi" in ids else None,
        "labels": labels,
    }


def _authors(meta: Any) -> Iterator[str]:
    for contributor in meta.iter("contrib"):
        if contributor.get("contrib-type", "author") != "author":
            continue
        name = contributor.find(".//name")
        if name is not None:
            parts = (name.findtext("given-names"), name.findtext("surname"), name.findtext("suffix"))
            yield one_line(" ".join(part for part in parts if part))
        else:
            other = contributor.find(".//string-name")
            other = contributor.find(".//collab") if other is None else other
            if other is not None and (text := one_line(_inline(other))):
                yield text


def _year(meta: Any) -> int | None:
    years: dict[str, int] = {}
    for date in meta.iter("pub-date"):
        kind = date.get("pub-type") or date.get("date-type") or ""
        if year := year_of(date.findtext("year") or ""):
            years.setdefault(kind, year)
    return next((years[kind] for kind in _YEAR_ORDER if kind in years), next(iter(years.values()), None))


def _abstract_blocks(meta: Any) -> Iterator[Block]:
    for abstract in meta.iter("abstract") if meta is not None else ():
        if abstract.get("abstract-type") in _OTHER_ABSTRACTS:
            continue
        if abstract.find("title") is None:
            yield Block("Abstract", level=1)
        yield from _blocks(abstract, level=1)


def _body_blocks(article: Any) -> Iterator[Block]:
    body = article.find("body")
    if body is not None:
        yield from _blocks(body, level=0)
    for part in article.iterfind("back"):
        for section in (*part.iterfind("sec"), *part.iterfind("app-group"), *part.iterfind("app")):
            yield from _blocks(section, level=0 if section.tag == "app-group" else 1)
    floats = article.find("floats-group")
    if floats is not None:
        yield from _blocks(floats, level=0)


def _blocks(element: Any, level: int, *, series: Series = "") -> Iterator[Block]:
    """The blocks of an element at section depth `level`."""
    label = ""
    for child in element:
        if not isinstance(child.tag, str) or child.tag in _SKIPPED:
            continue
        if child.tag == "label" and element.tag in {"sec", "app", "fig", "table-wrap", "boxed-text", "fig-group"}:
            label = _inline(child).strip() + " "
        elif child.tag == "title":
            is_caption = element.tag == "caption"
            yield Block(label + _inline(child).strip(), 0 if is_caption else max(level, 1))
            label = ""
        elif child.tag == "caption":
            text = " ".join(
                _inline(part).strip() for part in child if isinstance(part.tag, str) and part.tag not in _SKIPPED
            )
            yield Block(label + text)
            label = ""
        elif child.tag in _PARAGRAPHS:
            yield from _paragraph(child, level, series=series)
        elif child.tag == "tr":
            yield Block("\t".join(_inline(cell).strip() for cell in child if isinstance(cell.tag, str)), series="row")
        elif child.tag in {"list-item", "def-item"}:
            yield from _blocks(child, level, series="item")
        else:
            if label:
                yield Block(label.strip())
                label = ""
            yield from _blocks(child, level + 1 if child.tag in {"sec", "app"} else level, series=series)


def _paragraph(element: Any, level: int, *, series: Series) -> Iterator[Block]:
    """A paragraph; figures, tables and lists inside it follow as blocks of their own."""
    inner = [
        child
        for child in element
        if isinstance(child.tag, str)
        and child.tag in {"fig", "fig-group", "table-wrap", "list", "boxed-text", "def-list"}
    ]
    yield Block(_inline(element, without=frozenset(map(id, inner))).strip(), series=series)
    for child in inner:
        yield from _blocks(child, level)


def _inline(element: Any, without: frozenset[int] = frozenset()) -> str:
    """The text of an element on one line, raised digits as superscripts."""
    return re.sub(r"[ \t\r\n]+", " ", "".join(_parts(element, without)))


def _parts(element: Any, without: frozenset[int]) -> Iterator[str]:
    yield element.text or ""
    cited = False  # whether the reference just before was one without brackets
    for child in element:
        cited = child.tag == "xref" and child.get("ref-type") == "bibr" and _is_bare(child, before_cited=cited)
        if not isinstance(child.tag, str):
            yield html.unescape(child.text) if child.text and child.text.startswith("&") else ""
        elif child.tag in _SKIPPED or id(child) in without:
            yield " "
        elif child.tag == "sup" or cited:
            yield raised_mark("".join(_parts(child, without)))
        elif child.tag == "label" and element.tag == "disp-formula":
            yield "".join(_parts(child, without)) + " "
        elif child.tag == "math":
            yield mathml_text(child)
        elif child.tag == "tex-math":
            yield tex_text("".join(child.itertext())) if _is_needed(child) else ""
        elif child.tag in {"break", "p", "title", "list-item"}:
            yield " "
            yield from _parts(child, without)
        else:
            yield from _parts(child, without)
        yield child.tail or ""


def _is_bare(xref: Any, *, before_cited: bool) -> bool:
    """Whether the number of a reference stands on a word without brackets, as journals that raise it leave it to their
    style sheet: women<xref>12</xref>. `before_cited`: the reference before it did."""
    before = xref.getprevious()
    text = (before.tail if before is not None else xref.getparent().text) or ""
    if before_cited and re.fullmatch(r"\s?[,;–-]\s?", text):
        return True
    end = text[-_OPEN_WITHIN:]
    is_open = max(end.rfind("("), end.rfind("[")) > max(end.rfind(")"), end.rfind("]"))
    return not is_open and bool(re.search(r"[^\W\d_]{2}\Z|[^\W_][.,;:]\Z", end))


def _is_needed(tex: Any) -> bool:
    """Whether the formula is given by this TeX alone: MathML beside it, or TeX before it, says it already."""
    around = tex
    while around.getparent() is not None and around.getparent().tag in _WITH_FORMULA:
        around = around.getparent()
    if any("".join(math.itertext()).strip() for math in around.iter("math")):
        return False
    beside = tex.getparent() if tex.getparent() is not None and tex.getparent().tag == "alternatives" else None
    return beside is None or next(beside.iter("tex-math")) is tex
