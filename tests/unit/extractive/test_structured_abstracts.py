"""Which sentences of a structured abstract tell what was found."""

from __future__ import annotations

import pytest

from litloop.core.records import Anchor, Hit, Passage
from litloop.extractive.passage_sentences import passage_sentences, tell_findings


def told(*texts: str) -> list[str]:
    hits = [
        Hit(Passage(f"p{n}::1", f"p{n}", Anchor(f"p{n}", "v", 0, len(text)), text), 1.0, n)
        for n, text in enumerate(texts, start=1)
    ]
    sentences = passage_sentences(hits)
    return [s.text for s, finding in zip(sentences, tell_findings(sentences), strict=True) if finding]


def test_results_and_conclusions_tell_findings_and_what_was_studied_where_and_how_does_not():
    abstract = (
        "OBJECTIVE: To assess myelin with MRI. DESIGN, SETTING, AND PARTICIPANTS: A cohort of 104 adults. "
        "They were healthy at the start. MAIN OUTCOMES AND MEASURES: The relaxation rate of white matter. "
        "RESULTS: Myelin declined with age. The decline was steeper in carriers. CONCLUSIONS: Carriers lose myelin."
    )
    assert told(abstract) == [
        "RESULTS: Myelin declined with age.", "The decline was steeper in carriers.", "CONCLUSIONS: Carriers lose myelin.",
    ]  # fmt: skip


@pytest.mark.parametrize("label", ["METHODS AND RESULTS", "Results", "KEY POINTS", "MAIN FINDINGS", "CASE REPORT"])
def test_a_part_that_tells_findings_ends_one_that_does_not(label):
    found = f"{label}: Myelin declined with age."
    assert told(f"METHODS: Adults underwent MRI of the brain. {found}") == [found]


def test_a_label_holds_for_its_own_passage_only():
    assert told("Methods: Adults underwent MRI.", "Myelin declined with age.") == ["Myelin declined with age."]


def test_text_without_labels_is_all_taken_for_findings():
    text = "Two tracers were used: FDG and florbetapir. Note: both were avid."
    assert len(told(text)) == 2
