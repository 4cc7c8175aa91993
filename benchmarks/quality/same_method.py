"""Questions of another field that share the method of a collection, and questions inside it; whole runs offline.

    python -m benchmarks.quality.same_method --libraries FOLDER

`same_method.jsonl` was frozen before the rule about them: 24 foreign and 24 inside for each of three collections (the
neurology demo, Cranfield, CISI), every other one kept for the test half. A false acceptance is a foreign question that
is answered, in part or whole, or called "on this subject" (`not_found`); a false refusal is one from inside that is
called out of scope. Writes `benchmarks/quality/results/same_method.json`. `--libraries` keeps the libraries.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.material.collections import load
from benchmarks.material.result_files import measured_with, page, share, share_cell, table
from benchmarks.places import QUALITY_RESULTS, data_folder
from benchmarks.quality.refusal import ANSWERING, write_corpus
from litloop.domains import domain_pack
from litloop.library import Library

PROBES = Path(__file__).with_name("same_method.jsonl")
HALVES = ("development", "test")
ACCEPTED = (*ANSWERING, "not_found")  # what says, of a foreign question, that the collection is about it


def probes() -> list[dict[str, str]]:
    return [json.loads(line) for line in PROBES.read_text(encoding="utf-8").splitlines()]


def fill(library: Library, name: str, data: Path) -> None:
    """The collection `name`, added unless it is there already."""
    if name == "neurology":
        corpus = domain_pack("neurology").demo_corpus
        assert corpus is not None
        library.add(corpus, collection=name, domain="neurology")
        return
    with tempfile.TemporaryDirectory() as work:
        corpus = Path(work) / "corpus.jsonl"
        write_corpus(load(data, name), corpus)
        library.add(corpus, collection=name)


def asked(library: Library, rows: Sequence[dict[str, str]]) -> list[dict[str, Any]]:
    """How each run ended. `likely` is the highest probability of a paper that was kept."""
    told = []
    for row in rows:
        answer = library.ask(row["question"], collection=row["collection"])
        kept = [use.relevance.confidence for use in answer.papers if use.relevance.verdict == "relevant"]
        topics = [topic.name for topic in answer.closest_topics]
        told.append({**row, "status": answer.status, "likely": round(max(kept, default=0.0), 3), "topics": topics})
    return told


def figures(told: Sequence[dict[str, Any]]) -> dict[str, Any]:
    foreign = [row for row in told if row["kind"] == "foreign"]
    inside = [row for row in told if row["kind"] == "inside"]
    return {
        "false acceptances": share(sum(row["status"] in ACCEPTED for row in foreign), len(foreign)),
        "called out of scope": share(sum(row["status"] == "out_of_scope" for row in foreign), len(foreign)),
        "false refusals": share(sum(row["status"] == "out_of_scope" for row in inside), len(inside)),
        "inside answered": share(sum(row["status"] in ANSWERING for row in inside), len(inside)),
        "statuses": {kind: dict(Counter(row["status"] for row in told if row["kind"] == kind))
                     for kind in ("foreign", "inside")},
    }  # fmt: skip


def report(result: dict[str, Any]) -> dict[str, Any]:
    rows = []
    for half in HALVES:
        for name, found in result[half].items():
            cells = [found[what] for what in
                     ("false acceptances", "called out of scope", "false refusals", "inside answered")]  # fmt: skip
            rows.append([half, name, *(share_cell(cell["value"], cell["of"]) for cell in cells)])
    return page(
        "Another field, the same method",
        "Whole runs without a model. A false acceptance is a foreign question that is answered or called not found; a "
        "false refusal is a question from inside called out of scope.",
        table("Shares of 12 foreign and 12 inside questions of each collection and half; 36 and 36 pooled.",
              ["half", "collection", "false acceptances", "called out of scope", "false refusals", "inside answered"],
              rows),
    )  # fmt: skip


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--data", type=Path, default=data_folder())
    arguments.add_argument("--libraries", type=Path, default=None, help="keeps the libraries between runs")
    arguments.add_argument("--half", choices=HALVES, default=None, help="only this one; nothing is written")
    given = arguments.parse_args()
    rows = probes()
    names = list(dict.fromkeys(row["collection"] for row in rows))
    with (
        tempfile.TemporaryDirectory() as work,
        Library.open((given.libraries or Path(work)) / "same-method") as library,
    ):
        for name in names:
            fill(library, name, given.data)
        embedder = library.components.embedder
        told = asked(library, [row for row in rows if given.half in (None, row["half"])])
        measured = measured_with(embedder, *(load(given.data, name) for name in names if name != "neurology"))
    result: dict[str, Any] = {"measured": measured}
    for half in HALVES if given.half is None else (given.half,):
        own = [row for row in told if row["half"] == half]
        result[half] = {name: figures([row for row in own if row["collection"] == name]) for name in names}
        result[half]["pooled"] = figures(own)
    result["questions"] = told
    if given.half is None:
        result["page"] = report(result)
        (QUALITY_RESULTS / "same_method.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
