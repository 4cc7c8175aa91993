"""Two learners of a fusion: a logistic regression, and boosted trees (LambdaMART) where lightgbm is installed.

Source: Burges 2010 (LambdaMART).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litloop.core.errors import MissingExtra, UsageError
from litloop.experimental.learned_fusion import FEATURES, Linear, Matrix, Trees
from litloop.index.engine import Ranking

Learner = Callable[[Sequence["Example"]], Linear | Trees]

# Small trees, many rows in each leaf: there are hundreds of questions, not millions.
_TREES: dict[str, Any] = {
    "objective": "lambdarank", "num_leaves": 7, "learning_rate": 0.05, "min_data_in_leaf": 100, "lambda_l2": 5.0,
    "lambdarank_truncation_level": 15, "feature_fraction": 0.7, "bagging_fraction": 0.8, "bagging_freq": 1,
    "num_threads": 1, "deterministic": True, "seed": 0, "verbose": -1,
}  # fmt: skip
_ROUNDS = 100
_RIDGE = 1e-4


@dataclass(frozen=True, slots=True)
class Example:
    """One question: the usual ranking, the `features` (m, len(FEATURES)) of its first m, the documents of all of it,
    and the grades of every judged document. `collection` weighs: each counts the same, whatever its size."""

    question: str
    usual: Ranking
    features: Matrix
    documents: tuple[str, ...]
    grades: dict[str, int]
    collection: str = ""

    @property
    def relevant(self) -> NDArray[np.float64]:
        """(m,) 1 where the document is relevant."""
        return np.array([float(self.grades.get(d, 0) > 0) for d in self.documents[: len(self.features)]])


def available_learners() -> dict[str, Learner]:
    try:
        import lightgbm  # noqa: F401
    except ImportError:
        return {"logistic": logistic}
    return {"logistic": logistic, "trees": boosted_trees}


def logistic(examples: Sequence[Example]) -> Linear:
    """Logistic regression on standardised features, ridge-penalised, each collection weighing the same. Newton's
    method."""
    features = np.vstack([example.features for example in examples])
    relevant, weight = np.concatenate([e.relevant for e in examples]), _weights(examples)
    means, scales = features.mean(axis=0), features.std(axis=0) + 1e-9
    design = np.c_[(features - means) / scales, np.ones(len(features))]
    ridge = np.diag([_RIDGE] * len(FEATURES) + [1e-9])
    fitted = np.zeros(len(FEATURES) + 1)
    for _ in range(25):
        chance = 1 / (1 + np.exp(-np.clip(design @ fitted, -30, 30)))
        slope = design.T @ (weight * (chance - relevant)) + ridge @ fitted
        curve = (design * (weight * chance * (1 - chance))[:, None]).T @ design + ridge
        fitted -= np.linalg.solve(curve, slope)
    return Linear(tuple(fitted[:-1].tolist()), tuple(means.tolist()), tuple(scales.tolist()))


def boosted_trees(examples: Sequence[Example]) -> Trees:
    """LambdaMART over the questions that have a relevant document among their first hits."""
    try:
        import lightgbm
    except ImportError:
        raise MissingExtra("LightGBM", "learned") from None

    useful = [example for example in examples if example.relevant.any()]
    if not useful:
        raise UsageError("No relevant document was found for any question: there is nothing to learn from.")
    data = lightgbm.Dataset(
        np.vstack([example.features for example in useful]),
        np.concatenate([example.relevant for example in useful]),
        group=[len(example.features) for example in useful],
        weight=_weights(useful) * sum(len(example.features) for example in useful),
    )
    booster = lightgbm.train(_TREES, data, _ROUNDS)
    return _padded([_arrays(tree["tree_structure"]) for tree in booster.dump_model()["tree_info"]])


def _weights(examples: Sequence[Example]) -> Matrix:
    """A weight for each row; each collection's sum is the same, and all of them sum to 1."""
    rows: dict[str, int] = {}
    for example in examples:
        rows[example.collection] = rows.get(example.collection, 0) + len(example.features)
    return np.concatenate(
        [np.full(len(example.features), 1.0 / rows[example.collection] / len(rows)) for example in examples]
    )


@dataclass
class _Tree:
    feature: list[int]
    threshold: list[float]
    left: list[int]
    right: list[int]
    value: list[float]


def _arrays(root: dict[str, Any]) -> _Tree:
    """A tree as lightgbm tells it, nodes before their children. A tree of one leaf gets a node that leads to it."""
    tree = _Tree([], [], [], [], [])

    def leaf(node: dict[str, Any]) -> int:
        tree.value.append(float(node["leaf_value"]))
        return ~(len(tree.value) - 1)

    def grow(node: dict[str, Any]) -> int:
        if "split_feature" not in node:
            return leaf(node)
        place = len(tree.feature)
        tree.feature.append(int(node["split_feature"]))
        tree.threshold.append(float(node["threshold"]))
        tree.left.append(0)
        tree.right.append(0)
        tree.left[place] = grow(node["left_child"])
        tree.right[place] = grow(node["right_child"])
        return place

    only = grow(root)
    if only < 0:
        tree.feature, tree.threshold, tree.left, tree.right = [0], [0.0], [only], [only]
    return tree


def _padded(trees: Sequence[_Tree]) -> Trees:
    """Trees of one shape: what is added is never reached."""
    nodes, leaves = max(len(t.feature) for t in trees), max(len(t.value) for t in trees)

    def filled(rows: Sequence[Sequence[Any]], length: int, empty: Any) -> tuple[tuple[Any, ...], ...]:
        return tuple((*row, *[empty] * (length - len(row))) for row in rows)

    return Trees(
        filled([t.feature for t in trees], nodes, 0),
        filled([t.threshold for t in trees], nodes, 0.0),
        filled([t.left for t in trees], nodes, -1),
        filled([t.right for t in trees], nodes, -1),
        filled([t.value for t in trees], leaves, 0.0),
    )
