"""Questions whose evidence is known: PubMedQA, SciFact and the insurance demo, each beside passages that mislead.

A case is a question, five passages in rank order, and which sentences bear its answer. Training and test halves are
split by a hash of the question's id. Passages are found by words alone (TF-IDF over the set), or by the library
itself for the insurance demo.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from litloop.core.records import Anchor, Hit, Passage
from litloop.embedding.protocol import Embedder
from litloop.extractive.passage_sentences import PassageSentence
from litloop.extractive.sentence_scores import SentenceScorer
from litloop.index.analyser import Analyser
from litloop.question import ParsedQuestion, parse
from litloop.text.sentences import sentence_spans

if TYPE_CHECKING:
    from litloop import Library

K = 5
INSURANCE = Path(__file__).with_name("insurance")


@dataclass(frozen=True)
class Case:
    """`bears` says of a sentence whether it is evidence. `holds` are the passages with any, by id."""

    id: str
    question: ParsedQuestion
    hits: tuple[Hit, ...]
    bears: Callable[[PassageSentence], bool]
    kind: str = "lookup"
    expected: tuple[tuple[str, ...], ...] = ()  # insurance: for each member or side, the strings that are right

    @property
    def answerable(self) -> bool:
        return bool(self.expected) or self.kind == "evidence"


@dataclass
class Material:
    """The cases of one set, and the scorer over its passages."""

    name: str
    cases: list[Case]
    scorer: SentenceScorer
    passages: list[Passage] = field(default_factory=list)

    def half(self, which: str) -> list[Case]:
        return [case for case in self.cases if half(case.id) == which]


def half(id: str) -> str:
    return "train" if hashlib.sha256(id.encode()).digest()[0] % 2 == 0 else "test"


def pubmedqa(data: Path, embedder: Embedder | None, *, whole: bool = False) -> Material:
    """Evidence: the sentence nearest the published conclusion (F1 of words) among those of the abstract's results.

    A conclusion repeats the question, so the sentence nearest to it is often the one that states the aim. `whole`
    takes it from anywhere in the abstract all the same. Abstracts without a section of results are left out.
    """
    with gzip.open(data / "pubmedqa" / "pqal_dev.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    passages = [_passage(row["pmid"], "\n".join(row["contexts"])) for row in rows]
    search_service = WordFinder(passages)
    cases = []
    for row, own in zip(rows, passages, strict=True):
        told = own.text if whole else _results(row)
        nearest = nearest_sentences(told, row["long_answer"], search_service.analyser)
        hits = search_service.hits(row["question"], own, embedder)
        if hits and nearest:
            cases.append(Case(row["pmid"], parse(row["question"]), hits, _among(own.id, nearest), "evidence"))
    return Material("pubmedqa", cases, search_service.scorer(embedder), passages)


def _results(row: Mapping[str, list[str]]) -> str:
    named = zip(row["labels"], row["contexts"], strict=False)
    return "\n".join(text for label, text in named if re.search("RESULT|FINDING", label))


def nearest_sentences(text: str, answer: str, analyser: Analyser) -> set[str]:
    """The sentence whose words agree best with the answer's, and its equals within .02."""
    wanted = set(analyser.terms(answer))
    scores = {}
    for start, end in sentence_spans(text):
        own = set(analyser.terms(text[start:end]))
        scores[text[start:end]] = 2 * len(own & wanted) / (len(own) + len(wanted)) if own else 0.0
    best = max(scores.values(), default=0.0)
    return {sentence for sentence, score in scores.items() if best and score >= best - 0.02}


def scifact(data: Path, embedder: Embedder | None) -> Material:
    """Evidence: the annotated rationale sentences. Claims without any are left to the verification benchmark."""
    folder = data / "verification" / "scifact"
    claims = [json.loads(line) for line in (folder / "claims_train.jsonl").open(encoding="utf-8")]
    corpus = {row["_id"]: row for row in _corpus(folder)}
    cited = sorted({str(id) for claim in claims for id in claim["cited_doc_ids"]} & corpus.keys())
    passages = {id: _passage(id, "\n".join(corpus[id]["sentences"]), corpus[id]["title"]) for id in cited}
    search_service = WordFinder(list(passages.values()))
    cases = []
    for claim in claims:
        for doc, marks in claim["evidence"].items():
            sentences = corpus[doc]["sentences"]
            gold = {sentences[n].strip() for mark in marks for n in mark["sentences"] if n < len(sentences)}
            hits = search_service.hits(claim["claim"], passages[doc], embedder)
            if hits:
                case = Case(f"{claim['id']}-{doc}", parse(claim["claim"]), hits, _within(doc, gold), "evidence")
                cases.append(case)
    return Material("scifact", cases, search_service.scorer(embedder), list(passages.values()))


