"""What each database of the world holds of a corpus, and how far its record of a work is complete.

Everything a paper lacks is made from a hash of its id, so the same corpus is the same world on every machine. The gaps
are those of the real databases: OpenAlex and Semantic Scholar know nearly everything but not every abstract, Crossref
what has a DOI, PubMed what has a PMID, arXiv the preprints of a few.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from litloop.core.identifiers import normal_ids
from litloop.core.records import Paper

_SHARE_KNOWN = {"openalex": 0.95, "semantic_scholar": 0.9, "crossref": 0.95, "pubmed": 0.97, "europepmc": 0.97}
_SHARE_WITH_ABSTRACT = {"openalex": 0.85, "semantic_scholar": 0.8, "crossref": 0.5, "pubmed": 1.0, "europepmc": 1.0,
                        "arxiv": 1.0}  # fmt: skip
_SHARE_PREPRINT = 0.08
_SHARE_OPEN = 0.4
_MOST_REFERENCES = 12
_DAWN = 1970


@dataclass(frozen=True, slots=True)
class FakeRecord:
    """A work of the world with everything that its databases say of it. Years without one in the corpus are made up."""

    number: int  # its place in the corpus, by which references point
    title: str
    abstract: str
    authors: tuple[tuple[str, str], ...]  # (given, family)
    year: int
    venue: str
    ids: Mapping[str, str]
    citations: int
    references: tuple[int, ...]
    review: bool
    retracted: bool
    open: bool
    known_to: frozenset[str]
    abstract_in: frozenset[str]

    def abstract_for(self, database: str) -> str:
        return self.abstract if database in self.abstract_in else ""


def fake_records(papers: Sequence[Paper]) -> list[FakeRecord]:
    """One holding for each paper, in order."""
    return [_holding(number, paper, len(papers)) for number, paper in enumerate(papers)]


def _holding(number: int, paper: Paper, count: int) -> FakeRecord:
    seed = f"{paper.id}\0{paper.title}"
    year = paper.year or _DAWN + int(_dice(seed, "year") * 50)
    ids = _ids(paper, seed, year)
    known = {name for name, share in _SHARE_KNOWN.items() if _dice(seed, name) < share}
    known -= {"crossref"} if "doi" not in ids else set()
    known -= {"pubmed", "europepmc"} if "pmid" not in ids else set()
    known |= {"arxiv"} if "arxiv" in ids else set()
    if not known:
        known = {"openalex"}
    return FakeRecord(
        number=number,
        title=paper.title,
        abstract=paper.abstract,
        authors=tuple(_name(author) for author in paper.authors),
        year=year,
        venue=paper.venue or "Journal of the Local World",
        ids=ids,
        citations=int(200 * _dice(seed, "citations") ** 4),
        references=_references(seed, number, count),
        review="review" in paper.title.lower(),
        retracted=paper.retracted,
        open="pmcid" in ids,
        known_to=frozenset(known),
        abstract_in=frozenset(n for n, share in _SHARE_WITH_ABSTRACT.items() if _dice(seed, f"abstract {n}") < share),
    )


def _ids(paper: Paper, seed: str, year: int) -> dict[str, str]:
    ids = normal_ids({"pmid": paper.id if paper.id.isdecimal() else None, **paper.ids})
    digest = hashlib.sha1(seed.encode(), usedforsecurity=False).hexdigest()
    if "doi" not in ids and ("pmid" not in ids or _dice(seed, "doi") < 0.7):
        ids["doi"] = f"10.5555/{digest[:10]}"
    ids["openalex"] = f"W{2_000_000_000 + int(digest[:8], 16) % 2_000_000_000}"
    ids["s2"] = digest
    if "pmid" in ids and _dice(seed, "open") < _SHARE_OPEN:
        ids.setdefault("pmcid", f"PMC{1_000_000 + int(digest[8:14], 16) % 9_000_000}")
    if _dice(seed, "preprint") < _SHARE_PREPRINT:
        ids.setdefault(
            "arxiv", f"{max(year - 1, 2007) % 100:02d}{1 + int(digest[14], 16) % 12:02d}.{int(digest[15:19], 16):05d}"
        )
    return ids


def _references(seed: str, number: int, count: int) -> tuple[int, ...]:
    """Works before and after it in the corpus that it cites, made up but fixed."""
    wanted = int(_dice(seed, "references") * _MOST_REFERENCES)
    cited = {int(_dice(seed, f"reference {i}") * count) for i in range(wanted)} - {number}
    return tuple(sorted(cited))


def _name(author: str) -> tuple[str, str]:
    """(given, family) of "Given Family", "Family, Given" or MEDLINE's "Family GF"."""
    if "," in author:
        family, _, given = author.partition(",")
        return given.strip(), family.strip()
    first, _, last = author.rpartition(" ")
    return (last, first) if first and last.isupper() and len(last) <= 4 else (first, last)


def _dice(seed: str, what: str) -> float:
    """A number in 0-1 that depends on nothing but its arguments."""
    digest = hashlib.sha256(f"{what}\0{seed}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64
