"""How well does the reader's chance of an answer tell papers of long documents that answer from those that do not?

    python -m benchmarks.quality.second_look [--data ../shared/data]

The insurance demo (7 documents): its look-ups, questions that it does not answer, and PubMedQA's, which are of another
field. For each the first five papers: the highest chance that a sentence of a best passage answers, and how many
questions have a paper that the signals keep, and one that they keep or the second look does. Writes
`benchmarks/quality/results/second_look.json`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import litloop
from benchmarks.material.answer_cases import INSURANCE
from benchmarks.places import QUALITY_RESULTS, data_folder
from litloop.core.requests import AskRequest
from litloop.evaluation.collections import load_pubmedqa
from litloop.extractive.sentence_reader import SentenceReader, recheck_by_sentence
from litloop.library import Library
from litloop.loop.relevance import RelevanceJudge, relevance_model
from litloop.pipeline.collection_context import LibraryContext
from litloop.pipeline.paper_retriever import PaperRetriever
from litloop.question import parse

TARGET = QUALITY_RESULTS / "second_look.json"
PAPERS = 5
FOREIGN = 100  # questions
QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)


def asked(data: Path) -> dict[str, list[str]]:
    rows = [json.loads(line) for line in (INSURANCE / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    main = [row["text"] for row in rows if row["set"] == "main" and row["kind"] == "lookup"]
    foreign = load_pubmedqa(data / "pubmedqa" / "pqal_dev.jsonl.gz").questions[:FOREIGN]
    return {
        "answered by the documents": main,
        "not answered": [row["text"] for row in rows if row["set"] != "main"],
        "of another field": [question.text for question in foreign],
    }


def looked_at(library: Library, questions: list[str]) -> Iterator[tuple[float, bool, bool]]:
    """Of each question: (highest chance of an answer, kept by the signals, kept after the second look)."""
    collection = library.collection()
    around = LibraryContext(library.components, library.search_service, collection)
    reader, judge = (
        SentenceReader(around.sentence_scorer()),
        RelevanceJudge(None, relevance_model(around.embedder_name)),
    )
    for text in questions:
        question = parse(text)
        found = asyncio.run(
            PaperRetriever(library.components, library.search_service, collection, AskRequest(text)).retrieve(
                text, None, PAPERS
            )
        ).candidates
        judged = asyncio.run(judge.judge(text, found))
        again = recheck_by_sentence(judged, found, question, reader)
        chances = [reader.chance(question, candidate.hits[0]) for candidate in found]
        yield (
            max(chances, default=0.0),
            any(verdict.verdict == "relevant" for verdict in judged.value),
            any(verdict.verdict == "relevant" for verdict in again.value),
        )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=data_folder())
    given = options.parse_args()
    told = {}
    with tempfile.TemporaryDirectory() as folder, Library.open(Path(folder) / "library") as library:
        library.add(INSURANCE / "texts")
        for kind, questions in asked(given.data).items():
            chances, signals, both = map(list, zip(*looked_at(library, questions), strict=True))
            told[kind] = {
                "n": len(questions),
                "chance": {str(q): round(float(np.quantile(chances, q)), 3) for q in QUANTILES},
                "kept by signals": round(sum(signals) / len(signals), 3),
                "kept after the second look": round(sum(both) / len(both), 3),
            }
            print(kind, told[kind], flush=True)
        fingerprint = library.components.embedder.fingerprint
        result = {"version": litloop.__version__, "embedder": fingerprint, "questions": told}
    TARGET.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
