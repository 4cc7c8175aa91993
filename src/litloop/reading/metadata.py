"""What a document says of itself: title, authors, year, identifiers. A wrong value is worse than none."""

from __future__ import annotations

import datetime
import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from litloop.core.identifiers import normal_doi
from litloop.core.records import Heading, Paper, Text
from litloop.reading.retraction_marks import with_marks
from litloop.text.characters import one_line
from litloop.text.retractions import is_banner, read_title

FIRST_PAGE = 6000  # characters taken for the first page where a format has no pages
_YES = frozenset({"true", "yes", "1"})
_TITLE_WITHIN = 2000  # characters from the beginning; a heading further down is not the title
_ABSTRACT_LETTERS = 5000

_FILE_NAME = re.compile(
    r"\.(?:pdf|docx?|dvi|tex|txt|rtf|odt|ps|eps|html?|md|indd|qxd|pptx?|xlsx?|p65|fm)\b", re.IGNORECASE
)
_NO_TITLE = re.compile(
    r"(?:untitled|unnamed|no ?title|title|document\d*|microsoft (?:word|powerpoint)\b.*|layout \d+|slide \d+|"
    r"powerpoint presentation|binder\d*|print(?:ing)?|scan(?:ned)?\b.*|doc\d+|file|page \d+|none|null|arxiv:.*|"
    r"(?:doi|pii|isbn|issn)[\s:].*)",
    re.IGNORECASE,
)
_NO_TITLE_HEADING = re.compile(
    r"(?:(?:table of )?contents|abstract|summary|introduction|preface|foreword|index|references|bibliography|"
    r"acknowledge?ments?|keywords?|article|(?:original|research) (?:article|paper|research)|review(?: article)?|"
    r"case report|open access|editorial|letter|(?:chapter|part|section) (?:\d+|[ivx]+)\b.*|page \d+)[.:]?",
    re.IGNORECASE,
)
_MASTHEAD_WORDS, _TITLE_WORDS = 6, 3
# What stands under the name of a journal: volume, issue, ISSN, its address.
_ISSUE = re.compile(
    r"(?:vol(?:ume|\.)?\s*\d|issn\b|issue\s+\d|no\.?\s*\d|\d{1,4}\s*\(\d{1,4}\)|\(?(?:19|20)\d\d\)?\s*[;:,]|https?://|www\.|"
    r"an? (?:international|peer-reviewed|open access) |official (?:journal|organ) )",
    re.IGNORECASE,
)
_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"<>{}|\\^`\[\]]+")
_LONGEST_LABEL = 40  # characters before a DOI that may label it
_DOI_LABEL = re.compile(r"(?:doi\.org/|\bdoi\b[\s:]*)$", re.IGNORECASE)
_ARXIV = re.compile(r"\barXiv:\s?(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?\b")
_PMID = re.compile(r"\bPMID:?\s?(\d{5,8})\b")
_PMCID = re.compile(r"\bPMC\d{4,8}\b")
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?"
# Where a year is a year of publication, surest first, in lines whose white space is folded.
_YEAR_PLACES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?:©|\(c\)|copyright) ?(?:by )?(?:[\w.,&'’ -]{0,60}?\b)?((?:19|20)\d\d)\b",
        rf"\b(?:published|available)(?: online)? ?:? ?(?:on )?(?:\d{{1,2}}\.? )?(?:{_MONTH} )?(?:\d{{1,2}},? )?"
        r"((?:19|20)\d\d)\b",
        rf"\barxiv:\S{{1,60}} ?\[[^\]]{{0,60}}\] ?\d{{1,2}} {_MONTH} ((?:19|20)\d\d)\b",
        r"\(((?:19|20)\d\d)\) ?\d{1,4} ?[:,(]",
        r"\b((?:19|20)\d\d) ?; ?\d{1,4} ?(?:\(|:)",
        r"\bvol(?:ume|\.)? ?\d{1,4}[^\n]{0,40}?\b((?:19|20)\d\d)\b",
        rf"\baccepted ?:? ?(?:\d{{1,2}}\.? )?{_MONTH} (?:\d{{1,2}},? )?((?:19|20)\d\d)\b",
        rf"^(?:{_MONTH} (?:\d{{1,2}},? )?|\d{{1,2}}\.? {_MONTH} )((?:19|20)\d\d)$",
    )
)
_ABSTRACT = re.compile(r"(?:^|\n)[ \t]*(?:abstract|summary)[ \t]*(?:[.:—–-]+[ \t]*|\n+)(?=\S)", re.IGNORECASE)


def document_id(path: Path) -> str:
    """Readable and unique: a slug of the file's name and six hex digits of the hash of its resolved path."""
    slug = re.sub(r"[^\w]+", "-", path.stem.casefold(), flags=re.UNICODE).strip("-_")[:60] or "document"
    digest = hashlib.sha256(str(path.resolve()).encode("utf-8", "surrogatepass")).hexdigest()
    return f"{slug}-{digest[:6]}"


def described_document(
    path: Path, text: Text, given: Mapping[str, str] | None = None, *, first_page: str | None = None, banner: str = ""
) -> Paper:
    """The paper record of a document.

    `given` is what the file's own metadata says (title, author, doi, year, journal, retracted); it is believed only
    where it looks like what it should be. Year and identifiers are otherwise looked for on the first page. `banner`
    is a mark of retraction that stands across the pages and is no part of the text.
    """
    given = given or {}
    page = text.content[:FIRST_PAGE] if first_page is None else first_page
    title = sensible_title(given.get("title", "")) or _first_heading(text) or path.stem
    fields: dict[str, object] = {
        "authors": authors_of(given.get("author", "")),
        "year": year_of(given.get("year", "")) or published_year(page),
        "abstract": abstract_of(text),
        "venue": one_line(given.get("journal", "")) or None,
    }
    ids = identifiers("\n".join([given.get("doi", ""), given.get("subject", ""), page]))
    provenance = {name: path.name for name, value in {"title": title, "ids": ids, **fields}.items() if value}
    paper = Paper(id=document_id(path), title=title, ids=ids, provenance=provenance, **fields)  # type: ignore[arg-type]
    mark = banner or _mark_on(page, text, title) or ("retracted" if given.get("retracted", "").lower() in _YES else "")
    return with_marks(paper, mark=mark, opening=page)


