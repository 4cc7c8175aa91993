"""The material: prompts as litloop sends them, each with several abstracts and the sentences that bear the answer.

A case is a question with five documents: the one (or those) that answer it, and the nearest others by BM25, as a
search would have brought them. Odd cases are for testing, even ones were for fitting.

- PubMedQA: the question, its abstract without the conclusion; evidence is the sentence nearest the published
  conclusion (F1 of IDF-weighted words).
- SciFact: the claim as the question; evidence is what its annotators marked, one or several sentences together
  (a rationale), sometimes several rationales.
"""

from __future__ import annotations

import gzip
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.places import data_folder
from litloop.llm.prompt import PromptDocument
from litloop.text.lexicon import FUNCTION_WORDS
from litloop.text.sentences import sentence_spans

DOCUMENTS = 5


@dataclass(frozen=True)
class Case:
    """`rationales` are alternatives; each is (document, sentence) pairs that belong together."""

    source: str
    question: str
    documents: tuple[PromptDocument, ...]
    rationales: tuple[tuple[tuple[int, str], ...], ...]
    decision: str = ""  # PubMedQA: yes, no, maybe


def pubmedqa() -> list[Case]:
    rows = list(_lines(data_folder() / "pubmedqa" / "pqal_dev.jsonl.gz"))
    texts = ["\n".join(row["contexts"]) for row in rows]
    index = BM25(texts)
    cases = []
    for number, row in enumerate(rows):
        others = [other for other in index.top(row["question"], DOCUMENTS + 3) if other != number][: DOCUMENTS - 1]
        evidence = nearest_sentence(texts[number], row["long_answer"], index)
        cases.append(
            Case(
                "pubmedqa",
                row["question"],
                tuple(PromptDocument(rows[n]["pmid"], texts[n]) for n in (number, *others)),
                (((0, evidence),),),
                row["final_decision"],
            )
        )
    return cases


def scifact() -> list[Case]:
    folder = data_folder() / "verification" / "scifact"
    corpus = {row["_id"]: row for part in (0, 1) for row in _lines(folder / f"corpus_sentences_{part}.jsonl.gz")}
    ids = list(corpus)
    texts = {id: " ".join(corpus[id]["sentences"]) for id in ids}
    index = BM25([f"{corpus[id]['title']} {texts[id]}" for id in ids])
    cases = []
    for claim in _lines(folder / "claims_train.jsonl"):
        if not claim["evidence"]:
            continue
        bearing = list(claim["evidence"])[:DOCUMENTS]
        others = [ids[n] for n in index.top(claim["claim"], 2 * DOCUMENTS) if ids[n] not in claim["cited_doc_ids"]]
        chosen = [*bearing, *others[: DOCUMENTS - len(bearing)]]
        rationales = tuple(
            tuple((number, corpus[id]["sentences"][sentence]) for sentence in found["sentences"])
            for number, id in enumerate(bearing)
            for found in claim["evidence"][id]
        )
        documents = tuple(PromptDocument(id, texts[id], corpus[id]["title"]) for id in chosen)
        cases.append(Case("scifact", claim["claim"], documents, rationales))
    return cases


def loop_questions() -> list[tuple[str, tuple[PromptDocument, ...]]]:
    """NeuLitTrace's own questions, each with the five papers of its corpus that BM25 finds first."""
    folder = data_folder() / "neulittrace"
    corpus = json.loads((folder / "corpus.json").read_text(encoding="utf-8"))
    asked = json.loads((folder / "gold_queries.json").read_text(encoding="utf-8"))["queries"]
    index = BM25([f"{paper['title']} {paper['abstract']}" for paper in corpus])
    return [
        (
            row["query"],
            tuple(
                PromptDocument(corpus[n]["pmid"], corpus[n]["abstract"], corpus[n]["title"])
                for n in index.top(row["query"], DOCUMENTS)
            ),
        )
        for row in asked
    ]


class BM25:
    """k1 = 1.2, b = 0.75, over crude stems: enough to find neighbours."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        lengths = []
        for number, text in enumerate(texts):
            terms = Counter(terms_of(text))
            lengths.append(sum(terms.values()))
            for term, count in terms.items():
                self._postings[term].append((number, count))
        mean = sum(lengths) / len(lengths)
        self._norms = [1.2 * (0.25 + 0.75 * length / mean) for length in lengths]

    def idf(self, term: str) -> float:
        found = len(self._postings.get(term, ()))
        return math.log(1 + (len(self._norms) - found + 0.5) / (found + 0.5))

    def top(self, query: str, k: int) -> list[int]:
        scores: dict[int, float] = defaultdict(float)
        for term in set(terms_of(query)):
            for number, count in self._postings.get(term, ()):
                scores[number] += self.idf(term) * count * 2.2 / (count + self._norms[number])
        return sorted(scores, key=lambda number: (-scores[number], number))[:k]


def terms_of(text: str) -> list[str]:
    words = [word for word in re.findall(r"[^\W_]+", text.lower()) if word not in FUNCTION_WORDS]
    return [re.sub(r"(ing|ed|es|s|ly|ment|tion|al)$", "", word) if len(word) > 5 else word for word in words]


def nearest_sentence(text: str, conclusion: str, index: BM25) -> str:
    """The sentence of `text` that shares most with `conclusion`."""
    wanted = set(terms_of(conclusion))

    def f1(sentence: str) -> float:
        words = set(terms_of(sentence))
        shared = sum(map(index.idf, words & wanted))
        return 2 * shared / (sum(map(index.idf, words)) + sum(map(index.idf, wanted)) + 1e-9)

    return max((text[start:end] for start, end in sentence_spans(text)), key=f1)


def _lines(path: Path) -> Iterator[Any]:
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode("utf-8")
    yield from (json.loads(line) for line in text.split("\n") if line.strip())
