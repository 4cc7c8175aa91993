"""The judged collections that retrieval is measured on, by name."""

from __future__ import annotations

import json
from pathlib import Path

from litloop.evaluation.collections import (
    CollectionDocument,
    CollectionQuestion,
    TestCollection,
    load_collection,
    load_pubmedqa,
)

POOLED = ("scifact", "cranfield", "med", "cisi", "npl")  # "mean of five": each collection counts the same
COLLECTIONS = (*POOLED, "adi", "pubmedqa", "neulittrace")


def load(data: Path, name: str) -> TestCollection:
    if name == "pubmedqa":
        return load_pubmedqa(data / "pubmedqa" / "pqal_dev.jsonl.gz")
    if name == "neulittrace":
        return neulittrace(data / "neulittrace")
    return load_collection(data / "collections" / name)


def neulittrace(folder: Path) -> TestCollection:
    """The NeuLitTrace corpus as a collection: a gold question's relevant documents are its condition's papers."""
    corpus = json.loads((folder / "corpus.json").read_text(encoding="utf-8"))
    gold = json.loads((folder / "gold_queries.json").read_text(encoding="utf-8"))["queries"]
    documents = tuple(CollectionDocument(row["pmid"], row["title"], row["abstract"]) for row in corpus)
    questions = tuple(CollectionQuestion(str(number), row["query"]) for number, row in enumerate(gold, start=1))
    wanted = {question.id: row["condition"] for question, row in zip(questions, gold, strict=True)}
    qrels = {id: {row["pmid"]: 1 for row in corpus if row["condition"] == name} for id, name in wanted.items()}
    return TestCollection("neulittrace", "gold", documents, questions, qrels)