def _mark_on(page: str, text: Text, title: str) -> str:
    """A mark of retraction on the first page: as a line of its own, or at the title where that came from elsewhere."""
    for line in page.splitlines():
        if is_banner(line):
            return line.strip()
    for heading in text.headings:
        if heading.start > _TITLE_WITHIN:
            break
        said = read_title(heading.title)
        if said.kind == "retracted" and said.title.casefold() == title.casefold():
            return said.mark
    return ""


def sensible_title(candidate: str) -> str:
    """The candidate on one line, or nothing where it is a file name, a program's placeholder or noise."""
    title = one_line(candidate).strip(" .;,")
    letters = sum(char.isalpha() for char in title)
    if letters < 3 or letters * 2 < len(title) or len(title) > 400:
        return ""
    return "" if _FILE_NAME.search(title) or _NO_TITLE.fullmatch(title) or is_banner(title) else title


def authors_of(candidate: str) -> tuple[str, ...]:
    """Names of a metadata field. A single word is the name of an account, not of an author."""
    parts = re.split(r" ?; ?| and | & ", one_line(candidate))
    if len(parts) == 1 and parts[0].count(",") > 1:
        parts = [part.strip() for part in parts[0].split(",")]
    return tuple(part for part in parts if len(part.split()) > 1 and not _FILE_NAME.search(part) and "@" not in part)


def year_of(candidate: str) -> int | None:
    """The first plausible year in a field that is known to hold one."""
    for match in re.finditer(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)", candidate):
        if int(match.group(1)) <= datetime.date.today().year + 1:
            return int(match.group(1))
    return None


def published_year(page: str) -> int | None:
    """The year of publication as a first page states it, or None: never just any number that looks like a year."""
    lines = [" ".join(line.split()) for line in page.splitlines()]
    for place in _YEAR_PLACES:
        for line in lines:
            match = place.search(line)
            if match and (year := year_of(match.group(1))):
                return year
    return None


def identifiers(page: str) -> dict[str, str]:
    """DOI, arXiv id, PMID and PMCID of the work itself. Several DOIs without a label are references: none is taken."""
    ids: dict[str, str] = {}
    found = []
    for doi in _DOI.finditer(page):
        before = page[max(0, doi.start() - _LONGEST_LABEL) : doi.start()]
        found.append((clean_doi(doi.group()), bool(_DOI_LABEL.search(before))))
    labelled = [name for name, has_label in found if has_label]
    if labelled:
        ids["doi"] = labelled[0]
    elif len({name for name, _ in found}) == 1:
        ids["doi"] = found[0][0]
    for name, pattern in (("arxiv", _ARXIV), ("pmid", _PMID), ("pmcid", _PMCID)):
        if match := pattern.search(page):
            ids[name] = match.group(match.lastindex or 0)
    return ids


def clean_doi(doi: str) -> str:
    """A DOI in its normal form; what is none comes back trimmed and in lower case."""
    return normal_doi(doi) or doi.strip().lower()


def abstract_of(text: Text) -> str:
    """The section headed or led by the word Abstract, at most 5,000 characters; empty when there is none."""
    match = _ABSTRACT.search(text.content, 0, FIRST_PAGE)
    if match is None:
        return ""
    end = _section_end(text, match.end())
    rest = text.content[match.end() : end]
    if not any(heading.start < match.end() <= heading.end + 2 for heading in text.headings):
        rest = rest.split("\n\n", 1)[0]  # a lead-in word without a heading: one paragraph
    return " ".join(rest.split())


def _section_end(text: Text, start: int) -> int:
    following = [heading.start for heading in text.headings if heading.start >= start]
    return min([*following[:1], start + _ABSTRACT_LETTERS, len(text.content)])


def _first_heading(text: Text) -> str:
    """The first of the first page's largest headings, if it can be a title."""
    early = [
        h for h in text.headings if (text.page_at(h.start) or 1) == 1 and h.start < _TITLE_WITHIN and not _is_generic(h)
    ]
    early = [h for h in early if not _is_masthead(text, h, early)]
    if not early:
        return ""
    return sensible_title(min(early, key=lambda heading: (heading.level, heading.start)).title)


def _is_masthead(text: Text, heading: Heading, others: Sequence[Heading]) -> bool:
    """Whether a heading is the name of the journal: short, with the kind of article or the issue right under it, and
    a longer heading after it that can be the title."""
    if len(heading.title.split()) > _MASTHEAD_WORDS:
        return False
    under = next((line for line in text.content[heading.end : heading.end + 300].splitlines() if line.strip()), "")
    if not (_NO_TITLE_HEADING.fullmatch(under.strip()) or _ISSUE.match(under.strip())):
        return False
    return any(h.start > heading.start and len(h.title.split()) >= _TITLE_WORDS for h in others)


def _is_generic(heading: Heading) -> bool:
    return bool(_NO_TITLE_HEADING.fullmatch(heading.title.strip())) or is_banner(heading.title)


def plain_names(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for raw in names if (name := one_line(raw)))
