"""Damage: one file of a library is altered at random; nothing may answer wrongly, break, or call the library sound.

    python -m benchmarks.quality.damage_soak --corruptions 300

Makes one library of mixed files, with a second segment, a removal, topics, past runs. For each corruption (a flipped
bit, a truncation, zeroed bytes, a deletion, two files or two stretches swapped) it is copied twice. One copy is
searched and asked: every result is the undisturbed one, or comes with a word about the damage. The other is verified,
repaired (or rebuilt with `reindex`) and then used: it answers as before, or says that the catalogue is beyond repair.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.quality.soak import EMBEDDER, QUESTIONS, make_files
from litloop.core.choices import SearchMode
from litloop.core.errors import LitloopError
from litloop.library import Library

MODES: tuple[SearchMode, ...] = ("sparse", "dense", "hybrid")
KINDS = ("flip", "truncate", "zero", "delete", "swap")
# Made again when they are next needed, or only hold other files against what was written: without them all is sound.
MADE_AGAIN = (".seal", ".sums")
NO_CONTENT = ("-shm", ".lock")  # SQLite's shared memory, made anew by whoever opens it; locks
ZEROED = 64  # bytes


@dataclass
class DamageOutcome:
    """`failures` says which corruption was met how wrongly; empty is what we want. `seen` counts what was found."""

    corruptions: int = 0
    failures: list[str] = field(default_factory=list)
    seen: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0


def damage_soak(corruptions: int, seed: int, work: Path) -> DamageOutcome:
    started, rng, outcome = time.perf_counter(), random.Random(seed), DamageOutcome()
    whole = make_library(work)
    wanted = [answers(whole, work), answers(_rebuilt(whole, work / "rebuilt"), work)]
    outcome.failures += [f"undisturbed: {one.told or one.broke}" for one in wanted if one.told or one.broke]
    files = [path for path in whole.rglob("*") if path.is_file() and path.stat().st_size]
    names = sorted(str(path.relative_to(whole)) for path in files if not path.name.endswith(NO_CONTENT))
    while outcome.corruptions < corruptions:
        name, kind = rng.choice(names), rng.choice(KINDS)
        copy = _copy(whole, work / "used")
        told = corrupt(copy, name, kind, rng, names)
        if told is None:
            continue
        outcome.corruptions += 1
        spoilt = work / "spoilt"
        shutil.rmtree(spoilt, ignore_errors=True)
        shutil.copytree(copy, spoilt)
        faults = [*_used(copy, wanted, work, outcome), *_mended(spoilt, name, kind, wanted, work, rng, outcome)]
        outcome.failures += [f"{outcome.corruptions}: {told}: {fault}" for fault in faults]
    outcome.seconds = time.perf_counter() - started
    return outcome


def make_library(work: Path) -> Path:
    files, library = work / "files", work / "whole"
    make_files(files)
    with _open(library) as held:
        held.add(files)
        (files / "late.md").write_text("# A late paper\n\nTremor of the hands fell after two weeks of rest.\n", "utf-8")
        held.add(files)
        held.create_collection("second")
        held.add(files / "corpus.jsonl", collection="second")
        held.remove(files / "000.md", collection="default")
        held.ask(QUESTIONS[1], collection="default", local_only=True)
        held.search_service.topics(held.collection("default"))
    return library


@dataclass(frozen=True)
class Answers:
    """What a library says when it is used. `told` are errors, warnings and degradations, in its own words."""

    results: dict[str, Any]
    told: tuple[str, ...]
    broke: str | None = None  # an exception that nobody foresaw


def answers(library: Path, work: Path) -> Answers:
    results: dict[str, Any] = {}
    told: list[str] = []
    try:
        with _open(library) as held:
            for collection in ("default", "second"):
                for mode in MODES:
                    for question in QUESTIONS:
                        place = f"{collection} {mode} {question}"
                        results[place] = _told(told, partial(_search, held, question, collection, mode, told))
            results["answer"] = _told(told, lambda: _ask(held, told))
            results["papers"] = _told(told, lambda: list(held.export(collection="default")))
            results["runs"] = _told(told, lambda: held.run_service.runs.rows("SELECT count(*) FROM runs")[0][0] > 0)
            if not held.run_service.runs.persistent:
                told.append("runs are kept in memory only")
    except LitloopError as error:
        told.append(str(error))
    except BaseException:
        return Answers(results, tuple(told), traceback.format_exc())
    return Answers(results, tuple(told))


def corrupt(library: Path, name: str, kind: str, rng: random.Random, names: list[str]) -> str | None:
    """Alter one file, and say how. None when that would have changed nothing."""
    path = library / name
    before = path.read_bytes()
    content = bytearray(before)
    place = rng.randrange(len(content))
    if kind == "delete":
        path.unlink()
        return f"{name} deleted"
    if kind == "swap":
        alike = [other for other in names if other != name and Path(other).suffix == path.suffix]
        if alike and rng.random() < 0.5:
            other = library / rng.choice(alike)
            if other.read_bytes() == before:
                return None
            path.write_bytes(other.read_bytes())
            other.write_bytes(before)
            return f"{name} swapped with {other.relative_to(library)}"
        size, second = min(ZEROED, len(content) // 2), rng.randrange(len(content))
        if abs(second - place) < size or max(place, second) + size > len(content):
            return None
        content[place : place + size], content[second : second + size] = (
            content[second : second + size], content[place : place + size]
        )  # fmt: skip
        told = f"{name}: {size} bytes at {place} and {second} swapped"
    elif kind == "flip":
        content[place] ^= 1 << rng.randrange(8)
        told = f"{name}: a bit flipped at {place}"
    elif kind == "truncate":
        del content[place:]
        told = f"{name} cut at {place}"
    else:
        content[place : place + ZEROED] = bytes(len(content[place : place + ZEROED]))
        told = f"{name}: zeroed at {place}"
    if bytes(content) == before:
        return None
    path.write_bytes(bytes(content))
    return told


def _used(library: Path, wanted: Sequence[Answers], work: Path, outcome: DamageOutcome) -> list[str]:
    """Faults of using a damaged library as it is."""
    found = answers(library, work)
    if found.broke:
        return [f"a traceback in use:\n{found.broke}"]
    if found.told:
        outcome.seen["in use: named"] += 1
        return []
    differing = _differing(found, wanted)
    outcome.seen["in use: wrong" if differing else "in use: unharmed"] += 1
    return [f"silently different in use: {differing[:4]}"] if differing else []


def _mended(
    library: Path,
    name: str,
    kind: str,
    wanted: Sequence[Answers],
    work: Path,
    rng: random.Random,
    outcome: DamageOutcome,
) -> list[str]:
    """Faults of verifying and mending it."""
    faults = []
    try:
        with _open(library) as held:
            sound = all(report.sound for report in held.verify()[0])
            if sound and not (kind == "delete" and (name.endswith(MADE_AGAIN) or "topics" in name)):
                faults.append("called sound")
            outcome.seen["verify: sound" if sound else "verify: damaged"] += 1
            if name.startswith("index") and rng.random() < 0.5:
                held.reindex()
            reports, _ = held.verify(repair=True)
            if not all(report.sound for report in reports):
                faults.append(f"not mended: {[report.problems for report in reports]}")
    except LitloopError as error:
        outcome.seen["beyond repair"] += 1
        if "litloop init" not in str(error) or "catalogue.db" not in name:
            faults.append(f"given up with: {error}")
        return faults
    except BaseException:
        return [*faults, f"a traceback while mending:\n{traceback.format_exc()}"]
    after = answers(library, work)
    if after.broke or after.told:
        return [*faults, f"after mending: {after.broke or after.told}"]
    differing = _differing(after, wanted)
    outcome.seen["mended"] += 1
    return [*faults, f"different after mending: {differing[:4]}"] if differing else faults


def _differing(found: Answers, wanted: Sequence[Answers]) -> list[str]:
    """Where something else is said than by the undisturbed library or by one whose index was built anew. (That has
    forgotten removed passages, so that its BM25 scores are not those of one that has not.)"""
    right, rebuilt = (one.results for one in wanted)
    return [place for place in right if found.results.get(place) not in (right[place], rebuilt[place])]


def _rebuilt(whole: Path, to: Path) -> Path:
    _copy(whole, to)
    with _open(to) as held:
        for collection in held.collections():
            held.components.indexer.rebuild(collection)
    return to


def _search(held: Library, question: str, collection: str, mode: SearchMode, told: list[str]) -> Any:
    response = held.search(question, collection=collection, k=5, mode=mode)
    told += [text for text in (response.reason, response.warning) if text]
    return [(hit.passage.id, hit.passage.text, round(hit.score, 5), hit.paper) for hit in response.hits]


def _ask(held: Library, told: list[str]) -> Any:
    answer = held.ask(QUESTIONS[0], collection="default", local_only=True)
    if answer.degraded_reason or answer.status == "retrieval_failed":
        told.append(answer.degraded_reason or answer.text)
    return answer.status, answer.text, [topic.name for topic in answer.closest_topics]


def _told(told: list[str], call: Any) -> Any:
    try:
        return call()
    except LitloopError as error:
        told.append(str(error))
        return None


def _open(library: Path) -> Library:
    return Library.open(library, embedding={"model": EMBEDDER})


def _copy(whole: Path, to: Path) -> Path:
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(whole, to)
    return to


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--corruptions", type=int, default=300)
    arguments.add_argument("--seed", type=int, default=20261130)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as work:
        outcome = damage_soak(given.corruptions, given.seed, Path(work))
    for failure in outcome.failures:
        print(failure)
    print(f"{outcome.corruptions} corruptions, {outcome.seconds:.0f} s: {dict(outcome.seen)}")
    print("None went unnoticed." if not outcome.failures else f"FAILED: {len(outcome.failures)}")
    return 1 if outcome.failures else 0


if __name__ == "__main__":
    sys.exit(main())
