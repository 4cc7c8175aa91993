"""Sentences that oppose each other."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from litloop.text.opposites import oppositions


@pytest.mark.parametrize(
    ("sentence", "evidence", "kind"),
    [
        ("Aspirin increases mortality.", "Aspirin reduced mortality in all groups.", "antonym"),
        ("The tumour was benign.", "Histology showed that the tumour was malignant.", "antonym"),
        ("Statins had a higher risk of stroke.", "Statins led to a lower risk of stroke.", "antonym"),
        ("Foxp3 expression is upregulated in tumours.", "In tumours, Foxp3 expression was down-regulated.", "antonym"),
        ("Atrophy is common in PSP.", "Atrophy in PSP is rare.", "antonym"),
        ("Statins prevent dementia.", "There was no evidence that statins prevent dementia.", "negation"),
        ("Aspirin does not reduce mortality.", "Aspirin reduced mortality.", "negation"),
        ("Gait was affected.", "Gait was unaffected by the drug.", "prefix"),
        ("The test is accurate.", "The test was inaccurate.", "prefix"),
        ("Hypertension was found.", "Hypotension was found.", "prefix"),
    ],
)
def test_opposite_is_found(sentence: str, evidence: str, kind: str) -> None:
    assert kind in [found.kind for found in oppositions(sentence, evidence)]


@pytest.mark.parametrize(
    ("sentence", "evidence"),
    [
        ("Aspirin reduces mortality.", "Aspirin reduced mortality in all groups."),
        ("Aspirin reduces mortality.", "Aspirin lowered mortality and increased bleeding."),
        ("Aspirin increases bleeding.", "Statins reduced cholesterol."),
        ("Aspirin does not increase mortality.", "Aspirin did not raise mortality."),
        ("ACE inhibitors raise potassium.", "ACE inhibitors raised potassium."),
        ("The drug was given for pain.", "No patient died."),
        ("", "No."),
        ("Influence of the form", "inform the fluence"),
    ],
)
def test_agreement_and_other_subjects_are_not_opposed(sentence: str, evidence: str) -> None:
    assert oppositions(sentence, evidence) == []


def test_opposition_names_both_words_and_their_places() -> None:
    sentence, evidence = "Aspirin increases mortality.", "In men, aspirin reduced mortality."
    (found,) = oppositions(sentence, evidence)
    assert (found.word, found.other) == ("increases", "reduced")
    assert (sentence[slice(*found.span)], evidence[slice(*found.other_span)]) == ("increases", "reduced")


def test_contradicted_claims_are_opposed_at_least_three_times_as_often_as_supported_ones(test_data: Path) -> None:
    folder = test_data / "verification" / "scifact"
    abstracts = {}
    for part in ("corpus_sentences_0.jsonl.gz", "corpus_sentences_1.jsonl.gz"):
        with gzip.open(folder / part, "rt", encoding="utf-8") as lines:
            for record in map(json.loads, lines):
                abstracts[record["_id"]] = record["sentences"]
    opposed = {"SUPPORT": [0, 0], "CONTRADICT": [0, 0]}
    for line in (folder / "claims_train.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        for paper, parts in record["evidence"].items():
            for part in parts:
                evidence = " ".join(abstracts[paper][index] for index in part["sentences"])
                opposed[part["label"]][0] += bool(oppositions(record["claim"], evidence))
                opposed[part["label"]][1] += 1
    rates = {label: hits / total for label, (hits, total) in opposed.items()}
    assert rates["CONTRADICT"] > 0.3
    assert rates["CONTRADICT"] > 3 * rates["SUPPORT"]


@pytest.mark.parametrize("unit", ["no increase reduced ", "not seen ", "un", "hyperhypo ", "a "])
def test_hostile_sentences_are_compared_in_reasonable_time(unit: str) -> None:
    oppositions(unit * (10_000 // len(unit)), unit * (10_000 // len(unit)))
