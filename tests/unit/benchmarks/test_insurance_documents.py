"""The insurance demo: the documents can be made anew anywhere, and every expected answer stands in them."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path

import pytest
from benchmarks.material.insurance import check_questions, make_documents

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("insurance")
    make_documents.make_documents(folder)
    return folder


@pytest.fixture(scope="module")
def questions() -> list[dict]:
    return check_questions.load_questions()


def test_every_expected_string_stands_in_the_section_the_question_names(folder, questions):
    assert check_questions.faults(questions, check_questions.read_back(folder)) == []


def test_the_main_set_has_four_lookups_to_one_complex_question(questions):
    kinds = Counter(question["kind"] for question in questions if question["set"] == "main")
    assert kinds["lookup"] == 4 * (kinds["list"] + kinds["comparison"])
    assert sum(kinds.values()) >= 60


def test_absent_questions_expect_nothing_and_say_what_is_missing(questions):
    absent = [question for question in questions if question["set"] == "absent"]
    assert len(absent) >= 15
    assert all(question["kind"] == "absent" and question["expected"] == [] and question["why"] for question in absent)


def test_most_lists_are_scattered_over_several_sections(questions):
    lists = [question for question in questions if question["kind"] == "list"]
    scattered = [
        question for question in lists if len({member["where"]["section"] for member in question["expected"]}) > 1
    ]
    assert len(scattered) > len(lists) / 2


def test_ids_and_texts_of_questions_are_unique(questions):
    assert len({question["id"] for question in questions}) == len(questions)
    assert len({question["text"].casefold() for question in questions}) == len(questions)


def test_a_question_names_the_documents_its_answer_stands_in(questions):
    for question in questions:
        places = [place for _, _, places in check_questions.expectations(question) for place in places]
        if places:
            assert {place["document"] for place in places} == set(question["documents"]), question["id"]


def test_the_conclusion_of_a_comparison_follows_from_its_two_values(questions):
    for question in questions:
        if question["kind"] != "comparison":
            continue
        first, second = (
            float("".join(sign for sign in side["value"] if sign in "0123456789."))
            for side in question["expected"]["sides"]
        )
        relation = "equal" if first == second else "first_higher" if first > second else "second_higher"
        assert question["expected"]["conclusion"]["relation"] == relation, question["id"]


def test_policies_have_five_to_ten_pages(folder):
    import pypdfium2

    for name in ("motor-policy-mot-4471-208.pdf", "professional-liability-pli-77-03164.pdf"):
        with pypdfium2.PdfDocument(folder / name) as pdf:
            assert 5 <= len(pdf) <= 10


def test_another_process_in_another_time_zone_writes_the_same_bytes(folder, tmp_path):
    environment = os.environ | {"PYTHONHASHSEED": "7", "TZ": "Pacific/Auckland"}
    command = [sys.executable, "-m", "benchmarks.material.insurance.make_documents", str(tmp_path)]
    subprocess.run(command, check=True, cwd=ROOT, env=environment, timeout=120)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        path.name: path.read_bytes() for path in folder.iterdir()
    }


def test_word_files_do_not_carry_the_clock(folder):
    for path in folder.glob("*.docx"):
        with zipfile.ZipFile(path) as archive:
            assert {entry.date_time for entry in archive.infolist()} == {make_documents.ZIP_EPOCH}


QUESTION = {
    "id": "m1",
    "kind": "lookup",
    "answer_type": "amount",
    "expected": ["EUR 95"],
    "value": "EUR 95",
    "where": [{"document": "policy", "section": "8 Excess"}],
}


def test_the_check_accepts_a_string_in_its_section():
    assert check_questions.faults([QUESTION], {"policy": {"8 Excess": "Glass costs EUR 95."}}) == []


def test_the_check_finds_a_string_that_stands_in_another_section_only():
    documents = {"policy": {"8 Excess": "Glass is free.", "9 Premium": "It costs EUR 95."}}
    assert len(check_questions.faults([QUESTION], documents)) == 1


def test_the_check_finds_a_normal_form_that_differs_from_its_string():
    wrong = QUESTION | {"value": "EUR 59"}
    assert len(check_questions.faults([wrong], {"policy": {"8 Excess": "Glass costs EUR 95."}})) == 1


def test_the_check_finds_an_absent_term_that_a_document_holds():
    absent = {"id": "a1", "kind": "absent", "expected": [], "absent_terms": ["wheelchair"]}
    assert len(check_questions.faults([absent], {"policy": {"1 Cover": "Wheelchairs are covered."}})) == 1


def test_a_ragged_table_is_refused():
    source = "---\nid: a\nfile: a.pdf\ntitle: A\nauthor: B\ndated: 2026-01-01\n---\n\n| x | y |\n| z |\n"
    with pytest.raises(ValueError, match="unequal length"):
        make_documents.parse(source)


def test_a_text_without_its_front_matter_fields_is_refused():
    with pytest.raises(ValueError, match="author"):
        make_documents.parse("---\nid: a\nfile: a.pdf\ntitle: A\ndated: 2026-01-01\n---\n\nText.\n")
