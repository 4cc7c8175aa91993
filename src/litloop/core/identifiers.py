"""The names that works go by: DOI, arXiv, PMID, PMCID, OpenAlex, Semantic Scholar, each in its one normal form.

Every function takes what a file or a database gives (a bare id, an address, a label, percent-encoding, the
punctuation of the sentence around it) and returns the normal form, or None where it holds no such id. An id
that is wrong joins two works or loses one, so what only resembles an id is none.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Mapping
from urllib.parse import unquote

KINDS = ("doi", "arxiv", "pmid", "pmcid", "openalex", "s2")

_LONGEST = 2000  # characters; what is longer is no id, and patterns need not look at all of it
_INVISIBLE = dict.fromkeys([*range(0x200B, 0x2010), 0x2060, 0xFEFF, 0x00AD], None)
_HYPHENS = dict.fromkeys(range(0x2010, 0x2015), "-")
# A DOI begins where nothing stands before it, or something that is not part of a longer number or path segment.
_DOI = re.compile(r"(?<![\w.])10\.\d{1,9}(?:\.\d+)*/\S+")
_DOI_IN_ADDRESS = re.compile(r"(?<![\w.])10\.\d{4,9}(?:\.\d+)*/\S+")
_DOI_START = re.compile(r"10\.\d{4}")
_QUERY = re.compile(r"[?#]")
_RESOLVER = re.compile(r"^(?:https?:)?//(?:[\w-]+\.)*doi\.org[\w.-]*/", re.IGNORECASE)
_ADDRESS = re.compile(r"^(?:https?:)?//", re.IGNORECASE)
# What publishers append to the DOI in the address of a page.
_PAGE = re.compile(r"(?:/(?:full(?:\.\w+)?|fulltext|abstract|pdf|epdf|html|meta|summary|references)|\.full|\.pdf)$")
_LONGEST_PAGE = 40  # characters
_ARXIV_DOI = "10.48550/arxiv."
_BIORXIV_DOI = re.compile(r"(10\.(?:1101|64898)/[\d.]+)v\d+(?:\.\w+)*$")
_NEW_ARXIV = r"\d{2}(?:0[1-9]|1[0-2])\.\d{4,5}"
_OLD_ARXIV = r"[a-z][a-z-]+(?:\.[a-z]{2})?/\d{2}(?:0[1-9]|1[0-2])\d{3}"
_ARXIV = re.compile(
    rf"(?:(?:^|[:\s/])(?:arxiv[:.\s/]\s*)|/(?:abs|pdf|html|format|e-print|src|ps)/|^)"
    rf"({_NEW_ARXIV}|{_OLD_ARXIV})(?:v\d+)?(?:\.pdf|\.html)?(?:\s*\[[\w.\-]+\])?/?$",
    re.IGNORECASE,
)
_PMID = re.compile(r"(?:^|/pubmed/|pubmed\.ncbi\.nlm\.nih\.gov/|(?:pmid|pubmed|med)[:\s]\s*)0*([1-9]\d{0,7})/?$", re.I)
_PMCID = re.compile(
    r"(?:^|/articles/|[:\s/](?![:\s]))(?:pmc|pmcid:?\s*+(?:pmc)?)?[:\s]*+(?<!\d)0*([1-9]\d{0,8})(?:\.\d+)?/?$", re.I
)
_OPENALEX = re.compile(r"(?:^|/|:)w(\d{2,12})/?$", re.IGNORECASE)
_S2 = re.compile(r"(?:^|/|:)([0-9a-f]{40})/?$", re.IGNORECASE)
_S2_CORPUS = re.compile(r"^(?:corpus\s?id[:\s]\s*)?(\d{1,12})$", re.IGNORECASE)


def normal_doi(given: object) -> str | None:
    """A DOI in lower case without resolver, label, encoding or the punctuation around it.

    An arXiv or bioRxiv DOI loses the version that people append to it: the DOI itself has none.
    """
    text = _text(given)
    if "10." not in text and "10%2e" not in text.lower():
        return None
    elsewhere = bool(_ADDRESS.match(text)) and not _RESOLVER.match(text)  # an address of a publisher or an index
    if _ADDRESS.match(text):  # a ? or # inside a DOI is percent-encoded there, so a bare one ends it
        last = max((match.start() for match in _DOI_START.finditer(text)), default=0)
        ends = _QUERY.search(text, last)
        text = text[: ends.start()] if ends else text
    text = html.unescape(text)
    for _ in range(2):  # some exports encode twice
        if re.search(r"%[0-9a-f]{2}", text, re.IGNORECASE):
            text = unquote(text)
    match = (_DOI_IN_ADDRESS if elsewhere else _DOI).search(text)
    if match is None:
        return None
    doi = _without_punctuation(match.group().lower())
    if elsewhere:
        doi = _without_page(doi)
    if doi.startswith(_ARXIV_DOI):
        doi = re.sub(r"v\d+$", "", doi)
    doi = _BIORXIV_DOI.sub(r"\1", doi)
    return doi if "/" in doi else None


def normal_arxiv(given: object) -> str | None:
    """An arXiv id without version or subject class: "2312.07559", "quant-ph/0201082", "math/0309136"."""
    text = unquote(_text(given)).strip(" .,;<>()")
    doi = normal_doi(text) if "10.48550" in text else None
    if doi is not None:
        text = doi.removeprefix(_ARXIV_DOI)
    text = re.sub(r"^oai:arxiv\.org:", "", text, flags=re.IGNORECASE)
    text = re.split(r"[?#]", text, maxsplit=1)[0]
    match = _ARXIV.search(text)
    if match is None:
        return None
    archive, slash, number = match.group(1).lower().rpartition("/")
    return f"{archive.split('.')[0]}{slash}{number}"


def arxiv_doi(arxiv: str) -> str:
    """The DOI that arXiv registers for a normal arXiv id."""
    return _ARXIV_DOI + arxiv


def normal_pmid(given: object) -> str | None:
    """A PubMed id as digits without leading zeros."""
    match = _PMID.search(_text(given).rstrip(" .,;"))
    return match.group(1) if match else None


def normal_pmcid(given: object) -> str | None:
    """A PubMed Central id as "PMC" and digits, without the version that its file names carry."""
    text = _text(given).rstrip(" .,;")
    match = _PMCID.search(text)
    return f"PMC{match.group(1)}" if match else None


def normal_openalex(given: object) -> str | None:
    """An OpenAlex work id: "W" and digits. Ids of authors, sources and the rest are none."""
    match = _OPENALEX.search(_text(given))
    return f"W{match.group(1)}" if match else None


def normal_s2(given: object) -> str | None:
    """A Semantic Scholar id: the hash of 40 hexadecimal digits, or "corpusid:" and digits."""
    text = _text(given)
    if match := _S2.search(text):
        return match.group(1).lower()
    match = _S2_CORPUS.match(text)
    return f"corpusid:{int(match.group(1))}" if match else None


_NORMAL = {
    "doi": normal_doi, "arxiv": normal_arxiv, "pmid": normal_pmid, "pmcid": normal_pmcid,
    "openalex": normal_openalex, "s2": normal_s2,
}  # fmt: skip


def normal_ids(ids: Mapping[str, object]) -> dict[str, str]:
    """The ids of known kinds that are well formed, in the order of KINDS. An arXiv DOI also gives the arXiv id."""
    normal = {kind: value for kind in KINDS if kind in ids and (value := _NORMAL[kind](ids[kind]))}
    if "arxiv" not in normal and normal.get("doi", "").startswith(_ARXIV_DOI):
        found = normal_arxiv(normal["doi"])
        if found:
            normal["arxiv"] = found
    return {kind: normal[kind] for kind in KINDS if kind in normal}


def _text(given: object) -> str:
    if given is None or isinstance(given, bool) or not isinstance(given, str | int):
        return ""
    text = str(given)[:_LONGEST]
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_INVISIBLE).translate(_HYPHENS)
    return text.strip().strip("<>\"'")


def _without_page(doi: str) -> str:
    while page := _PAGE.search(doi, max(0, len(doi) - _LONGEST_PAGE)):
        doi = doi[: page.start()]
    return doi


def _without_punctuation(doi: str) -> str:
    """Without the end of the sentence or bracket that it stood in. Balanced brackets are part of old DOIs."""
    pairs = {")": "(", "]": "[", ">": "<", "}": "{"}
    while doi:
        last = doi[-1]
        unbalanced = last in pairs and doi.count(pairs[last]) < doi.count(last)
        if not (last in ".,;:'\"’”*/&" or unbalanced):
            break
        doi = doi[:-1]
    return doi
