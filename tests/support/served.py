"""A library behind a real server on loopback, in a thread of this process, and what its clients need."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from litloop import Library
from litloop.server.app import create_app
from litloop.server.site import Site
from litloop.server.slow_connections import HEAD_S
from litloop.server.uvicorn_server import LibraryServer, server_address

PAPERS = [
    {"id": "psp1", "title": "Midbrain hypometabolism in progressive supranuclear palsy", "condition": "PSP", "year": 2021,
     "rarity": "rare", "region_literature": "Midbrain; frontal lobe", "atlas_label": "Brain-Stem, Frontal Pole",
     "abstract": "FDG PET showed reduced midbrain uptake in all twelve patients with progressive supranuclear palsy. "
                 "Vertical gaze palsy was present in ten of them."},
    {"id": "10.1000/psp.2", "title": "Falls and gaze in progressive supranuclear palsy", "condition": "PSP", "year": 2019,
     "abstract": "Midbrain uptake on FDG PET was low in progressive supranuclear palsy and fell further within a year. "
                 "Falls began early."},
    {"id": "lewy", "title": "Dementia with <b>Lewy bodies</b> on PET", "condition": "DLB", "retracted": True,
     "abstract": "Occipital FDG uptake was low in dementia with Lewy bodies. The cingulate island sign was seen."},
]  # fmt: skip
QUESTION = "What did FDG PET show in progressive supranuclear palsy?"


def neurology_library(folder: Path, **overrides: Any) -> Library:
    """A library of three papers, with an embedder that needs no model."""
    corpus = folder.parent / f"{folder.name}.json"
    corpus.write_text(json.dumps(PAPERS), encoding="utf-8")
    library = Library.open(folder, embedding={"model": "hashing-256"}, **overrides)
    library.add(corpus, collection="neurology", domain="neurology")
    return library


def asks_model(url: str, **more: Any) -> dict[str, Any]:
    """Settings for a scripted model at `url`."""
    llm = {"profile": "custom", "base_url": url, "model": "scripted", "timeout_s": 30, "attempts": 1, **more}
    return {"llm": llm}


@contextmanager
def served(library: Library, *, site: Site | None = None, head_s: float = HEAD_S) -> Iterator[str]:
    """The base URL of a server that is up and warm. Ends gracefully."""
    listening = socket.create_server(("127.0.0.1", 0), backlog=256)
    server = LibraryServer(create_app(library, site=site), library.settings.server.shutdown_s, head_s=head_s)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        wait_for(lambda: server.started or not thread.is_alive())
        url = server_address(listening)
        wait_for(lambda: httpx.get(f"{url}/health").json()["status"] != "warming")
        yield url
    finally:
        server.should_exit = True
        thread.join(30)
        assert not thread.is_alive(), "the server did not stop"


def wait_for(condition: Any, seconds: float = 30.0) -> Any:
    """Until `condition()` is true. A busy machine gets its time."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        found = condition()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError("waited in vain")


@dataclass(frozen=True)
class SentEvent:
    """One block of a stream: an event, or a comment."""

    id: str | None = None
    type: str | None = None
    data: Any = None
    comment: str | None = None


def events_of(lines: Iterator[str]) -> Iterator[SentEvent]:
    """The blocks of a stream, as its client reads them."""
    block: list[str] = []
    for line in lines:
        if line:
            block.append(line)
            continue
        if block:
            yield _event(block)
        block = []


def _event(block: Sequence[str]) -> SentEvent:
    if all(line.startswith(":") for line in block):
        return SentEvent(comment=block[0][1:].strip())
    fields = dict(line.split(": ", 1) for line in block if not line.startswith(":"))
    return SentEvent(fields.get("id"), fields["event"], json.loads(fields["data"]))


def asked(url: str, question: str = QUESTION, **more: Any) -> list[SentEvent]:
    """Every block of one streamed run."""
    with httpx.stream("POST", f"{url}/query/stream", json={"query": question, **more}, timeout=60) as response:
        assert response.status_code == 200, response.read()
        return list(events_of(response.iter_lines()))
