"""How long four queries to six providers take, each answering in 300 ms: `python -m benchmarks.speed.fan_out`.

The providers are the loopback world over the packaged demo corpus. Limits of pace are off, as they are for any server
on this machine; with the real databases arXiv alone makes four queries nine seconds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import time
from importlib import resources

from litloop.core.records import Paper
from litloop.core.settings import load_settings
from litloop.net.rate_limits import SharedLimits
from litloop.net.response_cache import ResponseCache
from litloop.net.transport import Transport
from litloop.scholarly.fan_out import fan_out
from litloop.scholarly.protocol import ScholarlyQuery
from litloop.scholarly.registry import make_providers, searched_providers
from litloop.testing.scholarly_world import ScholarlyWorld, scholarly_world

QUERIES = (
    "FDG PET in progressive supranuclear palsy",
    "amyloid deposition in dementia",
    "seizure focus on interictal PET",
    "autoimmune encephalitis hypometabolism",
)


def demo_papers() -> list[Paper]:
    lines = resources.files("litloop.domains.neurology").joinpath("corpus.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in lines.splitlines() if line]
    return [Paper(row["pmid"], row["title"], row["summary"], ids={"pmid": row["pmid"]}) for row in rows]


async def timed(world: ScholarlyWorld, runs: int) -> tuple[list[float], int]:
    settings = load_settings(environ={}, dotenv=None, scholarly=world.settings()).scholarly
    transport = Transport(settings, limits=SharedLimits(None), cache=ResponseCache.off())
    asked = make_providers(searched_providers(settings), settings, transport)
    seconds, requests = [], 0
    for _ in range(runs):
        started = time.perf_counter()
        result = await fan_out([ScholarlyQuery(query) for query in QUERIES], asked, settings)
        seconds.append(time.perf_counter() - started)
        requests = sum(reply.requests for reply in result.replies)
        assert not result.providers_lost, result.warnings
    await transport.aclose()
    return seconds, requests


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--delay", type=float, default=0.3, help="seconds that each answer takes")
    parser.add_argument("--runs", type=int, default=5)
    chosen = parser.parse_args()
    with scholarly_world(demo_papers(), delay_s=chosen.delay) as world:
        seconds, requests = asyncio.run(timed(world, chosen.runs))
    print(f"{requests} requests of {chosen.delay:g} s: first {seconds[0]:.2f} s, best {min(seconds):.2f} s, "
          f"median {statistics.median(seconds):.2f} s, one by one {requests * chosen.delay:.1f} s")  # fmt: skip


if __name__ == "__main__":
    main()
