"""Fits the weights of `litloop.llm.extractive_compressor` on the even cases.

    python -m benchmarks.training.fit_compression

A logistic regression with the few positives weighed up, so that both classes count the same; ridge 0.001.
"""

from __future__ import annotations

import numpy as np

from benchmarks.material.prompt_cases import Case, pubmedqa, scifact
from litloop.embedding import load_embedder
from litloop.llm.extractive_compressor import ExtractiveCompressor, SentenceFeatures
from litloop.llm.tokens import RankedTokens

NAMES = tuple(SentenceFeatures.__dataclass_fields__)


def examples(compressor: ExtractiveCompressor, cases: list[Case]) -> tuple[np.ndarray, np.ndarray]:
    """(n, 11) features and (n,) whether the sentence belongs to a rationale."""
    columns, labels = [], []
    for case in cases:
        sentences = compressor.sentences(case.documents)
        columns.append(compressor.features(sentences, case.question))
        evidence = {pair for rationale in case.rationales for pair in rationale}
        labels += [
            any(sentence.document == number and _same(sentence.text, text) for number, text in evidence)
            for sentence in sentences
        ]
    return np.vstack(columns), np.array(labels, dtype=float)


def _same(one: str, other: str) -> bool:
    """Sentences of two splitters: one may hold the other."""
    return one in other or other in one


def fit(features: np.ndarray, labels: np.ndarray, used: list[int]) -> np.ndarray:
    """(11,) weights for the raw features, zero where a column is not used. Newton's method, 30 steps."""
    scale = features[:, used].std(axis=0) + 1e-9
    design = np.c_[(features[:, used] - features[:, used].mean(axis=0)) / scale, np.ones(len(labels))]
    importance = np.where(labels > 0, (1 - labels.mean()) / labels.mean(), 1.0)
    ridge = np.diag([1e-3] * len(used) + [1e-9])
    weights = np.zeros(len(used) + 1)
    for _ in range(30):
        chance = 1 / (1 + np.exp(-design @ weights))
        slope = design.T @ (importance * (chance - labels)) / len(labels) + ridge @ weights
        curve = design.T @ (design * (importance * chance * (1 - chance))[:, None]) / len(labels) + ridge
        weights -= np.linalg.solve(curve, slope)
    result = np.zeros(features.shape[1])
    result[used] = weights[:-1] / scale
    return result


def main() -> None:
    cases = [*pubmedqa()[::2], *scifact()[::2]]
    compressor = ExtractiveCompressor(RankedTokens(), embedder=load_embedder("bge-small-en-v1.5"))
    features, labels = examples(compressor, cases)
    print(f"{len(cases)} cases, {len(labels)} sentences, {int(labels.sum())} of them evidence")
    for name, used in (("WITH_EMBEDDER", list(range(11))), ("WITHOUT_EMBEDDER", list(range(3, 11)))):
        weights = fit(features, labels, used)
        print(name, dict(zip(NAMES, weights.round(2).tolist(), strict=True)))


if __name__ == "__main__":
    main()
