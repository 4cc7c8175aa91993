from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from litloop.core.errors import UsageError
from litloop.evaluation.collections import load_collection, load_pubmedqa

DOCUMENTS = [
    {"_id": "d1", "title": "Tremor", "text": "A tremor."},
    {"_id": "d2", "title": "", "text": "Rigidity."},
    {"_id": "d3", "text": ""},
]
QUESTIONS = [
    {"_id": "q1", "text": "what is tremor"},
    {"_id": "q2", "text": "what is rigidity", "kind": "semantic"},
    {"_id": "q3", "text": "unanswered"},
]
QRELS = "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq2\td2\t1\nq3\td1\t0\n"


def lines(rows: list[dict[str, str]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def collection(folder: Path, documents=DOCUMENTS, questions=QUESTIONS, qrels: str = QRELS, split: str = "") -> Path:
    folder.mkdir(exist_ok=True)
    with gzip.open(folder / "corpus.jsonl.gz", "wt") as file:
        file.write(lines(documents))
    (folder / "queries.jsonl").write_text(lines(questions))
    (folder / f"qrels{split}.tsv").write_text(qrels)
    return folder


def test_the_layout_of_the_shared_collections_is_read(tmp_path):
    found = load_collection(collection(tmp_path / "tiny"))
    assert (found.name, found.split) == ("tiny", "test")
    assert [document.id for document in found.documents] == ["d1", "d2", "d3"]
    assert [(question.id, question.kind) for question in found.questions] == [("q1", None), ("q2", "semantic")]
    assert found.qrels == {"q1": {"d1": 2, "d2": 0}, "q2": {"d2": 1}}


def test_a_beir_folder_is_read(tmp_path):
    folder = collection(tmp_path / "beir")
    (folder / "qrels").mkdir()
    (folder / "qrels.tsv").rename(folder / "qrels" / "dev.tsv")
    assert len(load_collection(folder, "dev").questions) == 2


def test_trec_judgements_without_a_heading_are_read(tmp_path):
    found = load_collection(collection(tmp_path / "trec", qrels="q1 0 d1 1\nq2 0 d2 1\n"))
    assert found.qrels == {"q1": {"d1": 1}, "q2": {"d2": 1}}


def test_what_is_odd_is_counted_and_named(tmp_path):
    odd = QRELS + "q1\td99\t1\nq77\td1\t1\nq2\td2\t1\n"
    found = load_collection(collection(tmp_path / "odd", [*DOCUMENTS, DOCUMENTS[0]], qrels=odd))
    assert found.notes == {
        "documents without text": 1,
        "rows given twice in corpus.jsonl.gz": 1,
        "rows given twice in qrels.tsv": 1,
        "judgements of documents that are not there": 1,
        "judgements of questions that are not there": 1,
        "questions without a relevant document": 1,
    }
    assert found.qrels["q1"]["d99"] == 1  # a relevant document that cannot be found stays in the ideal


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ({"documents": [*DOCUMENTS, {"_id": "d1", "text": "other"}]}, "gives the id d1 to two different rows"),
        ({"documents": [{"text": "no id"}]}, "has no _id"),
        ({"qrels": "q1\td1\t1\nq1\td1\t2\n"}, "grades document d1 twice"),
        ({"qrels": "q1\td1\t1\nq1\td2\tyes\n"}, "Line 2 of qrels.tsv is not a judgement"),
        ({"qrels": "q1\td1\tNaN\n"}, "Line 1 of qrels.tsv is not a judgement"),
        ({"qrels": "q1\td1\t0\n"}, "No question of broken"),
    ],
)
def test_what_would_make_a_figure_lie_is_refused(tmp_path, broken, message):
    with pytest.raises(UsageError, match=message):
        load_collection(collection(tmp_path / "broken", **broken))


def test_a_line_that_is_no_json_is_named(tmp_path):
    folder = collection(tmp_path / "broken")
    (folder / "queries.jsonl").write_text('{"_id": "q1", "text": "ok"}\n\nnot json\n')
    with pytest.raises(UsageError, match=r"Line 3 of queries\.jsonl"):
        load_collection(folder)


def test_a_folder_that_is_no_collection_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"no corpus\.jsonl"):
        load_collection(tmp_path)


def test_the_halves_share_no_question_and_do_not_depend_on_order(tmp_path):
    questions = [{"_id": f"q{n}", "text": f"question {n}"} for n in range(40)]
    qrels = "".join(f"q{n}\td1\t1\n" for n in range(40))
    found = load_collection(collection(tmp_path / "many", questions=questions, qrels=qrels))
    turned = load_collection(collection(tmp_path / "many", questions=questions[::-1], qrels=qrels))
    dev, test = ({question.id for question in found.half(part).questions} for part in ("dev", "test"))
    assert not dev & test
    assert len(dev | test) == 40
    assert 8 < len(dev) < 32
    assert {question.id for question in turned.half("dev").questions} == dev
    assert found.half("dev").qrels.keys() == dev


def test_questions_can_be_picked_by_kind(tmp_path):
    found = load_collection(collection(tmp_path / "tiny")).only(
        lambda question: question.kind == "semantic", "semantic"
    )
    assert (found.split, list(found.qrels)) == ("semantic", ["q2"])


def test_the_hashes_name_what_was_measured_whatever_its_order(tmp_path):
    one = load_collection(collection(tmp_path / "a"))
    same = load_collection(collection(tmp_path / "b", DOCUMENTS[::-1], QUESTIONS[::-1]))
    other = load_collection(collection(tmp_path / "c", DOCUMENTS[:2], qrels=QRELS.replace("\t2\n", "\t1\n")))
    assert one.corpus_hash == same.corpus_hash != other.corpus_hash
    assert one.judgement_hash == same.judgement_hash != other.judgement_hash


def test_scifact_has_the_counts_its_description_gives(test_data):
    found = load_collection(test_data / "collections" / "scifact")
    assert (len(found.documents), len(found.questions)) == (5183, 300)
    assert sum(len(judged) for judged in found.qrels.values()) == 339
    assert len(load_collection(test_data / "collections" / "scifact", "train").questions) == 809


def test_cisi_leaves_out_the_questions_nobody_judged(test_data):
    assert len(load_collection(test_data / "collections" / "cisi").questions) == 76


def test_pubmedqa_asks_each_question_of_its_own_abstract(test_data):
    found = load_pubmedqa(test_data / "pubmedqa" / "pqal_dev.jsonl.gz")
    assert (len(found.documents), len(found.questions)) == (500, 500)
    assert all(found.qrels[question.id] == {question.id: 1} for question in found.questions)


@pytest.mark.parametrize("line", ['{"pmid": "1", "question": "q"}', '{"pmid": "1", "contexts": ["c"]}'])
def test_a_pubmedqa_file_without_its_fields_is_refused(tmp_path, line):
    (tmp_path / "pqa.jsonl").write_text(line)
    with pytest.raises(UsageError, match="Line 1"):
        load_pubmedqa(tmp_path / "pqa.jsonl")
    with pytest.raises(UsageError, match="missing"):
        load_pubmedqa(tmp_path / "missing.jsonl")
