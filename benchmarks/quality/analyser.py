"""What each rule of the analyser is worth: nDCG@10 of BM25 with the rule taken away, on halves kept for tuning.

    python -m benchmarks.quality.analyser [--data FOLDER] [--report]

Tuning looks at SciFact's training questions and the odd-numbered questions of the others; `--report` also prints the
analyser as it is on SciFact's test questions and the even-numbered ones. Queries and documents are analysed alike.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from unittest import mock

import ir_measures
from ir_measures import nDCG

from benchmarks.places import data_folder
from litloop.core.filters import Filters
from litloop.core.records import Anchor, Passage
from litloop.index import analyser as module
from litloop.index.analyser import Analyser
from litloop.index.engine import IndexPassage
from litloop.index.lexical import LexicalIndex

NAMES = ("scifact", "cranfield", "med", "cisi", "npl")
Judgements = dict[str, dict[str, int]]


def read(path: Path) -> list[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def judgements(path: Path) -> Judgements:
    found: Judgements = defaultdict(dict)
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        found[query][document] = int(grade)
    return dict(found)


def questions(folder: Path, half: str) -> tuple[Mapping[str, str], Judgements]:
    """The questions of one half, and their judgements."""
    suffix = "_train" if folder.name == "scifact" and half == "tuning" else ""
    texts = {one["_id"]: one["text"] for one in read(folder / f"queries{suffix}.jsonl.gz")}
    judged = judgements(folder / f"qrels{suffix}.tsv")
    if folder.name != "scifact":
        judged = {one: grades for one, grades in judged.items() if int(one) % 2 == (half == "tuning")}
    return texts, judged


def ndcg(folder: Path, half: str, analyser: Analyser) -> float:
    documents = read(folder / "corpus.jsonl.gz")
    with tempfile.TemporaryDirectory() as scratch:
        index = LexicalIndex(Path(scratch) / "lexical")
        index.create()
        passages = [Passage(d["_id"], d["_id"], Anchor("", "", 0, 0), d["text"], title=d["title"]) for d in documents]
        rows = [
            IndexPassage(key, analyser.passage_terms(one), None, bytes(16), None, {})
            for key, one in enumerate(passages)
        ]
        with index.writing() as writer:
            writer.commit(rows, [])
        reader = index.reader()
        texts, judged = questions(folder, half)
        run = {}
        for one in judged:
            found, _ = reader.search(analyser.query_terms(texts[one]), 10, Filters(), lambda keys: keys >= 0)
            run[one] = {
                documents[key]["_id"]: score
                for key, score in zip(found.keys.tolist(), found.scores.tolist(), strict=True)
            }
    return float(ir_measures.calc_aggregate([nDCG @ 10], judged, run)[nDCG @ 10])


@contextmanager
def as_it_is() -> Iterator[None]:
    yield


def without_stems() -> AbstractContextManager[object]:
    return mock.patch.object(Analyser, "_plain", lambda self, word: word)


def without_pieces() -> AbstractContextManager[object]:
    """BRCA1 as one term only."""
    return mock.patch.object(module, "_PIECE", re.compile(r".+"))


def without_wholes() -> AbstractContextManager[object]:
    """IL-6 as il and 6 only."""
    return mock.patch.object(module, "_is_code", return_value=False)


VARIANTS: Mapping[str, Callable[[], AbstractContextManager[object]]] = {
    "as it is": as_it_is,
    "without stems": without_stems,
    "without stop words": lambda: mock.patch.object(module, "STOP_WORDS", frozenset()),
    "title counted once": lambda: mock.patch.object(module, "TITLE_WEIGHT", 1),
    "title counted three times": lambda: mock.patch.object(module, "TITLE_WEIGHT", 3),
    "without the title": lambda: mock.patch.object(module, "TITLE_WEIGHT", 0),
    "codes without pieces": without_pieces,
    "codes without wholes": without_wholes,
}


def show(name: str, values: list[float]) -> None:
    print(
        f"| {name} | " + " | ".join(f"{value:.4f}" for value in [*values, sum(values) / len(values)]) + " |", flush=True
    )


def speed(folder: Path) -> str:
    texts = [f"{one['title']}\n{one['text']}" for one in read(folder / "corpus.jsonl.gz")]
    size = sum(len(text.encode()) for text in texts) / 1e6
    analyser = Analyser()
    rates = []
    for _ in range(2):
        started = time.process_time()
        for text in texts:
            analyser.terms(text)
        rates.append(size / (time.process_time() - started))
    return f"{rates[0]:.1f} MB/s on first sight, {rates[1]:.1f} MB/s once the words are known"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, default=data_folder())
    options.add_argument("--report", action="store_true")
    chosen = options.parse_args()
    folders = [chosen.data / "collections" / name for name in NAMES]
    print("| variant | " + " | ".join(NAMES) + " | mean |\n|---" * (len(NAMES) + 2) + "|")
    for name, variant in VARIANTS.items():
        with variant():
            show(name, [ndcg(folder, "tuning", Analyser()) for folder in folders])
    if chosen.report:
        show("as it is, questions not looked at", [ndcg(folder, "report", Analyser()) for folder in folders])
    print(f"\nSpeed on SciFact, processor time: {speed(folders[0])}.")


if __name__ == "__main__":
    main()
