"""What identity rests on, of one record: its ids, its title as a name, its stage, year and authors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from litloop.core.identifiers import KINDS, arxiv_doi, normal_ids
from litloop.papers.titles import TitleName, title_name
from litloop.papers.works import Work

Stage = Literal["preprint", "published", "unknown"]

_PREPRINT_DOI = re.compile(
    r"^10\.(?:48550/arxiv|1101/(?:\d{6}$|\d{4}\.\d\d\.\d\d)|64898/|2139/ssrn|21203/rs|20944/preprints|26434/chemrxiv|"
    r"31234/osf|31219/osf|35542/osf|31235/osf|31222/osf|36227/techrxiv|22541/au|31223/|7287/peerj\.preprints|5281/zenodo|6084/m9\.figshare|17605/osf|13140/rg)"
)
_PREPRINT_VENUE = re.compile(
    r"\b(?:arxiv|biorxiv|medrxiv|chemrxiv|psyarxiv|socarxiv|techrxiv|engrxiv|edarxiv|eartharxiv|ssrn|research square|"
    r"preprints(?:\.org)?|peerj preprints|authorea|osf preprints|(?-i:CoRR))\b",
    re.IGNORECASE,
)
# Versions that a server registers one DOI each for: the same work, a later draft.
_DRAFT = re.compile(r"(?<=\d)(?:[./]v\d+)$")
# Journals that give each version of an article a DOI: F1000 and its sisters, eLife, Wellcome Open Research.
_VERSIONED = re.compile(r"^(10\.12688/[a-z0-9]+\.\d+|10\.7554/elife\.\d+|10\.3310/\w+|10\.5334/\w+\.\d+)\.(\d{1,2})$")
# What is said about an article under a DOI made of its own: peer reviews, answers to them, decision letters.
_ABOUT = re.compile(
    r"^(?P<base>10\.\d{4,9}/\S+?)(?:[./-](?:sa|r|rc|ac|ec|cc|ar|review|reply|report|decision)\d{1,3}(?:[./]\d+)?)$"
)
OWN_ID = "library"  # the kind of id under which a library's own paper is known to itself
_NO_ID = frozenset({"", "none", "null", "nan", "n/a", "na", "unknown", "-", "0"})
# Kinds that are never the same work as one of another kind, whatever title they share.
_APART: Mapping[str, str] = {"erratum": "notice", "dataset": "dataset", "thesis": "thesis", "book": "book"}


@dataclass(frozen=True, slots=True)
class RecordFacts:
    """What identity rests on, of one record."""

    name: TitleName
    told: Mapping[str, str]  # ids in normal form, those that have none as they were told
    ids: frozenset[tuple[str, str]]  # (kind, value); "doi" for published versions, "preprint" for drafts
    stage: Stage
    form: str  # notice, dataset, thesis, book, article; any where the database does not say
    year: int | None
    authors: tuple[str, ...]
    venue: str  # folded, "" where unknown
    title: str

    def of(self, kind: str) -> set[str]:
        return {value for name, value in self.ids if name == kind}


def facts_of(work: Work) -> RecordFacts:
    told = _told_ids(work)
    ids = _strong_ids(told)
    if own := work.ids.get(OWN_ID):
        ids.add((OWN_ID, own))
    name = title_name(work.title)
    stage = _stage(work, ids)
    return RecordFacts(
        name=name,
        told=told,
        ids=frozenset(ids),
        stage=stage,
        form=_form(work, name, ids),
        year=work.year,
        authors=work.authors,
        venue=title_name(work.venue or "").key,
        title=work.title,
    )


def _form(work: Work, name: TitleName, ids: set[tuple[str, str]]) -> str:
    if name.notice or any(kind == "doi" and reviewed_doi(value) for kind, value in ids):
        return "notice"
    return _APART.get(work.kind, "any" if work.kind == "other" else "article")


def is_preprint_venue(venue: str) -> bool:
    return bool(_PREPRINT_VENUE.search(venue))


def doi_key(doi: str) -> tuple[str, str]:
    """The DOI as identity knows it: ("preprint", …) without the draft's number, or ("doi", …)."""
    if _PREPRINT_DOI.match(doi):
        return ("preprint", _DRAFT.sub("", doi))
    versioned = _VERSIONED.match(doi)
    return ("doi", versioned.group(1) if versioned else doi)


def reviewed_doi(doi: str) -> str | None:
    """The DOI of the article that a peer review, an answer or a decision letter is about; None for anything else."""
    match = _ABOUT.match(doi)
    return match.group("base") if match else None


def _told_ids(work: Work) -> dict[str, str]:
    normal = normal_ids(work.ids)
    if len(normal) >= len(work.ids):
        return normal
    others = {kind: " ".join(str(given).split()).lower() for kind, given in work.ids.items() if kind in KINDS}
    return {kind: value for kind, value in {**others, **normal}.items() if value not in _NO_ID}


def _strong_ids(told: Mapping[str, str]) -> set[tuple[str, str]]:
    ids: set[tuple[str, str]] = set()
    for kind, value in told.items():
        if kind == "arxiv":
            ids.add(("preprint", arxiv_doi(value)))
        elif kind == "doi":
            ids.add(doi_key(value))
        elif kind == "s2" and value.startswith("corpusid:"):
            ids.add(("s2 corpus", value))
        else:
            ids.add((kind, value))
    return ids


def _stage(work: Work, ids: set[tuple[str, str]]) -> Stage:
    kinds = {kind for kind, _ in ids}
    in_archive = is_preprint_venue(work.venue or "")
    if "doi" in kinds:
        return "preprint" if work.kind == "preprint" and "preprint" not in kinds else "published"
    if work.kind == "preprint" or in_archive:
        return "preprint"
    if "preprint" in kinds:
        return "published" if work.venue else "preprint"
    return "published" if work.venue or kinds & {"pmid", "pmcid"} else "unknown"
