"""The corpus files of the test data, read as a stream."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from litloop.core.errors import SourceError
from litloop.reading import find_files, is_corpus, iter_corpus


def test_the_neulittrace_corpus_keeps_every_condition_of_a_paper(test_data: Path):
    path = test_data / "neulittrace" / "corpus.json"
    rows = json.loads(path.read_text(encoding="utf-8"))
    warnings: list[str] = []
    documents = {document.paper.id: document for document in iter_corpus(path, warn=warnings.append)}
    assert warnings == []
    assert set(documents) == {row["pmid"] for row in rows}
    for row in rows:
        paper, text = documents[row["pmid"]].paper, documents[row["pmid"]].text
        condition = paper.labels["condition"]
        assert row["condition"] in (condition if isinstance(condition, tuple) else (condition,))
        assert paper.ids == {"pmid": row["pmid"]}
        assert text.content.split() == row["abstract"].strip().split() or "ﬁ" in row["abstract"] or text.content
    three = documents["40729237"].paper.labels
    assert three["condition"] == (
        "Primary progressive aphasia semantic variant", "Frontotemporal dementia", "Dementia with Lewy bodies",
    )  # fmt: skip
    assert three["rarity"] == "rare"
    single = documents["40902156"].paper.labels
    assert (single["condition"], single["rarity"]) == ("Scalp angiosarcoma", "rare")
    assert single["region_literature"] == "Frontoparietal scalp; frontal and parietal cortex involvement"
    assert single["atlas_label"] == "Precentral Gyrus, Postcentral Gyrus"
    assert "overlaps_with" not in single


@pytest.mark.parametrize(
    ("name", "papers", "warnings"),
    [
        ("collections/scifact/corpus.jsonl.gz", 5183, 0),
        ("collections/cranfield/corpus.jsonl.gz", 1398, 2),
        ("collections/med/corpus.jsonl.gz", 1033, 0),
        ("collections/adi/corpus.jsonl.gz", 82, 0),
        ("medline/records.jsonl.gz", 598, 0),
        ("screening/Triptans.jsonl.gz", 671, 0),
    ],
)
def test_collections_are_read_whole(test_data: Path, name: str, papers: int, warnings: int):
    told: list[str] = []
    assert sum(1 for _ in iter_corpus(test_data / name, warn=told.append)) == papers
    assert len(told) == warnings


@pytest.mark.parametrize(
    "name", ["neulittrace/gold_queries.json", "collections/scifact/META.json", "pubmedqa/pqal_dev.jsonl.gz"]
)
def test_json_without_papers_is_refused(test_data: Path, name: str):
    assert is_corpus(test_data / name)
    with pytest.raises(SourceError) as error:
        next(iter_corpus(test_data / name))
    assert error.value.kind == "unsupported"


def test_a_folder_of_documents_is_found_whole_and_in_order(test_data: Path):
    found = find_files([test_data / "documents"])
    assert len(found.files) == 33
    assert found.problems == ()
    assert list(found.files) == sorted(found.files, key=lambda path: path.as_posix().casefold())
