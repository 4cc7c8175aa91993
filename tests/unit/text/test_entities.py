"""Names and codes, and whether a text holds them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from litloop.text.entities import entity_key, find_entities, missing_entities


def names(text: str) -> list[str]:
    return [entity.text for entity in find_entities(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Levels of IL-6 and TP53 rose.", ["IL-6", "TP53"]),
        ("Uptake of [18F]FDG fell.", ["[18F]FDG"]),
        ("BRCA1 carriers were seen.", ["BRCA1"]),
        ("In mice, p53 and mTOR act.", ["p53", "mTOR"]),
        ("Patients with PSP had MRI.", ["PSP", "MRI"]),
        ("The role of α-synuclein is known.", ["α-synuclein"]),
        ("We gave rituximab and atorvastatin.", ["rituximab", "atorvastatin"]),
        ("It resembles Parkinson's disease.", ["Parkinson"]),
        ("It was IL-6-induced.", ["IL-6"]),
        ("They got anti-PD-1 antibodies.", ["PD-1"]),
        ("The PD-1/PD-L1 axis matters.", ["PD-1", "PD-L1"]),
        ("We used C57BL/6 mice.", ["C57BL/6"]),
        ("SARS-CoV-2 spread in Wuhan.", ["SARS-CoV-2", "Wuhan"]),
        ("Patients were seen.", []),
        ("However, falls occurred. Moreover, it rained.", []),
        ("After 24-month follow-up, 5mg at 10Hz in the 2nd group.", []),
        ("Conclusions: Falls are early.", []),
        ("In March, Figure 3 was made.", []),
        ("MIDBRAIN ATROPHY IN THE ELDERLY", []),
        ("Type II errors", []),
    ],
)
def test_names_are_told_by_their_form(text: str, expected: list[str]) -> None:
    assert names(text) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("TNF-α", "TNFα"), ("TNF-α", "tnf alpha"), ("IL-6", "IL6"), ("IL‑6", "il-6"), ("Parkinson's", "Parkinson"), ("miRNAs", "miRNA"),
        ("interleukin-2", "IL-2"), ("[18F]FDG", "18F-FDG"), ("β-catenin", "beta-catenin"),
    ],
)  # fmt: skip
def test_spellings_of_a_name_have_one_key(one: str, other: str) -> None:
    assert entity_key(one) == entity_key(other)


@pytest.mark.parametrize(
    ("sentence", "evidence"),
    [
        ("Levels of IL-6 rose.", "IL6 rose"),
        ("Levels of TNF-α rose.", "TNF alpha rose"),
        ("It depends on NF-kB.", "NF-κB was needed"),
        ("It depends on IL-2.", "interleukin-2 was needed"),
        ("In PSP, falls are early.", "progressive supranuclear palsy (PSP) causes falls"),
        ("In PSP, falls are early.", "progressive supranuclear palsy causes falls"),
        ("Seen in Progressive Supranuclear Palsy.", "PSP (progressive supranuclear palsy) causes falls"),
        ("AMP-activated protein kinase (AMPK) acts.", "AMPK acts"),
        ("PD-1 is blocked.", "anti-PD-1 therapy"),
        ("We blocked IL-6.", "an IL-6-induced rise"),
        ("The RANK-RANKL pathway", "RANK and its ligand RANKL"),
        ("We saw MRIs.", "an MRI"),
        ("It spread in Europe.", "European patients"),
        ("We saw falls.", ""),
    ],
)
def test_name_is_held_however_it_is_spelled(sentence: str, evidence: str) -> None:
    assert missing_entities(sentence, evidence) == []


@pytest.mark.parametrize(
    ("sentence", "evidence", "missing"),
    [
        ("Levels of IL-6 rose.", "IL-8 rose", "IL-6"),
        ("BRCA1 carriers", "BRCA2 carriers", "BRCA1"),
        ("Patients with AIDS", "it aids patients", "AIDS"),
        ("It was seen in MSA.", "progressive supranuclear palsy causes falls", "MSA"),
        ("We gave rituximab.", "we gave ocrelizumab", "rituximab"),
        ("It was seen in Wuhan.", "it was seen in Milan", "Wuhan"),
    ],
)
def test_another_name_is_not_held(sentence: str, evidence: str, missing: str) -> None:
    assert [entity.text for entity in missing_entities(sentence, evidence)] == [missing]


def test_acronyms_of_the_whole_paper_help() -> None:
    sentence, evidence = "CBD is rare.", "corticobasal degeneration is rare"
    assert missing_entities(sentence, evidence, acronyms={"CBD": "corticobasal degeneration"}) == []
    assert missing_entities(sentence, evidence)


def test_missing_name_is_reported_once_with_its_place() -> None:
    sentence = "IL-6 and again IL-6 rose."
    (entity,) = missing_entities(sentence, "nothing")
    assert sentence[slice(*entity.span)] == "IL-6"


def test_own_abstract_holds_the_names_of_most_claims_and_a_strange_one_of_none(test_data: Path) -> None:
    folder = test_data / "verification" / "scifact"
    abstracts = {}
    with gzip.open(folder / "corpus_sentences_0.jsonl.gz", "rt", encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            abstracts[record["_id"]] = f"{record['title']}. {record['text']}"
    strange = list(abstracts.values())
    own = other = total = 0
    for number, line in enumerate((folder / "claims_train.jsonl").read_text(encoding="utf-8").splitlines()):
        record = json.loads(line)
        for paper, parts in record["evidence"].items():
            if paper in abstracts and parts[0]["label"] == "SUPPORT" and find_entities(record["claim"]):
                total += 1
                own += not missing_entities(record["claim"], abstracts[paper])
                other += not missing_entities(record["claim"], strange[number % len(strange)])
    assert total > 100
    assert own / total > 0.75
    assert other / total < 0.05


@pytest.mark.parametrize("unit", ["A-", "[18F]", "α", "IL-6/", "Aa ", "A1", "x'", "(AB) "])
def test_hostile_text_is_read_in_reasonable_time(unit: str) -> None:
    text = unit * (20_000 // len(unit))
    missing_entities(text, text)
