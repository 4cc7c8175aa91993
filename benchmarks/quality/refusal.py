"""Answering against refusing, whole runs offline: questions with their documents, without them, and foreign ones.

    python -m benchmarks.quality.refusal --questions 120

Answerable: questions of PubMedQA dev and SciFact test asked of the whole collection. Hard: the same questions after
their own documents were removed. Easy: questions of collections from other fields. A refusal is any status that
holds no answer; how often it is `out_of_scope` is told apart. Writes `benchmarks/quality/results/refusal.json`.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.material.result_files import measured_with, page, share_cell, table
from benchmarks.places import QUALITY_RESULTS, data_folder
from litloop.core.records import Answer
from litloop.evaluation.collections import TestCollection, load_collection, load_pubmedqa
from litloop.library import Library
from litloop.text.quotes import QuotedText

SEED = 20261129
ANSWERING = ("answered", "partial")


def write_corpus(collection: TestCollection, path: Path) -> None:
    rows = [{"id": d.id, "title": d.title, "abstract": d.text} for d in collection.documents]
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")


def statuses(library: Library, questions: list[str], faults: list[str]) -> Counter[str]:
    found: Counter[str] = Counter()
    for question in questions:
        answer = library.ask(question)
        found[answer.status] += 1
        faults += uncited(library, answer)
    return found


def uncited(library: Library, answer: Answer) -> list[str]:
    """Sentences without a citation, and quotes that do not stand in the paper they are said to be from."""
    wrong = [sentence.text for sentence in answer.sentences if not sentence.citations]
    key = library.collection().key
    for sentence in answer.sentences:
        for citation in sentence.citations:
            text = library.components.catalogue.text(key, citation.paper_id)
            if text is None or QuotedText(text.content).find(citation.quote) is None:
                wrong.append(citation.quote)
    return wrong


def figures(answerable: Counter[str], other: Counter[str]) -> dict[str, Any]:
    """Refusal as a detector of what cannot be answered, and `out_of_scope` alone as one."""

    def detector(refused: Any) -> dict[str, float]:
        right, wrong = sum(refused(other).values()), sum(refused(answerable).values())
        return {"precision": round(right / max(1, right + wrong), 4), "recall": round(right / other.total(), 4),
                "refused_wrongly": round(wrong / answerable.total(), 4), "refused": right + wrong}  # fmt: skip

    any_refusal = detector(lambda c: Counter({s: n for s, n in c.items() if s not in ANSWERING}))
    scope = detector(lambda c: Counter({s: n for s, n in c.items() if s == "out_of_scope"}))
    return {"n": [answerable.total(), other.total()], "any refusal": any_refusal, "out_of_scope": scope}


def told(result: dict[str, Any]) -> dict[str, Any]:
    names = [name for name, held in result.items() if isinstance(held, dict) and "statuses" in held]
    statuses = list(dict.fromkeys(s for n in names for found in result[n]["statuses"].values() for s in found))
    endings = [[name, kind, *(found.get(status, 0) for status in statuses)]
               for name in names for kind, found in result[name]["statuses"].items()]  # fmt: skip
    detectors = [
        [where, kind, by, share_cell(f["precision"], max(1, f["refused"])), share_cell(f["recall"], n),
         share_cell(f["refused_wrongly"], answerable)]
        for where in (*names, "pooled")
        for kind in ("hard", "easy")
        for by in ("any refusal", "out_of_scope")
        for f, (answerable, n) in [(result[where][kind][by], result[where][kind]["n"])]
    ]  # fmt: skip
    return page(
        "Answering and refusing",
        "Whole runs without a model. Answerable: asked of the whole collection. Hard: the same questions after "
        "their own documents were removed. Easy: questions of another field. Sentences without a verbatim citation, "
        f"over all runs: {result['sentences without a verbatim citation']}.",
        table("How the runs ended.", ["collection", "questions", *statuses], endings),
        table("Refusing as a detector of what cannot be answered: any status without answer, or `out_of_scope` alone.",
              ["collection", "against", "refusal", "precision", "recall", "answerable refused"], detectors),
    )  # fmt: skip


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--data", type=Path, default=data_folder())
    arguments.add_argument("--questions", type=int, default=120, help="of each collection")
    given = arguments.parse_args()
    rng = random.Random(SEED)
    npl = load_collection(given.data / "collections" / "npl")
    cranfield = load_collection(given.data / "collections" / "cranfield")
    foreign = [question.text for question in (*npl.questions, *cranfield.questions)]
    pubmedqa = load_pubmedqa(given.data / "pubmedqa" / "pqal_dev.jsonl.gz")
    scifact = load_collection(given.data / "collections" / "scifact")
    result: dict[str, Any] = {"seed": SEED}
    sums = {kind: Counter[str]() for kind in ("answerable", "hard", "easy")}
    faults: list[str] = []
    for collection in (pubmedqa, scifact):
        chosen = rng.sample(list(collection.questions), min(given.questions, len(collection.questions)))
        with tempfile.TemporaryDirectory() as work:
            corpus = Path(work) / "corpus.jsonl"
            write_corpus(collection, corpus)
            with Library.open(Path(work) / "library") as library:
                library.add(corpus)
                result["measured"] = measured_with(library.components.embedder, pubmedqa, scifact, npl, cranfield)
                asked = [question.text for question in chosen]
                found = {"answerable": statuses(library, asked, faults)}
                found["easy"] = statuses(library, rng.sample(foreign, given.questions), faults)
                gold = {d for q in chosen for d, grade in collection.qrels[q.id].items() if grade > 0}
                library.remove(sorted(gold))
                found["hard"] = statuses(library, asked, faults)
        for kind, counts in found.items():
            sums[kind] += counts
        result[collection.name] = {
            "statuses": {kind: dict(counts) for kind, counts in found.items()},
            "hard": figures(found["answerable"], found["hard"]),
            "easy": figures(found["answerable"], found["easy"]),
        }
    result["pooled"] = {kind: figures(sums["answerable"], sums[kind]) for kind in ("hard", "easy")}
    result["sentences without a verbatim citation"] = len(faults)
    result["page"] = told(result)
    print(json.dumps(result, indent=1))
    (QUALITY_RESULTS / "refusal.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
