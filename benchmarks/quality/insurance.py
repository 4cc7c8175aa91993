"""What reading one passage at a time saves, and what it costs in right answers.

    python -m benchmarks.quality.insurance [--work FOLDER] [--model smollm2|qwen-coder-1.5b] [--sample N]

Makes the documents, adds them to a library, and answers every question of the main set (80 look-ups, 20 lists and
comparisons: the dispatch article's mix) and the absent ones from K = 5 passages of 600 tokens, in four regimes:

    batch       every question from all five at once
    dispatch    as the table says, whole passages
    windows     as the table says, evidence windows where it says so
    all-windows as the table says, evidence windows for everything read one by one

Passages that are embedded cannot be longer than the embedder's window (512 tokens for bge-small), so the library's own
passages are smaller: what it finds is widened to the stretch of 600 tokens it lies in.

Three readers: the rules; a perfect one, which finds exactly what stands in the text it is shown, to tell what reading
costs from what the rules overlook; and with `--model` a real local model, on a sample.

For the first two the tokens counted are those of the prompts that would have been sent. Every answer
is kept in FOLDER/answers-<model>.jsonl: a stopped run goes on.
Writes benchmarks/quality/results/insurance.json, or insurance-<model>.json.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from benchmarks.material.answer_cases import INSURANCE, Case, expected_strings, insurance_library
from benchmarks.material.result_files import measured_with, page, table
from benchmarks.places import QUALITY_RESULTS
from benchmarks.quality.answering.measuring import recall
from litloop import Library
from litloop.answer.dispatch import DispatchDecision, dispatch
from litloop.answer.extract import ExtractJudge, extract_prompt
from litloop.catalogue import Collection
from litloop.core.records import (
    Anchor,
    AnswerItem,
    AnswerWithEvidence,
    BoundContract,
    Candidate,
    Hit,
    Judged,
    ModelCall,
    Paper,
    Passage,
    Relevance,
    evidence_span,
)
from litloop.core.settings import load_settings
from litloop.extractive.sentence_reader import SentenceReader
from litloop.extractive.sentence_scores import SentenceScorer
from litloop.llm.model_request import RunContext
from litloop.llm.router import LLMRouter
from litloop.llm.tokens import TokenCounter, count_messages, counter_for
from litloop.pipeline.answering import Answering, NarrowingExtractor
from litloop.question import ParsedQuestion, parse
from litloop.text.quotes import QuotedText
from litloop.text.sentences import sentence_spans

K = 5
PASSAGE_TOKENS = 600
FOUND = 30  # passages of the library that are looked at to fill K stretches
REGIMES = ("batch", "dispatch", "windows", "all-windows")
PERFECT = "perfect "  # before a regime: read by the perfect reader


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure sequential reading on the insurance demo.")
    parser.add_argument("--work", type=Path, help="where library and answers are kept; default: a temporary folder")
    parser.add_argument("--model", help="a local model of tests/support/local_model.py, in place of the rules")
    parser.add_argument("--sample", type=int, default=15, help="questions that a model answers")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        work = chosen.work or Path(temporary)
        with insurance_library(work) as library, answerer(library, chosen.model) as answers:
            cases = questions(library)
            if chosen.model:
                cases = cases[:: max(1, len(cases) // chosen.sample)]
            rows = list(answered(cases, answers, work / f"answers-{chosen.model or 'rules'}.jsonl"))
            measured = measured_with(library.components.embedder)
    report = {"by": chosen.model or "rules", "measured": measured, **summary(rows)}
    report["page"] = told(report)
    text = json.dumps(report, indent=2)
    print(text)
    name = f"insurance-{chosen.model}.json" if chosen.model else "insurance.json"
    (QUALITY_RESULTS / name).write_text(text + "\n", encoding="utf-8")


# --- Questions and their passages -------------------------------------------------------------------------


def questions(library: Library) -> list[Case]:
    """Every question with its K best stretches of 600 tokens."""
    held = library.collection()
    counter = counter_for("")
    stretches = {
        paper.id: list(_stretches(library, held, paper, counter))
        for paper in library.components.catalogue.papers(held.key)
    }
    cases = []
    for line in (INSURANCE / "questions.jsonl").open(encoding="utf-8"):
        row = json.loads(line)
        hits = _widened(library.search(row["text"], k=FOUND).hits, stretches)
        cases.append(Case(row["id"], parse(row["text"]), hits, lambda _: False, row["kind"], expected_strings(row)))
    return cases


def _stretches(library: Library, held: Collection, paper: Paper, counter: TokenCounter) -> Iterator[Passage]:
    """A paper's text in stretches of whole sentences, as near to 600 tokens as they come."""
    text = library.components.catalogue.text(held.key, paper.id)
    assert text is not None
    start, end, used = 0, 0, 0
    spans = [*sentence_spans(text.content), (len(text.content), len(text.content))]
    for first, last in spans:
        tokens = counter.count(text.content[end:last])
        if end > start and (used + tokens > PASSAGE_TOKENS or first == last):
            anchor = Anchor(paper.id, text.version, start, end)
            content = text.content[start:end]
            yield Passage(f"{paper.id}::{start}", paper.id, anchor, content, title=paper.title, tokens=used)
            start, used = first, 0
            tokens = counter.count(text.content[first:last])
        end, used = last, used + tokens


