"""What a sentence denies."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litloop.text.negation import is_negated, negation_scopes


def polarity(sentence: str, term: str) -> str:
    """Of the places where `term` stands, in any number and with or without hyphens; affirmed anywhere is affirmed."""
    words = r"[\s-]+".join(re.escape(word) for word in re.split(r"[\s-]+", term))
    places = [match.span() for match in re.finditer(rf"(?<!\w){words}(?:e?s)?(?!\w)", sentence, re.IGNORECASE)]
    if not term or not places:
        return "absent"
    scopes = negation_scopes(sentence)
    return "negated" if all(is_negated(scopes, *place) for place in places) else "affirmed"


@pytest.mark.parametrize(
    ("sentence", "term"),
    [
        ("There was no midbrain atrophy.", "midbrain atrophy"),
        ("Atrophy was not seen in any patient.", "atrophy"),
        ("Atrophy wasn’t found.", "atrophy"),
        ("Patients without tremor were included.", "tremor"),
        ("There is no evidence that statins prevent dementia.", "prevent dementia"),
        ("Absence of tremor was typical.", "tremor"),
        ("The drug failed to reduce mortality.", "reduce mortality"),
        ("Mice lacking Foxp3 died.", "Foxp3"),
        ("Neither tremor nor rigidity was present.", "rigidity"),
        ("No fever, cough, or rash was reported.", "rash"),
        ("The drug did not alter survival.", "survival"),
        ("Metastases were absent.", "metastases"),
        ("Infection has been ruled out.", "infection"),
        ("The scan was negative for haemorrhage.", "haemorrhage"),
        ("The effect could not be replicated.", "effect"),
        ("The drug never improved gait-freezing.", "gait freezing"),
        ("The tumour is free of necrosis.", "necrosis"),
    ],
)
def test_denied_term_is_negated(sentence: str, term: str) -> None:
    assert polarity(sentence, term) == "negated"


@pytest.mark.parametrize(
    ("sentence", "term"),
    [
        ("Midbrain atrophy was seen.", "midbrain atrophy"),
        ("Not only tremor but also rigidity was seen.", "tremor"),
        ("There was no tremor, but rigidity was marked.", "rigidity"),
        ("No patient had tremor; all had rigidity.", "rigidity"),
        ("Although no tremor was found, falls were frequent.", "falls"),
        ("Aspirin did not reduce mortality.", "aspirin"),
        ("Tremor was absent, whereas dystonia was present.", "dystonia"),
        ("It was not without risk.", "risk"),
        ("No tremor was seen at first. Tremor was seen later.", "tremor"),
        ("There is no doubt about the diagnosis.", "diagnosis"),
        ("Notable atrophies were seen.", "atrophies"),
    ],
)
def test_term_outside_every_denial_is_affirmed(sentence: str, term: str) -> None:
    assert polarity(sentence, term) == "affirmed"


@pytest.mark.parametrize(("sentence", "term"), [("Atrophy was seen.", "tremor"), ("Nothing.", ""), ("rarely", "rare")])
def test_term_that_does_not_occur_is_absent(sentence: str, term: str) -> None:
    assert polarity(sentence, term) == "absent"


def test_plural_and_hyphen_do_not_hide_a_term() -> None:
    assert polarity("No follow-up scans were made.", "follow up scan") == "negated"


def test_scope_is_a_stretch_of_the_sentence() -> None:
    sentence = "We saw no tremor, but rigidity."
    (scope,) = negation_scopes(sentence)
    assert sentence[slice(*scope.cue)] == "no"
    assert sentence[scope.start : scope.end].strip() == "tremor,"


@given(
    st.lists(
        st.sampled_from(["no", "not", "was", "tremor", "but", ",", ".", "absent", "without", "n't", "is not seen"]),
        max_size=20,
    )
)
def test_scopes_lie_inside_their_sentence(parts: list[str]) -> None:
    sentence = " ".join(parts)
    for scope in negation_scopes(sentence):
        assert 0 <= scope.start <= scope.end <= len(sentence)


@pytest.mark.parametrize("unit", ["no ", "not ", "was not seen ", "a", "was ", "n't "])
def test_hostile_sentence_is_read_in_reasonable_time(unit: str) -> None:
    negation_scopes(unit * (20_000 // len(unit)))
