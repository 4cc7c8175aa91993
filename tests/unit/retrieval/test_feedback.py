from __future__ import annotations

import numpy as np
import pytest

from litloop.retrieval.feedback import expanded_terms, feedback_query, rocchio
from litloop.retrieval.plan import WeightedQuery

PASSAGES = [["tremor", "basal", "ganglia", "patient"], ["tremor", "dystonia", "patient"]]
FREQUENCIES = {"tremor": 4, "basal": 2, "ganglia": 2, "dystonia": 3, "patient": 99}


def test_feedback_adds_the_rare_words_of_the_best_hits_and_keeps_the_question_heaviest():
    terms = expanded_terms(
        {"tremor": 1.0}, PASSAGES, np.array([1.0, 0.5]), document_frequency=FREQUENCIES, count=100, terms=4
    )
    assert set(terms) == {"tremor", "basal", "ganglia", "dystonia"}
    assert max(terms, key=terms.__getitem__) == "tremor"
    assert sum(terms.values()) == pytest.approx(1)


def test_the_vector_moves_towards_the_hits_and_stays_unit():
    question, hits = np.array([1, 0], np.float32), np.array([[0, 1]], np.float32)
    moved = rocchio(question, hits, np.array([1.0]), 0.3)
    assert np.linalg.norm(moved) == pytest.approx(1)
    assert moved[0] > moved[1] > 0


def test_a_feedback_query_names_what_it_added():
    question = WeightedQuery("tremor", terms={"tremor": 1.0}, vector=np.array([1, 0], np.float32))
    vectors = np.array([[0.6, 0.8], [0.8, 0.6]], np.float32)
    found = feedback_query(question, PASSAGES, vectors, document_frequency=FREQUENCIES, count=100, terms=2)
    assert found.role == "feedback"
    assert found.text.split()[0] == "tremor"
    assert "basal" in found.text
    assert found.vector is not None
    assert found.vector[1] > 0


def test_feedback_without_vectors_moves_the_words_only():
    question = WeightedQuery("tremor", terms={"tremor": 1.0})
    assert feedback_query(question, PASSAGES, None, document_frequency=FREQUENCIES, count=100).vector is None


def test_a_question_without_known_words_takes_all_its_words_from_the_hits():
    terms = expanded_terms({}, PASSAGES, np.array([1.0, 0.5]), document_frequency=FREQUENCIES, count=100)
    assert sum(terms.values()) == pytest.approx(1)


def test_no_hits_leave_the_question_as_it_was():
    terms = expanded_terms({"tremor": 2.0}, [], np.array([]), document_frequency={}, count=100)
    assert terms == pytest.approx({"tremor": 1.0})
