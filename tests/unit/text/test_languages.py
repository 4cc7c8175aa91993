from __future__ import annotations

import json

import pytest

from litloop.text.languages import foreign_language


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Wie wird die Lewy-Körperchen-Demenz behandelt?", "German"),
        ("Was ist Demenz?", "German"),
        ("¿Qué muestra la tomografía?", "Spanish"),
        ("Cuales son los efectos del tratamiento", "Spanish"),
        ("Quelle est la durée du traitement ?", "French"),
        ("Qual è la dose per il bambino?", "Italian"),
        ("O que é a demência?", "Portuguese"),
        ("Wat is de oorzaak van dementie?", "Dutch"),
        ("痴呆症的症状是什么？", "Chinese"),
        ("認知症とは何ですか", "Japanese"),
        ("Какие симптомы у деменции?", "Russian"),
        ("ما هو العلاج؟", "Arabic"),
    ],
)
def test_a_question_in_another_language_is_named(question, language):
    assert foreign_language(question) == language


@pytest.mark.parametrize(
    "question",
    [
        "What is the role of de novo mutations in El Niño?",
        "lung nodule FDG-PET",
        "Which TGF-β isoform is raised in Sjögren's syndrome?",
        "in vivo",
        "La Crosse encephalitis",
        "Charles de Gaulle",
        "Guillain-Barré syndrome",
        "Does ß-thalassaemia differ from α-thalassaemia?",
        "12 34 !?",
        "",
    ],
)
def test_names_and_terms_from_elsewhere_make_no_question_foreign(question):
    assert foreign_language(question) is None


@pytest.mark.parametrize(("folder", "language"), [("de", "German"), ("es", "Spanish"), ("zh", "Chinese")])
def test_given_questions_are_known_by_their_language_and_their_english_twins_are_not(test_data, folder, language):
    def asked(name: str) -> list[str]:
        lines = (test_data / "multilingual" / folder / name).read_text(encoding="utf-8").splitlines()
        return [json.loads(line)["question"] for line in lines]

    named = [foreign_language(question) for question in asked("questions.jsonl")]
    assert named.count(language) >= 0.95 * len(named)
    assert set(named) <= {language, None}
    assert {foreign_language(question) for question in asked("questions_en.jsonl")} == {None}
