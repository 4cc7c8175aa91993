"""The works in the recorded bodies of the databases, read by the adapters themselves, each under a name.

A name is the file and the id that the database itself gives: "openalex/….json W123". Bodies that are no answer of
works (errors, counts, other objects) give none.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from litloop.net.faults import UnreadableBody
from litloop.papers.works import Work
from litloop.scholarly import arxiv, crossref, europepmc, openalex, pubmed, semantic_scholar, unpaywall
from litloop.scholarly.provider import Page

OWN_ID = {"openalex": "openalex", "semantic_scholar": "s2", "arxiv": "arxiv"}
READERS: dict[str, Callable[[bytes], Page]] = {
    "arxiv": arxiv.page_of,
    "crossref": crossref.page_of,
    "europepmc": europepmc.page_of,
    "openalex": openalex.page_of,
    "pubmed": pubmed.page_of,
    "semantic_scholar": semantic_scholar.page_of,
    "unpaywall": unpaywall.page_of,
}


def recorded_works(test_data: Path) -> dict[str, Work]:
    works: dict[str, Work] = {}
    for database, read in READERS.items():
        for path in sorted((test_data / "api_responses" / database).iterdir()):
            try:
                page = read(path.read_bytes())
            except (UnreadableBody, ValueError):
                continue
            for work in page.works:
                if work.title and (name := _own_id(database, work)):
                    works.setdefault(f"{database}/{path.name} {name}", work)
    return works


def _own_id(database: str, work: Work) -> str | None:
    kinds = [OWN_ID.get(database, ""), "pmid", "doi", "pmcid"] if database != "crossref" else ["doi"]
    return next((work.ids[kind] for kind in kinds if kind in work.ids), None)
