from __future__ import annotations

import json

import pytest

from litloop.reading import iter_corpus
from litloop.reading.snapshot import exported_text

ROW = {
    "id": "a", "title": "T", "text": "Heading\n\nbody",
    "reading": {"parser": "pdf/1", "runs": [[0, 7, 1, 5, 12], [9, 13, 2, 0, 4]], "headings": [[0, 7, 1, "Heading"]]},
}  # fmt: skip


def test_an_exported_row_brings_its_text_and_its_map_to_the_pages(tmp_path):
    path = tmp_path / "c.jsonl"
    path.write_text(json.dumps(ROW))
    (document,) = iter_corpus(path)
    assert document.text.content == ROW["text"]
    assert document.text.parser == "pdf/1"
    assert document.text.page_at(10) == 2
    assert document.text.headings[0].title == "Heading"
    assert document.paper.labels == {}


@pytest.mark.parametrize(
    "reading",
    [
        None,
        [],
        {"parser": ""},
        {"parser": "x" * 100},
        {"parser": "p", "runs": [[0, 99, 1, 0, 99]]},
        {"parser": "p", "runs": [[5, 3, 1, 0, 2]]},
        {"parser": "p", "runs": [["a", 3, 1, 0, 2]]},
        {"parser": "p", "runs": [[0, 3]]},
        {"parser": "p", "runs": [[5, 6, 1, 0, 1], [0, 1, 1, 0, 1]]},
        {"parser": "p", "headings": [[0, 99, 1, "x"]]},
        {"parser": "p", "runs": [[True, 3, 1, 0, 2]]},
    ],
)
def test_a_map_that_does_not_fit_its_text_is_not_believed(reading):
    assert exported_text({**ROW, "reading": reading}) is None
