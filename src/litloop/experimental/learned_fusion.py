"""Learned fusion: a small model, fitted on judged questions, decides how the signals of a hit weigh.

The model is a few numbers in a JSON file that a library may hold (`fusion.json`), made by `litloop eval train-fusion`.
None is shipped: trained on four collections and used on a fifth it fell behind the usual fusion every time
(`docs/experiments.md`). On a library's own questions it may gain, and is stored only if it does.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litloop.core.errors import UsageError
from litloop.index.engine import Keys, Ranking, Snapshot
from litloop.retrieval.fusion import Signals, min_max, ordered
from litloop.text.idf import idf

FUSION_FILE = "fusion.json"  # in the library folder
FORMAT = 1
DEPTH = 60  # first hits that are looked at again; the others keep their order behind them
FEEDBACK_WEIGHTS = (1.0, 1 / 2, 1 / 3)  # of the first hits' vectors
FEEDBACK_SHARE = 0.3

# What is known of a hit without reading its text. All but `bm25_share` and `cosine_gap` are scaled within the query.
FEATURES = (
    "bm25",  # its BM25 score, 0-1 within the leg; 0 when the leg did not find it
    "cosine",  # its cosine, 0-1 within the candidates
    "support",  # what its neighbours add to its score
    "feedback",  # its cosine with the question moved towards the first three hits, 0-1
    "bm25_share",  # its BM25 score over the IDF mass of the question: comparable between questions
    "cosine_gap",  # its cosine minus the best one
    "both",  # 1 when both legs found it
)

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Linear:
    """Σ weight · (feature - mean) / scale; three numbers for each of FEATURES."""

    weights: tuple[float, ...]
    means: tuple[float, ...]
    scales: tuple[float, ...]

    def __call__(self, features: Matrix) -> Matrix:
        scored: Matrix = ((features - np.array(self.means)) / np.array(self.scales)) @ np.array(self.weights)
        return scored


@dataclass(frozen=True, slots=True)
class Trees:
    """A sum of regression trees. Each row of the first four is one tree, padded: node n sends what is at most
    `threshold[n]` in `feature[n]` to `left[n]`, the rest to `right[n]`; a child below 0 is the leaf ~child."""

    feature: tuple[tuple[int, ...], ...]
    threshold: tuple[tuple[float, ...], ...]
    left: tuple[tuple[int, ...], ...]
    right: tuple[tuple[int, ...], ...]
    value: tuple[tuple[float, ...], ...]  # of the leaves

    def __call__(self, features: Matrix) -> Matrix:
        feature, threshold = np.array(self.feature), np.array(self.threshold)
        left, right, value = np.array(self.left), np.array(self.right), np.array(self.value)
        trees = np.arange(len(feature))[:, None]
        node = np.zeros((len(feature), len(features)), np.int64)
        while (node >= 0).any():
            inside = np.maximum(node, 0)
            goes = features[np.arange(len(features))[None, :], feature[trees, inside]] <= threshold[trees, inside]
            node = np.where(node < 0, node, np.where(goes, left[trees, inside], right[trees, inside]))
        scored: Matrix = value[trees, ~node].sum(axis=0)
        return scored


@dataclass(frozen=True, slots=True)
class FusionModel:
    """score = (1 - mix) · usual + mix · learned, both scaled to 0-1 over the first hits."""

    learned: Linear | Trees
    mix: float
    embedder: str  # fingerprint: another embedder's cosines lie on another scale
    trained_on: Mapping[str, Any] = field(default_factory=dict)

    def reordered(self, signals: Signals, snapshot: Snapshot) -> Ranking:
        """The usual ranking of one search as this model orders it."""
        return self.ranked(signals.usual, features_of(signals, snapshot))

    def ranked(self, usual: Ranking, features: Matrix) -> Ranking:
        """`usual` with its first hits, whose `features` (m, len(FEATURES)) these are, in a new order. Scores stay
        in 0-1, and what was not looked at stays behind what was."""
        count = len(features)
        if count < 2:
            return usual
        learned = self.learned(features).astype(np.float32)
        head = (1 - self.mix) * min_max(usual.scores[:count]) + self.mix * min_max(learned)
        tail = usual.scores[count:]
        below = float(tail.max()) if len(tail) else 0.0
        lifted = below + (1 - below) * head
        return ordered(usual.keys, np.concatenate([lifted, tail]).astype(np.float32))


def features_of(signals: Signals, snapshot: Snapshot) -> Matrix:
    """The features of the first DEPTH hits. Reads their vectors and the question's document frequencies."""
    near = snapshot.vectors(signals.usual.keys[:DEPTH].tolist())
    frequency = snapshot.document_frequency(list(signals.terms))
    mass = sum(weight * idf(frequency.get(term, 0), snapshot.count) for term, weight in signals.terms.items())
    return fusion_features(signals, near, mass)


