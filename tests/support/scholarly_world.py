"""What tests of the outside sources share: a small literature, and a way out that waits on a stepped clock."""

from __future__ import annotations

import gzip
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx

from litloop.core.clock import Clock
from litloop.core.records import Paper
from litloop.core.settings import ScholarlySettings, load_settings
from litloop.net.rate_limits import SharedLimits
from litloop.net.response_cache import ResponseCache
from litloop.net.transport import Transport
from litloop.scholarly.protocol import Provider
from litloop.scholarly.registry import make_providers, searched_providers
from litloop.testing.stepped_clock import SteppedClock

SIX = ("openalex", "semantic_scholar", "arxiv", "pubmed", "crossref", "europepmc")


def small_literature() -> list[Paper]:
    """Ten papers on two subjects, with an accent, a formula, a retraction and a paper without any id."""
    about = [
        (
            "Myelin repair by oligodendrocyte precursor cells",
            "Precursor cells remyelinate axons after injury.",
            {"arxiv": "2101.00001"},
        ),
        ("Oligodendrocytes in Alzheimer's disease: a review", "Myelin breaks down early in Alzheimer's disease.", {}),
        ("Déjà vu and temporal lobe epilepsy", "Ictal déjà vu (p < 0.05) points to the temporal lobe.", {}),
        ("β-amyloid impairs myelin", "β-amyloid oligomers impair myelin sheath formation & repair.", {}),
        ("RETRACTED: Myelin grows overnight", "This finding on myelin could not be repeated.", {}),
        ("Sumatriptan for acute migraine", "Sumatriptan relieves migraine at once.", {"arxiv": "q-bio/0501001"}),
        ("Rizatriptan and sumatriptan compared in migraine", "A randomised trial of two triptans in migraine.", {}),
        ("Migraine prophylaxis with propranolol", "Propranolol prevents migraine attacks.", {}),
        ("Astrocytes guide remyelination", "Astrocytes clear myelin debris and guide remyelination.", {}),
        ("Triptans and the heart", "Cardiac safety of triptans in migraine.", {"doi": "10.1000/abc(12)34"}),
    ]
    return [
        Paper(
            id=str(100 + number),
            title=title,
            abstract=abstract,
            authors=("Maria Lóránd", "De Strooper B", "van der Berg, Jan-Willem"),
            year=2000 + number,
            venue="Glia",
            ids={"pmid": str(100 + number), "doi": f"10.1000/glia.{number}", **ids},
            retracted=title.startswith("RETRACTED"),
        )
        for number, (title, abstract, ids) in enumerate(about)
    ]


def medline_papers(test_data: Path, limit: int | None = None) -> list[Paper]:
    """Real records with authors, journals and abstracts."""
    with gzip.open(test_data / "medline" / "records.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [
        Paper(
            id=row["pmid"],
            title=row["title"],
            abstract=row["abstract"],
            authors=tuple(row["authors"]),
            year=int(row["year"][:4]),
            venue=row["journal"],
            ids={kind: row[kind] for kind in ("pmid", "doi") if row.get(kind)},
        )
        for row in rows[:limit]
    ]


def scholarly_settings(**values: Any) -> ScholarlySettings:
    return load_settings(environ={}, dotenv=None, scholarly={"cache": False, **values}).scholarly


@asynccontextmanager
async def way_out(
    settings: ScholarlySettings,
    *,
    clock: Clock | None = None,
    limits: SharedLimits | None = None,
    cache: ResponseCache | None = None,
    network: httpx.AsyncBaseTransport | None = None,
) -> AsyncIterator[Transport]:
    """A transport of its own: nothing shared with this machine, and pauses that take no time."""
    clock = clock or SteppedClock()
    transport = Transport(
        settings,
        clock=clock,
        limits=limits or SharedLimits(None, now=clock.now),
        cache=cache or ResponseCache.off(),
        network=network,
    )
    try:
        yield transport
    finally:
        await transport.aclose()


def providers(settings: ScholarlySettings, transport: Transport, *names: str) -> list[Provider]:
    return make_providers(names or searched_providers(settings), settings, transport)
