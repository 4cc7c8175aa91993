"""What every format asks of a paper: names in two parts, its type, its address, and text on one line."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote

from litloop.core.identifiers import normal_ids
from litloop.core.records import Paper

WorkType = Literal[
    "article", "conference", "chapter", "book", "thesis", "preprint", "report", "dataset", "web", "other"
]

_GROUP = re.compile(
    r"\b(?:collaborat\w+|consorti\w+|group|groups|organi[sz]ation|association|society|committee|network|institute|"
    r"university|team|investigators|ministry|department|agency|council|cent(?:er|re)|foundation|commission|"
    r"initiative|programme|program|registry|project|study|trial(?:ists)?)\b",
    re.IGNORECASE,
)
_PARTICLES = frozenset({"van", "von", "vom", "der", "den", "de", "del", "della", "di", "da", "dos", "du", "la", "le",
                        "ten", "ter", "zu", "zur", "al", "el", "bin", "ibn", "'t"})  # fmt: skip
_SUFFIX = re.compile(r"^(?:jr|sr|ii|iii|iv)\.?$", re.IGNORECASE)
_INITIALS = re.compile(r"^[A-Z]{1,3}$")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")

# What imports, databases and providers call the types of works.
_TYPES: dict[str, WorkType] = {
    "article": "article", "article-journal": "article", "journal-article": "article", "journalarticle": "article",
    "journal article": "article", "jour": "article", "ejour": "article", "review": "article", "editorial": "article",
    "article-magazine": "article", "article-newspaper": "article", "erratum": "article",
    "inproceedings": "conference", "conference": "conference", "paper-conference": "conference", "cpaper": "conference",
    "conferencepaper": "conference", "proceedings-article": "conference", "conf": "conference",
    "incollection": "chapter", "inbook": "chapter", "chapter": "chapter", "chap": "chapter", "booksection": "chapter",
    "book": "book", "booklet": "book", "proceedings": "book", "collection": "book", "ebook": "book", "manual": "book",
    "phdthesis": "thesis", "mastersthesis": "thesis", "thesis": "thesis", "thes": "thesis",
    "techreport": "report", "report": "report", "rprt": "report",
    "preprint": "preprint", "posted-content": "preprint", "unpublished": "preprint", "unpb": "preprint",
    "dataset": "dataset", "data": "dataset",
    "online": "web", "webpage": "web", "elec": "web", "post-weblog": "web",
    "misc": "other", "gen": "other", "other": "other",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Name:
    """A person in two parts, or a group (or a name that has only one) as `literal`."""

    family: str = ""
    given: str = ""
    suffix: str = ""
    literal: str = ""


def name_of(author: str) -> Name:
    """ "Bart De Strooper", "De Strooper B" and "De Strooper, Bart" as a person; groups and names in Chinese,
    Japanese or Korean characters stay whole."""
    text = clean_line(author)
    if "," in text:
        parts = [part.strip() for part in text.split(",")]
        return Name(parts[0], parts[1], parts[2] if len(parts) > 2 else "") if parts[0] else Name(literal=text)
    words = text.split()
    if len(words) < 2 or _GROUP.search(text) or _UNSPACED.search(text):
        return Name(literal=text)
    suffix = words.pop() if _SUFFIX.match(words[-1]) and len(words) > 2 else ""
    if _INITIALS.match(words[-1]) and not _INITIALS.match(words[0]) and not words[0].endswith("."):
        return Name(" ".join(words[:-1]), words[-1], suffix)
    at = len(words) - 1
    while at > 1 and words[at - 1].lower() in _PARTICLES:
        at -= 1
    return Name(" ".join(words[at:]), " ".join(words[:at]), suffix)


def type_of(paper: Paper) -> WorkType:
    """The type by what the paper's labels say, else by its ids."""
    for label in ("type", "kind", "article_type"):
        told = paper.labels.get(label)
        for one in (told if isinstance(told, tuple) else str(told).split(";")) if told else ():
            if (found := _TYPES.get(one.strip().lower())) and found != "other":
                return found
    ids = ids_of(paper)
    if "arxiv" in ids and (not paper.venue or "arxiv" in paper.venue.lower()):
        return "preprint"
    return "article" if paper.venue or "pmid" in ids else "other"


def ids_of(paper: Paper) -> dict[str, str]:
    return normal_ids(paper.ids)


def url_of(paper: Paper) -> str:
    """An http address, the DOI's where the paper has none of its own; "" where there is neither."""
    ids = ids_of(paper)
    return safe_url(paper.url or "") or (doi_url(ids["doi"]) if "doi" in ids else "")


def doi_url(doi: str) -> str:
    """The resolver's address of a DOI, with everything encoded that a format could take for markup."""
    return "https://doi.org/" + quote(doi, safe="/:;.,-_")


def safe_url(url: str) -> str:
    """The address with everything percent-encoded that a format could take for markup; "" for any other scheme."""
    url = url.strip()
    if not url.lower().startswith(("http://", "https://")):
        return ""
    return quote(url, safe="/:?#@!$&'*+,;=%~-._()").replace("(", "%28").replace(")", "%29").replace("'", "%27")


def keywords_of(paper: Paper) -> list[str]:
    told = paper.labels.get("keywords", ())
    return [clean_line(word) for word in (told if isinstance(told, tuple) else (str(told),)) if clean_line(word)]


def clean_line(text: str) -> str:
    """Text without line ends, control characters, unpaired surrogates and marks that turn its direction."""
    kept = (
        " " if unicodedata.category(c) in ("Cc", "Zl", "Zp") else c for c in text if unicodedata.category(c) != "Cs"
    )
    return " ".join(
        "".join(c for c in kept if c not in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069").split()
    )
