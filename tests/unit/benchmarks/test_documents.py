"""The look-ups over full documents: what counts as right, and of what the committed figures are."""

from __future__ import annotations

import hashlib
import json

from benchmarks.quality.documents.measuring import (
    QUESTIONS,
    TARGET,
    Asked,
    ask,
    corpus_hash,
    figures,
    files_of_papers,
    material,
)

from litloop.library import Library

ROWS = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
HELD = json.loads(TARGET.read_text(encoding="utf-8"))


def test_the_committed_figures_are_of_these_questions():
    assert HELD["measured"]["questions"] == hashlib.sha256(QUESTIONS.read_bytes()).hexdigest()[:16]
    assert [one["id"] for one in HELD["questions"]] == [row["id"] for row in ROWS]
    assert len({row["question"] for row in ROWS}) == len(ROWS)


def test_the_committed_figures_are_of_the_files_at_hand(test_data):
    files = material(test_data)
    assert HELD["measured"]["corpus"]["documents"] == corpus_hash(files)
    assert {file for row in ROWS for file in row["files"]} <= {path.name for path in files}


def test_an_answer_is_right_only_when_it_matches_and_cites_the_file_that_tells_it(tmp_path):
    (tmp_path / "ferry.md").write_text("# The ferry\n\nThe ferry to Amrum takes ninety minutes.", encoding="utf-8")
    (tmp_path / "bus.md").write_text("# The bus\n\nThe bus to Husum is painted green.", encoding="utf-8")
    row = {"id": "1", "set": "second", "kind": "number", "question": "How long does the ferry to Amrum take?"}
    with Library.open(tmp_path / "library", embedding={"model": "hashing-256"}) as library:
        library.add([tmp_path / "ferry.md", tmp_path / "bus.md"])
        came_from = files_of_papers(library)
        found = {
            (files, answer): ask(library, row | {"answer": answer, "files": [files]}, came_from)[0]
            for files, answer in [("ferry.md", "ninety"), ("ferry.md", "sixty"), ("bus.md", "ninety")]
        }
    assert set(came_from.values()) == {"ferry.md", "bus.md"}
    assert (found["ferry.md", "ninety"].ending, found["ferry.md", "ninety"].rank) == ("right", 1)
    assert (found["ferry.md", "sixty"].ending, found["ferry.md", "sixty"].rank) == ("wrong", None)
    assert (found["bus.md", "ninety"].ending, found["bus.md", "ninety"].rank) == ("wrong", None)


def test_a_set_counts_its_endings_its_ranks_and_what_it_refuses():
    asked = [
        Asked("1", "second", "number", True, ("a.md",), "right", 1),
        Asked("2", "second", "number", True, ("a.md",), "not_found", 4),
        Asked("3", "second", "near", False, (), "answered", None),
    ]
    found = figures(asked)
    assert found["answerable"]["endings"] == {"right": 1, "not_found": 1}
    assert [cell[:4] for cell in found["passage among the first"].values()] == ["0.50", "0.50", "1.00"]
    assert found["refused"] == {"near": {"n": 1, "refused": "0.00 [0.00, 0.00]", "endings": {"answered": 1}}}
