"""What the reader without a model finds, on the halves that its weights were not fitted on.

    python -m benchmarks.quality.answering [--data FOLDER] [--work FOLDER] [--half test|train] [--words]

Writes benchmarks/quality/results/answering.json (for the test half, with the embedder).
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.material.answer_cases import Case, Material, half, insurance, pubmedqa, scifact
from benchmarks.material.kept_vectors import kept_embedder
from benchmarks.material.result_files import measured_with, page, share_cell, table
from benchmarks.places import QUALITY_RESULTS, data_folder
from litloop.core.cache_folder import cache_folder
from litloop.core.records import AnswerWithEvidence, Hit
from litloop.embedding import Embedder
from litloop.extractive.passage_sentences import MIN_CHARACTERS, names_findings, passage_sentences
from litloop.extractive.sentence_reader import SentenceReader
from litloop.extractive.sentence_scores import states_aim_or_method
from litloop.text.quotes import QuotedText
from litloop.text.sentences import sentence_spans

RESULTS = QUALITY_RESULTS / "answering.json"


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the offline reader.")
    parser.add_argument("--data", type=Path, default=data_folder())
    parser.add_argument("--work", type=Path, help="where the demo's library is kept; default: a temporary folder")
    parser.add_argument("--half", choices=("train", "test"), default="test")
    parser.add_argument("--words", action="store_true", help="without an embedder")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary, kept_embedder(cache_folder()) as embedder:
        given = None if chosen.words else embedder
        report = measured(chosen.data, chosen.work or Path(temporary), given, chosen.half)
    report["page"] = told(report)
    text = json.dumps(report, indent=2)
    print(text)
    if chosen.half == "test" and not chosen.words:
        RESULTS.write_text(text + "\n", encoding="utf-8")


def measured(data: Path, work: Path, given: Embedder | None, which: str) -> dict[str, Any]:
    articles, claims = pubmedqa(data, given), scifact(data, given)
    return {
        "half": which,
        "measured": measured_with(given),
        "pubmedqa": literature(articles, which),
        "pubmedqa_whole_abstract": literature(pubmedqa(data, given, whole=True), which),
        "scifact": literature(claims, which),
        "likely_enough": {one.name: declining(one, which) for one in (articles, claims)},
        "states_aim_or_method": wording(data, which),
        "insurance": documents(insurance(work, given), which),
    }


def told(report: dict[str, Any]) -> dict[str, Any]:
    asked = {"pubmedqa": "PubMedQA, evidence among the results", "scifact": "SciFact, annotated rationales",
             "pubmedqa_whole_abstract": "PubMedQA, evidence anywhere in the abstract"}  # fmt: skip
    columns = ("evidence_first", "evidence_in_first_3", "evidence_in_answer_from_5",
               "evidence_in_answer_from_its_abstract")  # fmt: skip
    held = report["insurance"]
    counted = [("look-ups: the sentence is right", "lookup_sentence_right", "lookups"),
               ("look-ups: the value is right", "lookup_value_right", "lookups"),
               ("look-ups: nothing found", "lookup_not_found", "lookups"),
               ("comparisons: both sides", "comparison_both_sides", "comparisons"),
               ("absent: nothing found, rightly", "absent_not_found", "absent")]  # fmt: skip
    return page(
        "Answers without a model",
        "What the reader finds in five passages, the nearest that mislead among them, on questions that its weights "
        "were not fitted on. Every quote was looked up in its passage.",
        table("How often a sentence of the evidence is where it should be.",
              ["questions", "n", "first", "among the first three", "in the answer from five",
               "in the answer from its abstract"],
              [[name, report[key]["n"], *(share_cell(report[key][column], report[key]["n"]) for column in columns)]
               for key, name in asked.items()]),
        table(f"Insurance demo, five passages at once. Lists: {held['lists']}, recall {held['list_recall']:.2f}, "
              f"precision {held['list_precision']:.2f}.",
              ["", "n", "share"],
              [[name, held[of], share_cell(held[key], held[of])] for name, key, of in counted]),
    )  # fmt: skip


def literature(material: Material, which: str) -> dict[str, object]:
    """How often an evidence sentence is the first, among the first three, or in the answer (read from one abstract,
    or from five), of the questions whose evidence is among the sentences."""
    reader = SentenceReader(material.scorer)
    first, three, alone, five, ms = [], [], [], [], []
    for case in material.half(which):
        sentences = passage_sentences(case.hits)
        bears = np.array([case.bears(sentence) for sentence in sentences])
        if not bears.any():
            continue
        order = np.argsort(-material.scorer.scores(case.question.corrected, sentences)[0], kind="stable")
        first.append(bool(bears[order[0]]))
        three.append(bool(bears[order[:3]].any()))
        began = time.perf_counter()
        answer = read(reader, case, case.hits)
        ms.append((time.perf_counter() - began) * 1000)
        five.append(_answered_by(answer, case, case.hits))
        gold = next(s.hit for s, is_evidence in zip(sentences, bears, strict=True) if is_evidence)
        alone.append(_answered_by(read(reader, case, [gold]), case, [gold]))
    return {
        "n": len(first), "evidence_first": share(first), "evidence_in_first_3": share(three),
        "evidence_in_answer_from_5": share(five), "evidence_in_answer_from_its_abstract": share(alone),
        "ms_median_vectors_known": round(float(np.median(ms)), 1),
    }  # fmt: skip


def declining(material: Material, which: str) -> dict[str, dict[str, float]]:
    """The share of questions that find a sentence likely enough to answer in words, by the probability asked for: with
    the passage that holds the evidence among the five, and without it."""
    best: dict[str, list[float]] = {"with": [], "without": []}
    for case in material.half(which):
        holding = {s.hit.passage.id for s in passage_sentences(case.hits) if case.bears(s)}
        rest = [hit for hit in case.hits if hit.passage.id not in holding]
        for name, hits in (("with", case.hits), ("without", rest)) if holding and rest else ():
            best[name].append(float(material.scorer.scores(case.question.corrected, passage_sentences(hits))[1].max()))
    return {
        name: {str(least): share([chance >= least for chance in found]) for least in (0.05, 0.1, 0.15, 0.2)}
        for name, found in best.items()
    }


def wording(data: Path, which: str) -> dict[str, float | int]:
    """Of which share of PubMedQA's labelled sentences `states_aim_or_method` holds: an account leaves those out. A
    section counts as findings when its label says so; the published conclusion does."""
    found: list[bool] = []
    aside: list[bool] = []
    with gzip.open(data / "pubmedqa" / "pqal_dev.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = [row for row in map(json.loads, file) if half(row["pmid"]) == which]
    for row in rows:
        for label, text in [*zip(row["labels"], row["contexts"], strict=True), ("CONCLUSIONS", row["long_answer"])]:
            told = found if names_findings(label) else aside
            told += [
                states_aim_or_method(text[start:end])
                for start, end in sentence_spans(text)
                if end - start >= MIN_CHARACTERS
            ]
    return {"findings": len(found), "left_out": share(found), "others": len(aside), "others_left_out": share(aside)}


def read(reader: SentenceReader, case: Case, hits: Sequence[Hit]) -> AnswerWithEvidence:
    contract = reader.read(case.question, hits, None).contract
    shown = {hit.passage.id: hit.passage for hit in hits}
    for item in contract.items:
        for span in item.evidence:
            assert QuotedText(shown[span.passage_id].text).find(span.quote), f"{case.id}: a quote that stands nowhere"
    return contract


def _answered_by(answer: AnswerWithEvidence, case: Case, hits: Sequence[Hit]) -> bool:
    places = {(span.passage_id, span.quote) for item in answer.items for span in item.evidence}
    return any((s.hit.passage.id, s.text) in places and case.bears(s) for s in passage_sentences(hits))


def documents(material: Material, which: str) -> dict[str, object]:
    """The insurance demo, each question read from its five passages at once."""
    reader = SentenceReader(material.scorer)
    cases = material.half(which)
    answers = {case.id: read(reader, case, case.hits) for case in cases}

    def of(kind: str) -> list[Case]:
        return [case for case in cases if case.kind == kind]

    def each(kind: str, judge: Callable[[Case, AnswerWithEvidence], float]) -> list[float]:
        return [judge(case, answers[case.id]) for case in of(kind)]

    return {
        "lookups": len(of("lookup")),
        "lookup_sentence_right": share(each("lookup", lambda c, a: recall(c, a) == 1)),
        "lookup_value_right": share(each("lookup", value_right)),
        "lookup_not_found": share(each("lookup", lambda c, a: not a.answer_found)),
        "lists": len(of("list")),
        "list_recall": share(each("list", recall)),
        "list_precision": share(each("list", precision)),
        "comparisons": len(of("comparison")),
        "comparison_both_sides": share(each("comparison", lambda c, a: recall(c, a) == 1)),
        "absent": len(of("absent")),
        "absent_not_found": share(each("absent", lambda c, a: not a.answer_found)),
    }


def recall(case: Case, answer: AnswerWithEvidence) -> float:
    """The share of expected values, members or sides of which a string stands in the answer or its quotes."""
    text = said(answer)
    return sum(any(accepted in text for accepted in strings) for strings in case.expected) / len(case.expected)


def value_right(case: Case, answer: AnswerWithEvidence) -> bool:
    """Whether the value itself is right: an expected string is in it, or it is the string's ISO date."""
    from litloop.text.dates import to_iso

    value = " ".join((answer.value or "").split())
    accepted = [text for strings in case.expected for text in strings]
    if not any(character.isdigit() for text in accepted for character in text):
        return recall(case, answer) == 1  # words: the sentence bears them
    return any(text in value or (to_iso(text) or "-") == value or _is_its_figure(value, text) for text in accepted)


def _is_its_figure(value: str, text: str) -> bool:
    """148 for "148 square metres": the figure is the value, its unit stands in the quote."""
    return bool(value) and value[-1].isdigit() and re.match(rf"{re.escape(value)}(?![\d.,])", text) is not None


def precision(case: Case, answer: AnswerWithEvidence) -> float:
    """The share of items that hold a string of any expected member; 0 without items."""
    wanted = [text for strings in case.expected for text in strings]
    held = [any(text in " ".join(item.evidence[0].quote.split()) for text in wanted) for item in answer.items]
    return float(np.mean(held)) if held else 0.0


def said(answer: AnswerWithEvidence) -> str:
    parts = [part for item in answer.items for part in (item.value, *(span.quote for span in item.evidence))]
    return " ".join(" ".join(parts).split())


def share(values: Sequence[float | bool]) -> float:
    return round(float(np.mean(values)), 3) if len(values) else 0.0