def _widened(found: Sequence[Hit], stretches: Mapping[str, Sequence[Passage]]) -> tuple[Hit, ...]:
    """The K first stretches that hold what was found, in its order."""
    ranked: dict[str, Hit] = {}
    for hit in found:
        middle = (hit.passage.anchor.start + hit.passage.anchor.end) // 2
        passage = next(p for p in stretches[hit.passage.paper_id] if middle <= p.anchor.end)
        ranked.setdefault(passage.id, replace(hit, passage=passage, rank=len(ranked) + 1))
    return tuple(ranked.values())[:K]


# --- Answering --------------------------------------------------------------------------------------------


class NoLimit:
    """The benchmark pays for everything."""

    def tokens_spent(self) -> int:
        return 0

    def affords_round(self) -> bool:
        return True

    def affords(self, hits: Sequence[Hit], *, since: int = 0, at_most: int | None = None) -> bool:
        return True


class Priced:
    """The rules' extractor, which notes what each prompt would have cost a model. With `perfect` (the strings that are
    right, by member) it finds what stands in the text shown, and nothing else."""

    def __init__(self, reader: SentenceReader, prompts: list[tuple[int, int]], *, narrow: bool = False) -> None:
        self._reader = reader
        self._counter = counter_for("")
        self._narrow = narrow
        self.prompts = prompts  # (tokens, of which are passages) of each call
        self.perfect: Sequence[Sequence[str]] | None = None

    def narrowed(self) -> Priced:
        narrow = Priced(self._reader, self.prompts, narrow=True)
        narrow.perfect = self.perfect
        return narrow

    async def extract(
        self,
        question: ParsedQuestion,
        hits: Sequence[Hit],
        *,
        partial: AnswerWithEvidence | None = None,
        wrong: Sequence[str] = (),
    ) -> Judged[BoundContract]:
        windows = {hit.passage.id: self._reader.window(question, hit) for hit in hits} if self._narrow else {}
        rendered = extract_prompt(question, hits, windows, partial=partial, wrong=wrong)
        shown = [windows.get(hit.passage.id, hit.passage.text) for hit in hits]
        self.prompts.append((count_messages(self._counter, rendered.messages), sum(map(self._counter.count, shown))))
        if self.perfect is not None:
            return Judged(_perfectly(self.perfect, hits, windows), "offline")
        return Judged(self._reader.read(question, hits, partial), "offline")


def _perfectly(wanted: Sequence[Sequence[str]], hits: Sequence[Hit], windows: Mapping[str, str]) -> BoundContract:
    items = []
    for strings in wanted:
        for hit in hits:
            seen = QuotedText(windows.get(hit.passage.id, hit.passage.text))
            found = next(
                (at for text in strings if seen.find(text) and (at := QuotedText(hit.passage.text).find(text))), None
            )
            if found:
                span = evidence_span(hit, *found)
                items.append(AnswerItem(span.quote, "text", (span,)))
                break
    value = items[0].value if items else None
    return BoundContract(AnswerWithEvidence(value, tuple(items), bool(items), len(items) == len(wanted) > 0), ())


