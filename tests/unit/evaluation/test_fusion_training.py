from __future__ import annotations

import sys

import numpy as np
import pytest

from litloop.core.errors import UsageError
from litloop.evaluation.fusion_examples import examples as gather
from litloop.evaluation.fusion_training import train
from litloop.experimental.fusion_learners import Example, boosted_trees, logistic
from litloop.experimental.learned_fusion import FEATURES, Trees
from litloop.index.engine import Ranking

SIGNAL = FEATURES.index("cosine_gap")


def example(number: int, *, telling: bool) -> Example:
    """Twenty candidates, one of them relevant. The usual order knows nothing; one feature tells, or none does."""
    generator = np.random.default_rng(number)
    features = generator.normal(size=(20, len(FEATURES)))
    relevant = int(generator.integers(20))
    if telling:
        features[relevant, SIGNAL] += 4.0
    documents = tuple(f"d{number}-{place}" for place in range(20))
    grades = {document: int(place == relevant) for place, document in enumerate(documents)}
    usual = Ranking(np.arange(20, dtype=np.int64), np.linspace(1, 0.5, 20, dtype=np.float32))
    return Example(f"q{number}", usual, features, documents, grades)


def test_what_tells_is_learned_and_beats_the_usual_order_on_questions_held_out():
    found = train([example(n, telling=True) for n in range(60)], "e", learners={"logistic": logistic})
    assert found.model is not None
    assert found.held_out > found.usual + 0.2
    assert found.comparison.p < 0.05
    assert found.model.embedder == "e"
    assert found.model.trained_on["questions"] == 60


def test_noise_is_not_stored():
    found = train([example(n, telling=False) for n in range(60)], "e", learners={"logistic": logistic})
    assert found.model is None


def test_trees_learn_too_and_answer_as_lightgbm_does():
    import lightgbm

    material = [example(n, telling=True) for n in range(40)]
    trees = boosted_trees(material)
    assert isinstance(trees, Trees)
    scored = [np.argmax(trees(one.features)) == np.argmax(one.relevant) for one in material]
    assert np.mean(scored) > 0.7
    data = lightgbm.Dataset(np.vstack([one.features for one in material]),
                            np.concatenate([one.relevant for one in material]), group=[20] * 40,
                            weight=np.full(800, 1.0))  # fmt: skip
    from litloop.experimental.fusion_learners import _ROUNDS, _TREES

    booster = lightgbm.train(_TREES, data, _ROUNDS)
    expected = np.concatenate([booster.predict(one.features) for one in material])
    assert np.allclose(expected, np.concatenate([trees(one.features) for one in material]), atol=1e-6)


@pytest.mark.parametrize("questions", [10, 24])
def test_too_little_to_learn_from_is_refused_with_the_number_needed(questions):
    with pytest.raises(UsageError, match="500 labelled pairs"):
        train([example(n, telling=True) for n in range(questions)], "e")


def test_without_lightgbm_the_logistic_regression_is_left(monkeypatch):
    from litloop.experimental.fusion_learners import available_learners

    monkeypatch.setitem(sys.modules, "lightgbm", None)
    assert list(available_learners()) == ["logistic"]


def test_trees_without_a_single_relevant_hit_are_refused():
    blank = example(1, telling=True)
    with pytest.raises(UsageError, match="nothing to learn"):
        boosted_trees([Example("q", blank.usual, blank.features, blank.documents, {"elsewhere": 1})])


def test_examples_hold_every_candidate_with_its_document(target, embedder, collection):
    found, failed = gather(
        collection, target.indexed.searched, lambda text: target.plan("hybrid", text), target.analyser, embedder
    )
    assert not failed
    assert [one.question for one in found] == ["q1", "q2", "q3"]
    assert sorted(found[0].documents) == ["d1", "d2", "d3", "d4"]
    assert found[0].features.shape == (4, len(FEATURES))
    assert found[0].relevant.sum() == 1
