"""Does searching for more than the question help? HyDE and paraphrases, by a real local model and without one.

    python -m benchmarks.quality.expansion write              # the model writes; a stopped run goes on
    python -m benchmarks.quality.expansion score --cache DIR  # every arm over the questions that have been written for

The gold questions of the NeuLitTrace corpus (relevant: the papers of the asked condition), and seeded samples of the
SciFact and Cranfield test questions. All arms search with the settings' own defaults and differ in what they search
for beside the question; the arms without a model are scored over all questions of the collections as well. The texts
that the model wrote stand in the result, so `score` needs no model. Differences are paired, against no expansion.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.material.collections import load
from benchmarks.material.result_files import measured_with, page
from benchmarks.material.result_files import table as table_of
from benchmarks.places import QUALITY_RESULTS, data_folder
from litloop.core.records import Passage
from litloop.core.settings import LLMSettings, SearchSettings, Settings
from litloop.embedding.load import load_embedder
from litloop.embedding.protocol import Embedder
from litloop.evaluation.collections import TestCollection
from litloop.evaluation.metrics import score
from litloop.evaluation.runner import DEPTH, IndexedCollection, index_collection, plan_for
from litloop.evaluation.significance import PerQuestion, bootstrap_interval, compare
from litloop.index.analyser import Analyser
from litloop.llm.chat import ChatResult
from litloop.llm.router import LLMRouter
from litloop.loop.hyde import HydeJudge
from litloop.loop.paraphrase import ParaphraseJudge
from litloop.pipeline.paper_retriever import moved_towards, offline_paraphrases_of
from litloop.question import parse
from litloop.retrieval.feedback import FEEDBACK_PASSAGES
from litloop.retrieval.hits import by_paper
from litloop.retrieval.plan import WeightedQuery

TARGET = QUALITY_RESULTS / "expansion.json"
SEED = 20261130
SAMPLE = 30  # questions of each sampled collection
HYDE_TOKENS = 60  # two sentences: what a small model on a slow machine can pay for
METRICS = ("nDCG@10", "Recall@10")
SETTINGS = SearchSettings()


@dataclass(frozen=True, slots=True)
class Question:
    collection: str
    id: str
    text: str

    @property
    def key(self) -> str:
        return f"{self.collection}:{self.id}"


# --- What is asked ---


def collections(data: Path) -> dict[str, TestCollection]:
    return {name: load(data, name) for name in ("neulittrace", "scifact", "cranfield")}


def chosen(held: Mapping[str, TestCollection]) -> list[Question]:
    """The gold questions, then the samples in turn, so that a run stopped early has asked of every collection."""
    picked = {}
    for name, collection in held.items():
        every = sorted(collection.questions, key=lambda question: question.id)
        count = len(every) if name == "neulittrace" else SAMPLE
        drawn = random.Random(f"{SEED}:{name}").sample(every, count)
        picked[name] = [Question(name, question.id, question.text) for question in drawn]
    first = picked.pop("neulittrace")
    return first + [question for turn in zip(*picked.values(), strict=True) for question in turn]


# --- What the model writes ---


class Brief:
    """A model whose replies are kept short."""

    def __init__(self, model: Any, most: int) -> None:
        self._model = model
        self._most = most

    async def chat(self, messages: Any, **options: Any) -> ChatResult[None]:
        return await self._model.chat(messages, **{**options, "max_tokens": self._most})  # type: ignore[no-any-return]


async def _nothing(_: str) -> None:
    return None


async def _no_words(_: str) -> Sequence[str]:
    return ()


async def write(questions: Sequence[Question], base_url: str, model: str, keep: Callable[[str, Any], None]) -> None:
    llm = LLMSettings(profile="custom", base_url=base_url, model=model, timeout_s=300, attempts=1)
    router = LLMRouter.build(Settings(llm=llm))
    hyde = HydeJudge(Brief(router.model_for("hyde"), HYDE_TOKENS), _nothing)  # type: ignore[arg-type]
    paraphrase = ParaphraseJudge(router.model_for("paraphrase"), _no_words)
    try:
        for question in questions:
            made = await hyde.expand(question.text, None)
            phrased = await paraphrase.expand(question.text, None)
            keep(
                question.key,
                {
                    "hyde": made.value.text if made and made.by == "model" else None,
                    "paraphrases": [q.text for q in phrased.value.queries] if phrased and phrased.by == "model" else [],
                },
            )
            print(question.key, "written", file=sys.stderr, flush=True)
    finally:
        await router.aclose()


# --- What each arm searches for ---

Queries = Sequence[WeightedQuery]
Arm = Callable[[Question, "Bench", Mapping[str, Any]], Queries]


class Bench:
    """One collection, indexed, with what the arms without a model need."""

    def __init__(self, indexed: IndexedCollection, embedder: Embedder) -> None:
        self.indexed = indexed
        self.embedder = embedder
        self.analyser = Analyser()
        self.snapshot = indexed.searched.snapshot

    def ranked(self, text: str, queries: Queries) -> list[str]:
        plan = plan_for("hybrid", text, SETTINGS).with_queries(queries, SETTINGS.expansion_weight)
        hits = self.indexed.searcher.search(plan, self.indexed.searched).hits
        return [paper.paper_id for paper in by_paper(hits, DEPTH)]

    def first(self, text: str) -> list[Passage]:
        plan = replace(plan_for("hybrid", text, SETTINGS), k=FEEDBACK_PASSAGES)
        return [hit.passage for hit in self.indexed.searcher.search(plan, self.indexed.searched).hits]


def _none(question: Question, bench: Bench, written: Mapping[str, Any]) -> Queries:
    return ()


def _hyde(question: Question, bench: Bench, written: Mapping[str, Any]) -> Queries:
    text = written[question.key]["hyde"]
    return (WeightedQuery(text, role="hyde"),) if text else ()


def _paraphrases(question: Question, bench: Bench, written: Mapping[str, Any]) -> Queries:
    return [WeightedQuery(text, role="paraphrase") for text in written[question.key]["paraphrases"]]


def _paraphrases_unless_keyword(question: Question, bench: Bench, written: Mapping[str, Any]) -> Queries:
    return () if parse(question.text).query_kind == "keyword" else _paraphrases(question, bench, written)


def _feedback(question: Question, bench: Bench, written: Mapping[str, Any]) -> Queries:
    return (moved_towards(question.text, bench.first(question.text), bench.analyser, bench.embedder, bench.snapshot),)


def _rephrased(question: Question, bench: Bench, written: Mapping[str, Any]) -> Queries:
    phrases = offline_paraphrases_of(question.text, bench.first(question.text), bench.analyser, bench.snapshot)
    return [WeightedQuery(phrase, role="paraphrase") for phrase in phrases]


OFFLINE: Mapping[str, Arm] = {"none": _none, "feedback (offline)": _feedback, "paraphrases (offline)": _rephrased}
ARMS: Mapping[str, Arm] = {
    "none": _none,
    "HyDE (model)": _hyde,
    "paraphrases (model)": _paraphrases,
    "paraphrases (model), keyword questions left alone": _paraphrases_unless_keyword,
    **{name: arm for name, arm in OFFLINE.items() if name != "none"},
}


def scored(bench: Bench, questions: Sequence[Question], arms: Mapping[str, Arm], written: Mapping[str, Any]) -> Any:
    """arm -> metric -> question -> value."""
    collection = bench.indexed.collection
    qrels = {question.id: collection.qrels[question.id] for question in questions}
    found = {}
    for name, arm in arms.items():
        ranked = {q.id: bench.ranked(q.text, arm(q, bench, written)) for q in questions}
        found[name] = score(qrels, ranked, METRICS).per_question
    return found


def table(per_collection: Mapping[str, Any]) -> dict[str, Any]:
    """Means and paired differences: of each collection and over all questions together."""
    pooled: dict[str, dict[str, dict[str, float]]] = {}
    for name, arms in per_collection.items():
        for arm, metrics in arms.items():
            for metric, values in metrics.items():
                held = pooled.setdefault(arm, {}).setdefault(metric, {})
                held |= {f"{name}:{question}": value for question, value in values.items()}
    return {
        name: {arm: _row(metrics, arms["none"]) for arm, metrics in arms.items()}
        for name, arms in {**per_collection, "all questions": pooled}.items()
    }


def _row(metrics: Mapping[str, PerQuestion], without: Mapping[str, PerQuestion]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for metric, values in metrics.items():
        mean, paired = bootstrap_interval(list(values.values())), compare(values, without[metric])
        row[metric] = {
            "n": len(values), "mean": round(mean.mean, 4),
            "difference": {name: round(value, 4) for name, value in asdict(paired.difference).items()},
            "p": round(paired.p, 4),
        }  # fmt: skip
    return row


def score_all(held: Mapping[str, TestCollection], cache: Path, name: str, texts: Mapping[str, Any]) -> dict[str, Any]:
    embedder = load_embedder(name)
    asked = [question for question in chosen(held) if question.key in texts]
    sample, everything = {}, {}
    for collection in held.values():
        bench = Bench(index_collection(collection, embedder, cache / collection.name), embedder)
        mine = [question for question in asked if question.collection == collection.name]
        every = [Question(collection.name, question.id, question.text) for question in collection.questions]
        if mine:
            sample[collection.name] = scored(bench, mine, ARMS, texts)
        everything[collection.name] = scored(bench, every, OFFLINE, texts)
    return {
        "embedder": embedder.fingerprint,
        "expansion_weight": SETTINGS.expansion_weight,
        "corpus": {collection.name: collection.corpus_hash for collection in held.values()},
        "written for": {"questions": len(asked), "of": len(chosen(held)),
                        "with paraphrases": sum(bool(texts[q.key]["paraphrases"]) for q in asked)},
        "with a model, on the sample": table(sample),
        "without a model, on every question": table(everything),
    }  # fmt: skip


def told(result: Mapping[str, Any]) -> dict[str, Any]:
    about = result["written for"]
    return page(
        "Searching for more than the question",
        "nDCG@10, in brackets the paired difference to no expansion with its 95 % interval. The gold questions of "
        "neulittrace count the papers of their condition as relevant.",
        *(_told(f"{heading} ({about['questions']} of {about['of']} questions are written for)."
                if "sample" in heading else f"{heading}.", result[heading])
          for heading in ("with a model, on the sample", "without a model, on every question") if result[heading]),
    )  # fmt: skip


def _told(about: str, collections_: Mapping[str, Any]) -> dict[str, Any]:
    arms = next(iter(collections_.values()))
    head = [f"{name} ({rows['none']['nDCG@10']['n']})" for name, rows in collections_.items()]
    return table_of(
        about.capitalize(), ["", *head], [[arm, *(_cell(rows[arm]["nDCG@10"]) for rows in collections_.values())]
                                          for arm in arms],
    )  # fmt: skip


def _cell(row: Mapping[str, Any]) -> str:
    over = row["difference"]
    return f"{row['mean']:.3f} ({over['mean']:+.3f} [{over['low']:+.3f}, {over['high']:+.3f}])"


# --- The file ---


def read() -> dict[str, Any]:
    return json.loads(TARGET.read_text(encoding="utf-8")) if TARGET.is_file() else {"texts": {}}


def save(result: Mapping[str, Any]) -> None:
    unfinished = TARGET.with_suffix(".unfinished")
    unfinished.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    unfinished.replace(TARGET)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("step", choices=("write", "score"))
    arguments.add_argument("--data", type=Path, default=data_folder())
    arguments.add_argument("--cache", type=Path, help="keeps vectors between runs")
    arguments.add_argument("--embedder", default="bge-small-en-v1.5")
    arguments.add_argument("--weights", default="qwen-coder-1.5b", help="of tests/support/local_model.py")
    given = arguments.parse_args()
    held = collections(given.data)
    result = read()
    if given.step == "write":
        from benchmarks.material.tests_support import local_model

        texts = result["texts"]
        missing = [question for question in chosen(held) if question.key not in texts]

        def keep(key: str, text: Any) -> None:
            texts[key] = text
            save(result)

        with local_model(given.weights, context=2048) as served:
            result["model"] = served.model
            asyncio.run(write(missing, served.base_url, served.model, keep))
        return
    if given.cache is None:
        arguments.error("score needs --cache")
    scores = score_all(held, given.cache, given.embedder, result["texts"])
    measured = measured_with(load_embedder(given.embedder), *held.values())
    result = {"model": result.get("model"), "measured": measured, **scores, "texts": result["texts"]}
    result["page"] = told(result)
    save(result)
    print(json.dumps({name: value for name, value in result.items() if name not in ("texts", "page")}, indent=1))


if __name__ == "__main__":
    main()