def fusion_features(signals: Signals, vectors: NDArray[np.float32], idf_mass: float) -> Matrix:
    """(m, len(FEATURES)) of the first m of `signals.usual`, whose unit `vectors` (m, dimension) these are.
    `idf_mass` is Σ weight · IDF of the question's terms."""
    keys = signals.usual.keys[: len(vectors)]
    bm25 = _of(signals.sparse, keys, missing=0.0)
    words = signals.sparse
    scaled = Ranking(words.keys, min_max(words.scores).astype(np.float32)) if len(words) else words
    cosines = vectors @ signals.question
    support = signals.usual.scores[: len(keys)] - _of(signals.first, keys, missing=0.0) * (1 - signals.neighbour_share)
    found = np.isin(keys, signals.sparse.keys) & np.isin(keys, signals.found_dense)
    return np.column_stack(
        [
            _of(scaled, keys, missing=0.0),
            min_max(cosines),
            support,
            min_max(vectors @ _moved(signals.question, vectors)),
            bm25 / idf_mass if idf_mass else np.zeros(len(keys)),
            cosines - float(cosines.max()),
            found.astype(np.float64),
        ]
    )


def write_fusion_model(model: FusionModel, path: Path) -> None:
    kind = "linear" if isinstance(model.learned, Linear) else "trees"
    content = {
        "litloop_fusion": FORMAT, "features": FEATURES, kind: asdict(model.learned), "mix": model.mix,
        "embedder": model.embedder, "trained_on": model.trained_on,
    }  # fmt: skip
    path.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def read_fusion_model(path: Path) -> FusionModel | None:
    """The model in `path`, None when there is no such file. Raises UsageError for a file that is none."""
    if not path.is_file():
        return None
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        if raw["litloop_fusion"] != FORMAT or tuple(raw["features"]) != FEATURES or not 0 <= raw["mix"] <= 1:
            raise ValueError("another format")
        learned = _linear(raw["linear"]) if "linear" in raw else _trees(raw["trees"])
        return FusionModel(learned, float(raw["mix"]), str(raw["embedder"]), dict(raw["trained_on"]))
    except (ValueError, KeyError, TypeError, AttributeError, OSError):
        raise UsageError(
            f"{path} is not a learned fusion that this litloop reads. Train it again with: litloop eval train-fusion"
        ) from None


def _linear(raw: Mapping[str, Any]) -> Linear:
    found = Linear(*(tuple(map(float, raw[name])) for name in ("weights", "means", "scales")))
    rows = (found.weights, found.means, found.scales)
    if any(len(row) != len(FEATURES) or not np.isfinite(row).all() for row in rows) or min(found.scales) <= 0:
        raise ValueError("out of bounds")
    return found


def _trees(raw: Mapping[str, Any]) -> Trees:
    """Every child must be a later node or a leaf that is there: a file must not be able to make a search run on."""
    feature, left, right = ([tuple(map(int, row)) for row in raw[name]] for name in ("feature", "left", "right"))
    threshold, value = ([tuple(map(float, row)) for row in raw[name]] for name in ("threshold", "value"))
    if len({len(row) for row in feature}) != 1 or len({len(row) for row in value}) != 1:
        raise ValueError("not padded")
    for row in zip(feature, threshold, left, right, value, strict=True):
        count, leaves = len(row[0]), len(row[4])
        if not count or any(len(other) != count for other in row[1:4]) or not np.isfinite([*row[1], *row[4]]).all():
            raise ValueError("out of bounds")
        if not all(0 <= one < len(FEATURES) for one in row[0]):
            raise ValueError("an unknown feature")
        for node, children in enumerate(zip(row[2], row[3], strict=True)):
            if any(child >= count or (0 <= child <= node) or ~child >= leaves for child in children):
                raise ValueError("an unknown node")
    return Trees(tuple(feature), tuple(threshold), tuple(left), tuple(right), tuple(value))


def _of(ranking: Ranking, keys: Keys, *, missing: float) -> Matrix:
    known = dict(zip(ranking.keys.tolist(), ranking.scores.tolist(), strict=True))
    return np.array([known.get(key, missing) for key in keys.tolist()], np.float64)


def _moved(question: NDArray[np.float32], vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """The question moved towards the first hits, unit length. Source: Rocchio 1971."""
    weights = np.array(FEEDBACK_WEIGHTS[: len(vectors)], np.float32)
    centre = (weights[:, None] * vectors[: len(weights)]).sum(axis=0) / weights.sum()
    moved = (1 - FEEDBACK_SHARE) * question + FEEDBACK_SHARE * centre
    unit: NDArray[np.float32] = (moved / np.linalg.norm(moved)).astype(np.float32)
    return unit
