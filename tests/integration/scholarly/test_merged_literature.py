"""Six databases over real sockets, what they say of the same papers merged, ranked, and followed one step out."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from litloop.core.settings import RankingSettings, SnowballSettings, load_settings
from litloop.index.analyser import Analyser
from litloop.papers.merging import MergedWork, merge
from litloop.retrieval.fusion import fused_by_name
from litloop.scholarly.fan_out import fan_out
from litloop.scholarly.protocol import ScholarlyQuery
from litloop.scholarly.ranking import of_work, rank
from litloop.scholarly.snowball import snowball
from litloop.testing.scholarly_world import scholarly_world
from support.scholarly_world import SIX, medline_papers, providers, way_out

QUESTION = "myelin oligodendrocyte precursor cells"


@pytest.fixture(scope="module")
def world(test_data: Path):
    with scholarly_world(medline_papers(test_data, 120)) as made:
        yield made


def ranked(works: list[MergedWork]) -> list[MergedWork]:
    papers = [of_work(work) for work in works]
    result = rank(QUESTION, papers, RankingSettings(), terms=Analyser().terms, fuse=fused_by_name)
    return [paper.thing for paper in result.papers]


def test_each_paper_is_one_work_whatever_six_databases_call_it(world):
    settings = load_settings(environ={}, dotenv=None, scholarly={**world.settings(), "cache": False}).scholarly

    async def run():
        async with way_out(settings) as transport:
            six = providers(settings, transport, *SIX)
            found = await fan_out([ScholarlyQuery(QUESTION, 20), ScholarlyQuery("myelin repair", 20)], six, settings)
            merged = merge(found.works)
            best = ranked(list(merged))
            limits = SnowballSettings(enabled=True, seeds=3, max_new=10)
            return found, merged, best, await snowball(best, merged, six, limits, rank=lambda ws: ranked(list(ws)))

    found, merged, best, gone_out = asyncio.run(run())
    assert not found.providers_lost
    titles = Counter(work.title.casefold() for work in merged if work.kind != "preprint")
    assert max(titles.values()) == 1, titles.most_common(3)
    assert len(merged) < len(found.works) / 2
    assert sum(len(work.providers) >= 3 for work in merged) > len(merged) / 3
    assert not [conflict for work in merged for conflict in work.conflicts if conflict.field == "title"]
    assert any(word in best[0].title.lower() for word in ("myelin", "oligodendrocyte"))
    assert 0 < len(gone_out.new) <= 10
    assert {work.id for work in merged} <= {work.id for work in gone_out.works}
    assert not {work.id for work in gone_out.new} & {work.id for work in merged}
    assert gone_out.warnings == ()
