"""Questions to single documents of odd make: line numbers, hidden text, retractions, formulas, neighbouring figures."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from litloop import Library
from litloop.core.records import Answer
from litloop.embedding.hashing import HashingEmbedder
from support.fault_server import fault_server, says

OTHERS = {
    "walls.md": "# Painting wards\n\nWards were painted in May by two crews.",
    "beans.md": "# Cooking beans\n\nBeans were cooked for two hours in copper pots.",
    "gait.md": "# Treadmill training\n\nGait speed improved in 30 patients after treadmill training.",
}
STOPPED = "How many patients stopped treatment because of dizziness?"


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Callable[[Path, str], Answer]]:
    """The answer of a library that holds the file and three others."""
    with Library.open(tmp_path / "library", embedder=HashingEmbedder()) as library:
        for name, text in OTHERS.items():
            (tmp_path / name).write_text(text, encoding="utf-8")

        def ask(path: Path, question: str) -> Answer:
            library.add([path, *(tmp_path / name for name in OTHERS)])
            return library.ask(question)

        yield ask


def test_line_numbers_of_a_manuscript_are_in_no_answer_and_no_title(asked, test_data: Path) -> None:
    answer = asked(test_data.parent / "cases" / "pdf" / "line_numbers_left.pdf", STOPPED)
    assert answer.status == "answered"
    assert "Two patients stopped treatment because of dizziness [1]." in answer.text
    (cited,) = {citation.paper_id for sentence in answer.sentences for citation in sentence.citations}
    (paper,) = [use.paper for use in answer.papers if use.paper.id == cited]
    assert paper.title == "Pramoxidine for restless legs in dialysis"


def test_what_is_drawn_in_white_is_no_evidence(asked, test_data: Path) -> None:
    answer = asked(test_data.parent / "cases" / "pdf" / "white_text.pdf", "Did pramoxidine cure all 64 patients?")
    assert "cured all" not in answer.text
    assert all("cured all" not in c.quote for sentence in answer.sentences for c in sentence.citations)


def test_a_retraction_in_the_title_is_said_at_the_sentence_and_at_the_paper(asked, test_data: Path) -> None:
    answer = asked(test_data.parent / "cases" / "pdf" / "retracted_title.pdf", STOPPED)
    assert "Two patients stopped treatment" in answer.text
    (use,) = [one for one in answer.papers if one.paper.retracted]
    assert use.paper.title == "Pramoxidine for restless legs in dialysis"
    assert any("retracted" in note and "[1]" in note for note in answer.notes)


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("What did aspirin lower in 31 goats?", "Aspirin against cramps in goats"),
        ("What did ibuprofen lower in 20 sheep?", "Ibuprofen against itch in sheep"),
        ("What did codeine lower in 20 cats?", "Codeine against pain in cats"),
        ("What did tramadol lower in 20 dogs?", "Tramadol against pain in dogs"),
        ("What did pramoxidine lower in 64 patients?", "Pramoxidine for restless legs in dialysis"),
    ],
)
def test_each_retraction_of_the_given_records_is_said_where_it_is_cited(
    asked, test_data: Path, question: str, title: str
) -> None:
    answer = asked(test_data.parent / "cases" / "retraction" / "r.ris", question)
    cited = {citation.paper_id for sentence in answer.sentences for citation in sentence.citations}
    assert cited
    retracted = {use.paper.id: use.paper.title for use in answer.papers if use.paper.retracted}
    assert cited <= set(retracted)
    assert title in {retracted[one] for one in cited}
    assert any("retracted" in note for note in answer.notes)


def test_the_figure_of_a_formula_answers(asked, test_data: Path) -> None:
    answer = asked(test_data.parent / "cases" / "jats" / "texmath.nxml", "By how many points did the score fall?")
    assert "10.5" in answer.text


def test_the_figure_of_another_formula_answers_too(asked, tmp_path: Path) -> None:
    path = tmp_path / "own.nxml"
    path.write_text(
        "<article><front><article-meta><title-group><article-title>Itch of mules</article-title></title-group><abstract>"
        "<p>The itch of mules lasted <inline-formula><alternatives><tex-math>\\begin{document}$$7.25\\,\\pm\\,0.5$$\\end{document}"
        "</tex-math></alternatives></inline-formula> hours.</p></abstract></article-meta></front></article>",
        encoding="utf-8",
    )
    answer = asked(path, "How many hours did the itch of mules last?")
    assert "7.25" in answer.text


def test_a_raised_reference_is_no_part_of_the_rate_that_is_asked_for(asked, test_data: Path) -> None:
    answer = asked(test_data.parent / "cases" / "docx" / "superscripts.docx", "What was the rate of relapse?")
    assert "rate of relapse was 3" in answer.text
    assert "37" not in answer.text
    assert "⁷" not in answer.text


@pytest.mark.parametrize(
    "quote",
    [
        "The model writes its steps between <think> and </think> before it answers.",
        "Without a closing </think> tag the answer was lost in 4 % of cases.",
    ],
)
def test_a_model_may_quote_the_given_sentences_that_hold_a_think_tag(
    tmp_path: Path, test_data: Path, quote: str
) -> None:
    judged = {"results": [{"id": str(n), "relevant": True, "confidence": 0.9, "why": "said so"} for n in (1, 2)]}
    item = {"value": quote, "evidence": [{"passage": "P1", "quote": quote}]}
    found = {"items": [item], "answer_found": True, "complete_answer_found": True, "confidence": 0.9}
    steps = [says(json.dumps(judged)), says(json.dumps(found)), says(json.dumps(found))]
    with (
        fault_server(*steps, says(json.dumps({"results": [{"id": "S1", "verdict": "supported"}]}))) as server,
        Library.open(
            tmp_path / "library",
            embedder=HashingEmbedder(),
            llm={"profile": "custom", "model": "scripted", "attempts": 1, "base_url": server.base_url},
        ) as library,
    ):
        library.add(test_data.parent / "cases" / "reader" / "think.json")
        answer = library.ask("Where does the model write its steps, and how often was the answer lost without a tag?")
    assert answer.status in ("answered", "partial")
    assert quote in {citation.quote for sentence in answer.sentences for citation in sentence.citations}
