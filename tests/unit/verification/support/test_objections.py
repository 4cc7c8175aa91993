"""What takes "supported" away for certain."""

from __future__ import annotations

import pytest

from litloop.text.sentences import sentences
from litloop.verification.support.model import Statement, SupportModel
from litloop.verification.support.objections import Objection, objection
from litloop.verification.support.wording import WordWeights, read

WEIGHTS = WordWeights(1000, {"patient": 300, "trial": 100, "drug": 100})
TEXT = (
    "The trial compared verapamil with placebo in 80 adults. Verapamil lowered the number of attacks in patients with "
    "cluster headache. No serious harm was seen."
)


def against(claim: str, text: str = TEXT, title: str = "") -> Objection | None:
    return objection(read(claim), [read(s) for s in sentences(text)], title, WEIGHTS)


def test_a_faithful_rewording_meets_no_objection() -> None:
    assert against("In patients with cluster headache, verapamil lowered the number of attacks.") is None


def test_a_negation_put_in_is_a_contradiction() -> None:
    found = against("Verapamil did not lower the number of attacks in patients with cluster headache.")
    assert found
    assert (found.kind, found.verdict) == ("negation", "contradicted")


def test_a_negation_in_other_words_must_be_borne_too() -> None:
    found = against("Those with this kind of pain are not helped at all.")
    assert found
    assert (found.kind, found.verdict) == ("negation", "unverifiable")


def test_a_negation_that_the_text_shares_is_borne() -> None:
    assert against("It did no serious harm to anybody in this study.") is None


def test_a_figure_the_text_lacks_is_unsupported() -> None:
    found = against("Attacks became rarer by 45% on the drug.")
    assert found
    assert (found.kind, found.verdict) == ("figure", "unsupported")


def test_a_figure_in_place_of_the_texts_own_is_a_contradiction() -> None:
    found = against("The trial compared verapamil with placebo in 90 adults.")
    assert found
    assert found.verdict == "contradicted"


def test_another_name_in_a_near_repetition_is_unsupported() -> None:
    found = against("The trial compared Verapamil with Melatonin in 80 adults.", title="Verapamil in cluster headache")
    assert found
    assert (found.kind, found.verdict) == ("name", "unsupported")


def test_a_name_may_stand_in_the_title_only() -> None:
    text = "The trial compared this drug with placebo in 80 adults."
    assert against("The trial compared this drug Zolbetuximab with placebo in 80 adults.", text, "Zolbetuximab") is None


def test_an_opposite_in_other_words_is_a_reason_to_doubt_and_no_more() -> None:
    found = against(
        "The number of attacks of cluster headache rose, higher in patients who took verapamil than before."
    )
    assert found is None or found.verdict in ("unverifiable", "contradicted")


@pytest.mark.parametrize(
    ("claim", "text", "verdict"),
    [
        ("Zinc did not shorten colds in adults.", "Zinc shortened colds in adults.", "contradicted"),
        ("Zinc shortened colds in 40 adults.", "Zinc shortened colds in 60 adults.", "contradicted"),
        # A word of the other direction in a sentence that says much else need not be about the same thing.
        (
            "Zinc loss shortened colds in adults.",
            "Zinc did not reach the nose at once, but in adults and in the children of three schools it shortened fever, "
            "cough and colds by a day, whatever the loss of appetite.",
            None,
        ),
        ("Nine of ten colds were mild.", "Eight of the ten worst colds of that winter were mild.", "unverifiable"),
    ],
)
def test_only_a_claim_that_repeats_a_sentence_is_contradicted_by_it(claim: str, text: str, verdict: str | None) -> None:
    found = against(claim, text)
    if verdict is None:
        assert found is None or found.verdict != "contradicted"
    else:
        assert found
        assert found.verdict == verdict


def test_what_rules_call_contradicted_people_call_so_too(test_data) -> None:
    from benchmarks.material.verification_pairs import load_pairs

    model = SupportModel()
    pairs = [pair for pair in load_pairs(test_data) if pair.collection != "climate_fever"]
    against = [(pair, model.objection(pair.statement)) for pair in pairs]
    right = [pair.label == "contradicted" for pair, found in against if found and found.verdict == "contradicted"]
    assert len(right) >= 3
    assert sum(right) >= 0.9 * len(right)


def test_most_edits_of_true_sentences_are_still_called_contradicted(test_data) -> None:
    from benchmarks.quality.verification.edits import edits

    made = edits(test_data, documents=150, seed=19)
    model = SupportModel()
    found = [model.objection(Statement(edit.claim, edit.text, edit.title)) for edit in made]
    assert len(made) >= 80
    assert sum(one is not None and one.verdict == "contradicted" for one in found) >= 0.9 * len(made)
