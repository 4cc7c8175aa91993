"""Alternatives: those that restate the matched topic, and those a paper does not make plausible."""

from __future__ import annotations

import asyncio

import pytest

from litloop.core.records import Alternative
from litloop.verification.alternatives import AlternativeJudge, distinct, same_topic
from support.scripted_model import ScriptedModel

TEXT = (
    "We describe falls and vertical gaze palsy in a man of 60. Corticobasal degeneration (CBD) was considered because of "
    "asymmetric apraxia. There was no evidence of normal pressure hydrocephalus. Multiple system atrophy has been ruled out."
)


def candidate(name: str, why: str = "", paper: str | None = "p1") -> Alternative:
    return Alternative(name, why, paper)


def judged(*candidates: Alternative, reply: object = ..., texts: dict[str, str] | None = None) -> list[str]:
    model = None if reply is ... else ScriptedModel(reply)
    found = asyncio.run(AlternativeJudge(model).judge(candidates, {"p1": TEXT} if texts is None else texts))
    return [one.verdict for one in found.value]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Progressive supranuclear palsy", "progressive Supranuclear Palsy"),
        ("Palsy, progressive supranuclear", "Progressive supranuclear palsy"),
        ("PSP", "Progressive supranuclear palsy"),
        ("Progressive supranuclear palsy (PSP)", "Progressive supranuclear palsy"),
        ("Probable PSP", "Progressive supranuclear palsy"),
        ("Alzheimer’s disease", "Alzheimer's Disease"),
        ("Corticobasal syndrome", "Corticobasal degeneration"),
        ("Sjögren syndrome", "Sjo\u0308gren's syndrome"),
        ("Lewy body dementia", "Dementia with Lewy bodies"),
        ("LBD", "Dementia with Lewy bodies"),
        ("NMDAR encephalitis", "Anti-NMDA receptor encephalitis"),
        ("NMDA receptor antibody encephalitis", "Anti-NMDAR encephalitis"),
        ("svPPA", "Primary progressive aphasia semantic variant"),
        ("svPPA", "Semantic variant primary progressive aphasia"),
        ("nfvPPA", "Nonfluent variant of primary progressive aphasia"),
        ("bvFTD", "Behavioural variant frontotemporal dementia"),
        ("GPA", "Granulomatosis with polyangiitis"),
        ("COPD exacerbation", "Exacerbations of chronic obstructive pulmonary disease"),
    ],
)
def test_another_form_of_the_name_is_the_same_topic(one: str, other: str) -> None:
    assert same_topic(one, other)
    assert same_topic(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Multiple system atrophy", "Multiple sclerosis"),
        ("Vascular dementia", "Dementia with Lewy bodies"),
        ("Primary progressive aphasia semantic variant", "Primary progressive aphasia logopenic variant"),
        ("svPPA", "Primary progressive aphasia logopenic variant"),
        ("lvPPA", "Semantic variant primary progressive aphasia"),
        ("LGI1 encephalitis", "Anti-NMDA receptor encephalitis"),
        ("AMPAR encephalitis", "Anti-NMDA receptor encephalitis"),
        ("MSA", "Multiple sclerosis"),
        ("Lewy body dementia", "Frontotemporal dementia"),
        ("PSP", "Corticobasal syndrome"),
        ("FTD", "Primary progressive aphasia semantic variant"),
        ("", "Multiple sclerosis"),
        ("Disease", "Syndrome"),
    ],
)
def test_names_that_each_have_a_word_of_their_own_are_two_conditions(one: str, other: str) -> None:
    assert not same_topic(one, other)


def test_an_acronym_that_the_text_defines_is_spelled_out() -> None:
    assert same_topic("CBS-x", "Corticobasal variant", {"CBS": "Corticobasal", "x": "variant"})


def test_offline_a_candidate_is_found_in_its_text_in_singular_or_plural() -> None:
    text = {"p1": "Dementia with Lewy bodies was considered because of visual hallucinations."}
    assert judged(candidate("Lewy body dementia", "visual hallucinations"), texts=text) == ["supported"]


def test_candidates_that_restate_the_condition_or_each_other_are_dropped() -> None:
    kept = distinct(
        [candidate("PSP"), candidate("MSA"), candidate("Multiple system atrophy"), candidate(" ")],
        "Progressive supranuclear palsy",
    )
    assert [one.name for one in kept] == ["MSA"]


def test_without_a_matched_condition_only_repeats_are_dropped() -> None:
    assert len(distinct([candidate("PSP"), candidate("MSA")], None)) == 2


def test_offline_a_candidate_named_with_its_finding_is_supported() -> None:
    assert judged(candidate("Corticobasal degeneration", "asymmetric apraxia")) == ["supported"]
    assert judged(candidate("Degeneration, corticobasal")) == ["supported"]


def test_offline_an_acronym_in_the_text_names_the_candidate() -> None:
    text = "CBD was considered for the apraxia. Corticobasal degeneration (CBD) is rare."
    assert judged(candidate("corticobasal degeneration", "apraxia"), texts={"p1": text}) == ["supported"]


def test_offline_a_candidate_the_text_does_not_name_is_unsupported() -> None:
    assert judged(candidate("Wilson disease", "apraxia")) == ["unsupported"]


def test_offline_a_candidate_the_text_denies_is_contradicted() -> None:
    assert judged(candidate("Normal pressure hydrocephalus", "falls")) == ["contradicted"]


def test_offline_a_candidate_named_far_from_its_findings_cannot_be_told() -> None:
    assert judged(candidate("Corticobasal degeneration", "myoclonus")) == ["unverifiable"]


def test_a_candidate_that_cites_no_paper_is_unsupported_on_both_paths() -> None:
    assert judged(candidate("Corticobasal degeneration", paper=None)) == ["unsupported"]
    reply = {"results": [{"id": "S1", "verdict": "supported"}]}
    none, cited = judged(candidate("A", paper=None), candidate("B", "apraxia"), reply=reply)
    assert (none, cited) == ("unsupported", "supported")


def test_nothing_is_asked_when_no_candidate_cites_a_paper() -> None:
    assert judged(candidate("A", paper="elsewhere"), reply={"results": []}) == ["unsupported"]


def test_two_candidates_of_one_name_get_a_verdict_each() -> None:
    reply = {"results": [{"id": "S1", "verdict": "supported"}, {"id": "S2", "verdict": "unsupported"}]}
    assert judged(candidate("A", "x"), candidate("A", "y"), reply=reply) == ["supported", "unsupported"]


def test_where_a_model_fails_the_rules_judge_and_it_is_said() -> None:
    found = candidate("Multiple system atrophy"), candidate("B")
    for reply in (None, {"results": []}):
        assert judged(*found, reply=reply) == judged(*found)


def test_a_candidate_that_the_model_leaves_out_is_unverified() -> None:
    reply = {"results": [{"id": 1, "verdict": "contradicted"}]}
    assert judged(candidate("A"), candidate("B"), reply=reply) == ["contradicted", "unverified"]