@dataclass
class Answerer:
    """An extractor and the calls it made since they were last taken."""

    extractor: NarrowingExtractor
    calls: list[tuple[int, int]]

    def taken(self) -> list[tuple[int, int]]:
        calls = list(self.calls)
        self.calls.clear()
        return calls


@contextmanager
def answerer(library: Library, model: str | None) -> Iterator[Answerer]:
    snapshot = library.components.engine.snapshot(library.collection().key)
    parts = library.components
    scorer = SentenceScorer(parts.embedder, parts.analyser.terms, snapshot.document_frequency, snapshot.count)
    reader = SentenceReader(scorer)
    calls: list[tuple[int, int]] = []
    if model is None:
        yield Answerer(Priced(reader, calls), calls)
        return
    from benchmarks.material.tests_support import local_model

    def note(call: ModelCall) -> None:
        calls.append((call.prompt_tokens, 0))

    with local_model(model) as served:
        llm = {"profile": "custom", "base_url": served.base_url, "api_key": "none", "model": served.model,
               "timeout_s": 600, "attempts": 1, "fallback": False}  # fmt: skip
        router = LLMRouter.build(load_settings(None, llm=llm)).bind(RunContext(on_call=note))
        yield Answerer(ExtractJudge(router.model_for("extract"), reader), calls)


def answered(cases: Sequence[Case], answers: Answerer, path: Path) -> Iterator[dict[str, Any]]:
    """One row for each question and regime. Rows that are in `path` are not made again."""
    done = {}
    if path.is_file():
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        done = {(row["id"], row["regime"]): row for row in rows}
    with path.open("a", encoding="utf-8") as kept, asyncio.Runner() as runner:
        for case in cases:
            for regime in _regimes(answers):
                row = done.get((case.id, regime))
                if row is None:
                    row = runner.run(_answer(case, regime, answers))
                    kept.write(json.dumps(row) + "\n")
                    kept.flush()
                yield row


def _regimes(answers: Answerer) -> tuple[str, ...]:
    priced = isinstance(answers.extractor, Priced)
    return (*REGIMES, *(PERFECT + regime for regime in REGIMES)) if priced else REGIMES


async def _answer(case: Case, regime: str, answers: Answerer) -> dict[str, Any]:
    answers.taken()
    if isinstance(answers.extractor, Priced):
        answers.extractor.perfect = case.expected if regime.startswith(PERFECT) else None
    decision = _in_regime(dispatch(case.question), regime.removeprefix(PERFECT))
    answering = Answering(answers.extractor, answers.extractor, NoLimit(), lambda *_, **__: None)
    relevant = [(Candidate(Paper(h.passage.paper_id, h.passage.title), (h,), h.score, h.rank),
                 Relevance(h.passage.paper_id, "relevant", 1.0)) for h in case.hits]  # fmt: skip
    answer = (await answering.answer(case.question, decision, relevant)).attempt.contract
    calls = answers.taken()
    return {
        "id": case.id,
        "kind": case.kind,
        "regime": regime,
        "mode": decision.mode,
        "rule": decision.rule,
        "found": answer.answer_found,
        "recall": round(recall(case, answer), 3) if case.expected else None,
        "calls": len(calls),
        "prompt_tokens": sum(tokens for tokens, _ in calls),
        "passage_tokens": sum(shown for _, shown in calls),
    }


def _in_regime(decision: DispatchDecision, regime: str) -> DispatchDecision:
    if regime == "batch":
        return replace(decision, mode="batch", parts=())
    if regime == "windows":
        return decision
    context: Literal["passage", "window"] = (
        "window" if regime == "all-windows" and decision.mode == "sequential" else "passage"
    )
    return replace(decision, context=context, parts=tuple(_in_regime(part, regime) for part in decision.parts))


# --- Summing up -------------------------------------------------------------------------------------------


