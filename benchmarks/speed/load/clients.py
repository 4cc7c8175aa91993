"""Clients that cost little: plain sockets that stay open, so that the server's work is what is measured.

python -m benchmarks.speed.load.clients URL QUERIES.jsonl.gz CLIENTS SECONDS REQUESTS COLLECTION

Prints one JSON object. Stops after SECONDS, or after REQUESTS (0: no such end).
"""

from __future__ import annotations

import asyncio
import gzip
import json
import statistics
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import count
from typing import Any
from urllib.parse import urlsplit


@dataclass
class Seen:
    """What all clients saw: milliseconds of each answered request, and how many answers had which status."""

    ms: list[float] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)


async def client(
    number: int, host: str, port: int, bodies: list[bytes], until: float, left: list[int], seen: Seen
) -> None:
    reader, writer = await asyncio.open_connection(host, port)
    head = f"POST /search HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: "
    try:
        for turn in count(number * 37):
            if time.perf_counter() >= until or left[0] <= 0:
                return
            left[0] -= 1
            body = bodies[turn % len(bodies)]
            started = time.perf_counter()
            writer.write(f"{head}{len(body)}\r\n\r\n".encode() + body)
            status, length = 0, 0
            for line in (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n"):
                if line.startswith(b"HTTP/"):
                    status = int(line.split()[1])
                elif line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            answer = await reader.readexactly(length)
            seen.ms.append((time.perf_counter() - started) * 1000)
            found = status == 200 and b'"chunk_id"' in answer
            seen.statuses[str(status) if found or status != 200 else "200 without hits"] += 1
    finally:
        writer.close()


async def run(url: str, queries: str, clients: int, seconds: float, requests: int, collection: str) -> dict[str, Any]:
    place = urlsplit(url)
    with gzip.open(queries, "rt", encoding="utf-8") as file:
        asked = [json.loads(line)["text"] for line in file]
    bodies = [json.dumps({"query": text, "k": 10, "collection": collection}).encode() for text in asked]
    seen = Seen()
    left = [requests or 10**9]
    started = time.perf_counter()
    jobs = [
        client(n, place.hostname or "", place.port or 80, bodies, started + seconds, left, seen) for n in range(clients)
    ]
    failures = [repr(r) for r in await asyncio.gather(*jobs, return_exceptions=True) if r is not None]
    took = time.perf_counter() - started
    ms = sorted(seen.ms)
    cut = statistics.quantiles(ms, n=100) if len(ms) > 1 else [0.0] * 99
    return {"clients": clients, "seconds": took, "requests": len(ms), "per_second": len(ms) / took, "p50_ms": cut[49],
            "p95_ms": cut[94], "p99_ms": cut[98], "max_ms": ms[-1] if ms else 0.0, "statuses": seen.statuses,
            "errors": len(failures) + sum(n for status, n in seen.statuses.items() if status != "200"),
            "failures": failures[:3]}  # fmt: skip


if __name__ == "__main__":
    url, queries, clients, seconds, requests, collection = sys.argv[1:]
    print(json.dumps(asyncio.run(run(url, queries, int(clients), float(seconds), int(requests), collection))))
