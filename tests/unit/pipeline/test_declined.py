"""What is said beside a refusal: what was searched and read, how sure it is, and what would help."""

from __future__ import annotations

from typing import Any

import pytest

from litloop.core.records import Anchor, Answer, Candidate, Hit, LoopTraceEntry, Paper, Passage, Relevance
from litloop.loop.search_loop import LoopResult
from litloop.pipeline.declined import declined_notes
from litloop.question import parse

FACTS = {"papers": 7, "passages": 512}


def result(*texts: str, by: str = "offline") -> LoopResult:
    relevant = []
    for page, text in enumerate(texts, start=1):
        passage = Passage(f"p::{page}", "p", Anchor("p", "v", 0, len(text)), text, title="The paper", page=page)
        hit = Hit(passage, 1.0, page, paper=Paper("p", "The paper"))
        relevant.append((Candidate(Paper("p", "The paper"), (hit,), 1.0, page), Relevance("p", "relevant", 0.6)))
    verdicts = tuple(verdict for _, verdict in relevant)
    entry = LoopTraceEntry(1, "q", None, (), verdicts, 0.0, True, "", judged_by=by)  # type: ignore[arg-type]
    return LoopResult("passed", tuple(relevant), (), (), (entry,), 0.9)


def notes(question: str, status: str, found: LoopResult, facts: Any = FACTS, **told: Any) -> tuple[str, ...]:
    dispatch = {"steps": [{"read": 2}, {"read": 3}], "read_by": told.pop("read_by", "offline")}
    answer = Answer(question, status, "", "", dispatch=dispatch)  # type: ignore[arg-type]
    return declined_notes(parse(question), answer, found, facts, told.pop("suggestions", {}))


def test_not_found_says_how_much_was_read_and_that_rules_read_it():
    (note,) = notes("Does the paper mention sarcoidosis?", "not_found", result("Nothing here."))
    assert note.startswith("Read: 5 passages of the 512 in this collection's 7 papers.")
    assert "Rules read them, not a model" in note


def test_not_found_by_a_model_does_not_speak_of_rules():
    (note,) = notes("Does it mention sarcoidosis?", "not_found", result("Nothing.", by="model"), read_by="model")
    assert "Rules" not in note
    assert "a passage that was not read" in note


def test_a_passage_with_all_the_words_asked_about_is_named_with_its_page():
    found = result("Nothing here.", "Vertical gaze palsies were seen.", "A gaze.")
    told = notes("Does the paper mention vertical gaze palsy?", "not_found", found)
    assert told[1] == "All the words asked about stand in “The paper”, page 2, which was not taken for an answer."


@pytest.mark.parametrize("status", ["out_of_scope", "passages_only"])
def test_other_refusals_say_what_was_searched_and_who_judged(status):
    assert notes("What is sarcoidosis?", status, result("Text.")) == (
        "Searched: this collection's 7 papers; the nearest paper was judged by its signals, without a model.",
    )


def test_a_language_that_the_rules_do_not_know_is_named_and_no_spelling_is_suggested():
    told = notes("Wie wird die Demenz behandelt?", "out_of_scope", result(), suggestions={"Demenz": "Dement"})
    assert told[0].startswith("The question seems to be in German.")
    assert not any("Did you mean" in note for note in told)


def test_a_model_that_judged_knows_other_languages():
    assert not any("German" in note for note in notes("Wie ist die Dosis?", "out_of_scope", result("T.", by="model")))


def test_misspelt_words_are_told_with_those_of_the_library():
    told = notes("What is demntia?", "out_of_scope", result(), suggestions={"demntia": "dementia"})
    assert told[0] == "“demntia” stands nowhere in this collection. Did you mean “dementia”?"


@pytest.mark.parametrize("status", ["answered", "partial", "degraded", "budget_ended", "retrieval_failed"])
def test_what_is_no_refusal_gets_no_such_note(status):
    assert notes("Wie ist die Dosis?", status, result("Text."), suggestions={"Dosis": "Dose"}) == ()


def test_research_over_databases_is_not_said_to_have_searched_a_collection():
    assert notes("What is sarcoidosis?", "out_of_scope", result("Text."), None) == ()