def summary(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Per regime what was right and what it cost. `saved` is the share of the input tokens of batch."""
    report: dict[str, Any] = {"questions": len({row["id"] for row in rows}), "k": K, "passage_tokens": PASSAGE_TOKENS}
    for before in ("", PERFECT):
        by = {regime: [row for row in rows if row["regime"] == before + regime] for regime in REGIMES}
        if by["batch"]:
            report[f"{before}reader".replace(" ", "_")] = _compared(by)
    return report


def told(report: Mapping[str, Any]) -> dict[str, Any]:
    readers = {"perfect_reader": "perfect reader", "reader": str(report["by"])}
    rows = []
    for reader, name in readers.items():
        for regime in REGIMES if reader in report else ():
            row, of = report[reader][regime], report[reader][regime]["of"]
            rows.append([
                name, regime, f"{row['lookups_right']} of {of['lookup']}", row["list_recall"],
                f"{row['comparisons_right']} of {of['comparison']}", f"{row['absent_not_found']} of {of['absent']}",
                row["input_tokens"], row["saved"], row["saved_on_lookups"], row["calls_per_sequential_lookup"],
            ])  # fmt: skip
    ceiling = next((report[one]["ceiling_whole_passages"] for one in readers if one in report
                    and "ceiling_whole_passages" in report[one]), None)  # fmt: skip
    most = f" At most {ceiling:.2f} can be saved with whole passages." if ceiling else ""
    return page(
        "Reading one passage at a time",
        f"{report['questions']} questions over the documents of an insurer, {K} passages of {PASSAGE_TOKENS} tokens. "
        "batch: all at once; dispatch: as litloop decides, whole passages; windows: and only the sentences around the "
        f"match. A perfect reader finds exactly what stands in the text that it is shown.{most}",
        table("", ["reader", "regime", "look-ups right", "list recall", "comparisons right", "absent not found",
                   "input tokens", "saved", "saved on look-ups", "calls a look-up"], rows),
    )  # fmt: skip


def _compared(by: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, Any]:
    report: dict[str, Any] = {}
    batch = [row for row in by["batch"] if row["kind"] != "absent"]
    spent = sum(row["prompt_tokens"] for row in batch)
    shown = sum(row["passage_tokens"] for row in batch)
    if shown:
        report["prompt_tokens_without_passages"] = round((spent - shown) / len(batch))
        report["tokens_of_a_passage"] = round(shown / len(batch) / K)
        report["ceiling_whole_passages"] = _ceiling(batch)
    for regime in REGIMES:
        main = [row for row in by[regime] if row["kind"] != "absent"]
        used = sum(row["prompt_tokens"] for row in main)
        lookups = [row for row in main if row["kind"] == "lookup"]
        before = sum(row["prompt_tokens"] for row in batch if row["kind"] == "lookup")
        report[regime] = {
            **_right(by[regime]),
            "input_tokens": used,
            "saved": round(1 - used / spent, 3) if spent else None,
            "saved_on_lookups": round(1 - sum(row["prompt_tokens"] for row in lookups) / before, 3) if before else None,
            "calls_per_sequential_lookup": _mean([row["calls"] for row in lookups if row["mode"] == "sequential"]),
        }
    if shown:
        report["share_of_ceiling"] = round(report["dispatch"]["saved"] / report["ceiling_whole_passages"], 3)
    return report


def _ceiling(batch: Sequence[Mapping[str, Any]]) -> float:
    """What could be saved if every look-up, and nothing else, were read one by one and ended with its first passage."""
    whole = sum(row["prompt_tokens"] for row in batch)
    least = sum(
        row["prompt_tokens"] - (row["passage_tokens"] * (K - 1) / K if row["kind"] == "lookup" else 0) for row in batch
    )
    share: float = 1 - least / whole
    return round(share, 3)


def _right(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    def of(kind: str) -> list[Mapping[str, Any]]:
        return [row for row in rows if row["kind"] == kind]

    return {
        "lookups_right": sum(row["recall"] == 1 for row in of("lookup")),
        "list_recall": _mean([row["recall"] for row in of("list")]),
        "comparisons_right": sum(row["recall"] == 1 for row in of("comparison")),
        "absent_not_found": sum(not row["found"] for row in of("absent")),
        "of": {kind: len(of(kind)) for kind in ("lookup", "list", "comparison", "absent")},
    }


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 3) if values else None


if __name__ == "__main__":
    main()
