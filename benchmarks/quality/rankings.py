"""Writes down what the default search ranks, so that two versions of litloop can be compared byte for byte.

    python -m benchmarks.quality.rankings --out FILE [--work FOLDER] [--collections scifact,cranfield,neulittrace]

Each collection becomes a library with default settings, and every test question is searched in it. The file holds,
for each question, the first passages of `Library.search` in rank order: [passage id, paper id, score]. Keys are
sorted and scores have all their digits, so equal files mean equal rankings, and `diff` shows what moved:

    git worktree add ../before COMMIT
    PYTHONPATH=../before/src python -m benchmarks.quality.rankings --out before.json
    PYTHONPATH=src           python -m benchmarks.quality.rankings --out after.json
    cmp before.json after.json

Only calls that all versions have in common are used here. The test data is in LITLOOP_TEST_DATA or --data. With
--work the libraries are kept, and a second run embeds nothing; give each version a folder of its own.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from litloop.library import Library

DEFAULT_DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
COLLECTIONS = ("scifact", "cranfield", "neulittrace")
K = 20  # passages of each question that are written down

Row = Mapping[str, str]
Ranked = list[tuple[str, str, float]]  # (passage id, paper id, score), best first


def corpus_and_questions(data: Path, name: str) -> tuple[list[Row], dict[str, str]]:
    """The rows to add (id, title, abstract and labels) and the test questions by id."""
    if name == "neulittrace":
        folder = data / "neulittrace"
        rows = json.loads((folder / "corpus.json").read_text(encoding="utf-8"))
        gold = json.loads((folder / "gold_queries.json").read_text(encoding="utf-8"))["queries"]
        return rows, {str(number): row["query"] for number, row in enumerate(gold, start=1)}
    folder = data / "collections" / name
    rows = [{"id": row["_id"], "title": row.get("title", ""), "abstract": row["text"]}
            for row in _lines(folder / "corpus.jsonl.gz")]  # fmt: skip
    return rows, {row["_id"]: row["text"] for row in _lines(folder / "queries.jsonl.gz")}


def rankings(data: Path, name: str, folder: Path) -> dict[str, Ranked]:
    """Question id -> its first K passages, from a library of the collection in `folder`."""
    rows, questions = corpus_and_questions(data, name)
    folder.mkdir(parents=True, exist_ok=True)
    corpus = folder / "corpus.jsonl"
    corpus.write_text("\n".join(json.dumps(row) for row in rows) + "\n", encoding="utf-8")
    with Library.open(folder / "library") as library:
        library.add(corpus)
        return {id: _ranked(library, text) for id, text in questions.items()}


def canonical(found: Mapping[str, Mapping[str, Ranked]]) -> str:
    """JSON with sorted keys and one line for each question, so that a difference is a line of a diff."""
    lines = [
        f"{json.dumps(f'{name}:{question}')}: {json.dumps(ranked)}"
        for name, questions in sorted(found.items())
        for question, ranked in sorted(questions.items())
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _ranked(library: Library, question: str) -> Ranked:
    hits = library.search(question, k=K).hits
    return [(hit.passage.id, hit.passage.paper_id, hit.score) for hit in hits]


def _lines(path: Path) -> list[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="the file to write")
    parser.add_argument("--collections", default=",".join(COLLECTIONS), help="names, separated by commas")
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("LITLOOP_TEST_DATA", DEFAULT_DATA)))
    parser.add_argument("--work", type=Path, help="keep the libraries here; default: a temporary folder")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        work = given.work or Path(temporary)
        found = {name: rankings(given.data, name, work / name) for name in given.collections.split(",")}
    given.out.write_text(canonical(found), encoding="utf-8")
    print(f"{given.out}: {sum(map(len, found.values()))} questions")
    return 0


if __name__ == "__main__":
    sys.exit(main())