def insurance(folder: Path, embedder: Embedder | None) -> Material:
    """The questions of the insurance demo, each with the first K passages of a library made in `folder`.

    Evidence of a look-up: sentences that hold an expected string.
    """
    questions = [json.loads(line) for line in (INSURANCE / "questions.jsonl").open(encoding="utf-8")]
    with insurance_library(folder) as library:
        found = [library.search(question["text"], k=K).hits for question in questions]
        held = library.collection()
        papers = library.components.catalogue.papers(held.key)
        passages = [stored.passage for paper in papers for stored in library.passages(paper.id)]
    cases = [
        Case(q["id"], parse(q["text"]), tuple(hits), _holds(q), q["kind"], expected_strings(q))
        for q, hits in zip(questions, found, strict=True)
    ]
    return Material("insurance", cases, WordFinder(passages).scorer(embedder), passages)


def insurance_library(folder: Path, size: int = 512) -> Library:
    """The library of the demo's documents under `folder`, made when it is not there."""
    from benchmarks.material.insurance import make_documents
    from litloop import Library

    documents = folder / "documents"
    make_documents.make_documents(documents)
    library = Library.open(folder / "library", passages={"size": size, "overlap": 32}, llm={"profile": "offline"})
    library.add(documents, collection="insurance")
    return library


def expected_strings(question: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    """For each value, member or side that is expected, the strings of which any is right."""
    expected = question["expected"]
    match question["kind"]:
        case "lookup":
            return (tuple(expected),)
        case "list":
            return tuple(tuple(member["accept"]) for member in expected)
        case "comparison":
            return tuple(tuple(side["accept"]) for side in expected["sides"])
    return ()


def _holds(question: Mapping[str, Any]) -> Callable[[PassageSentence], bool]:
    wanted = [text for texts in expected_strings(question) for text in texts]
    return lambda sentence: any(text in " ".join(sentence.text.split()) for text in wanted)


def _corpus(folder: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(folder.glob("corpus_sentences_*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            yield from (json.loads(line) for line in file)


def _among(passage_id: str, texts: set[str]) -> Callable[[PassageSentence], bool]:
    return lambda sentence: sentence.hit.passage.id == passage_id and sentence.text in texts


def _within(paper_id: str, gold: set[str]) -> Callable[[PassageSentence], bool]:
    """Their sentences and ours may be cut differently: either may hold the other."""
    return lambda sentence: (
        sentence.hit.passage.paper_id == paper_id
        and any(sentence.text in other or other in sentence.text for other in gold)
    )


class WordFinder:
    """TF-IDF over the passages of one set: enough to find passages that mislead."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self.analyser = Analyser()
        self._passages = passages
        self._terms = [Counter(self.analyser.terms(f"{passage.title} {passage.text}")) for passage in passages]
        self.frequency: Counter[str] = Counter(term for terms in self._terms for term in terms)
        self._holding: dict[str, list[int]] = defaultdict(list)
        for number, terms in enumerate(self._terms):
            for term in terms:
                self._holding[term].append(number)

    def hits(self, question: str, own: Passage, embedder: Embedder | None = None) -> tuple[Hit, ...]:
        """The first K passages by words, ranked anew by words and meaning (.3 / .7, as the library blends them).

        Empty when the passage with the evidence is not among them.
        """
        scores: dict[int, float] = defaultdict(float)
        for term in set(self.analyser.terms(question)):
            weight = math.log(1 + len(self._passages) / (0.5 + self.frequency[term]))
            for number in self._holding.get(term, ()):
                times = self._terms[number][term]
                scores[number] += weight * times / (times + 1.2)
        ranked = sorted(scores, key=lambda number: (-scores[number], number))[:K]
        if embedder is not None and len(ranked) > 1:
            cosines = [self._nearest(question, number, embedder) for number in ranked]
            blend = 0.3 * _scaled([scores[number] for number in ranked]) + 0.7 * _scaled(cosines)
            ranked = [ranked[place] for place in np.argsort(-blend, kind="stable")]
        hits = tuple(Hit(self._passages[number], scores[number], rank) for rank, number in enumerate(ranked, 1))
        return hits if any(hit.passage.id == own.id for hit in hits) else ()

    def _nearest(self, question: str, number: int, embedder: Embedder) -> float:
        """The cosine of the question and the passage's best sentence."""
        text = self._passages[number].text
        sentences = [text[start:end] for start, end in sentence_spans(text)]
        return float((embedder.embed_passages(sentences) @ embedder.embed_query(question)).max())

    def scorer(self, embedder: Embedder | None) -> SentenceScorer:
        def frequencies(terms: Sequence[str]) -> Mapping[str, int]:
            return {term: self.frequency[term] for term in terms}

        return SentenceScorer(embedder, self.analyser.terms, frequencies, len(self._passages))


def _scaled(values: Sequence[float]) -> NDArray[np.float64]:
    array = np.asarray(values, float)
    spread = float(array.max() - array.min())
    return (array - array.min()) / spread if spread else np.ones(len(array))


def _passage(id: str, text: str, title: str = "") -> Passage:
    return Passage(f"{id}::0", id, Anchor(id, "v", 0, len(text)), text, title=title)
