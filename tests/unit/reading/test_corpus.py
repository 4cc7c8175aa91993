from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from litloop.core.errors import SourceError
from litloop.core.labels import label_rows, shown_labels
from litloop.reading.corpus import is_corpus, iter_corpus
from litloop.reading.reading_limits import ReadingLimits


@pytest.fixture
def corpus(tmp_path: Path):
    """Writes rows (or text as it stands) under a name and reads them back: documents and warnings."""

    def read(rows, name: str = "corpus.json", **options):
        path = tmp_path / name
        if isinstance(rows, str | bytes):
            data = rows.encode() if isinstance(rows, str) else rows
        elif "jsonl" in name:
            data = "\n".join(map(json.dumps, rows)).encode()
        else:
            data = json.dumps(rows).encode()
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        warnings: list[str] = []
        return list(iter_corpus(path, warn=warnings.append, **options)), warnings

    return read


ROWS = [{"_id": "1", "title": "One", "text": "First text."}, {"_id": "2", "title": "Two", "text": "Second text."}]


@pytest.mark.parametrize(
    ("rows", "name"),
    [
        (ROWS, "corpus.json"),
        ({"source": "x", "papers": ROWS}, "corpus.json"),
        ({"n": 2, "documents": ROWS, "after": 1}, "corpus.json"),
        (ROWS, "corpus.jsonl"),
        (ROWS, "corpus.jsonl.gz"),
        (ROWS, "corpus.json.gz"),
        ("\ufeff" + json.dumps(ROWS, indent=1), "corpus.json"),
        ("\n\n" + "\r\n".join(map(json.dumps, ROWS)) + "\n", "lines.json"),
        (json.dumps(ROWS).encode("utf-16"), "corpus.json"),
    ],
)
def test_every_form_of_corpus_file_gives_the_same_papers(corpus, rows, name: str):
    documents, warnings = corpus(rows, name)
    assert [(d.paper.id, d.paper.title, d.text.content) for d in documents] == [
        ("1", "One", "First text."),
        ("2", "Two", "Second text."),
    ]
    assert warnings == []


def test_lines_are_known_as_such_even_behind_a_very_long_first_one(corpus):
    rows = [{"id": "1", "title": "One", "text": "x" * 100_000}, *ROWS[1:]]
    documents, _ = corpus(rows, "corpus.jsonl")
    assert [d.paper.id for d in documents] == ["1", "2"]


def test_a_single_object_is_one_paper(corpus):
    documents, _ = corpus({"title": "Only", "abstract": "Text.", "results": "not a list"})
    assert [(d.paper.title, d.paper.labels) for d in documents] == [("Only", {"results": "not a list"})]


def test_fields_are_known_under_their_many_names_and_the_rest_become_labels(corpus):
    row = {
        "pmid": 123, "doi": "https://doi.org/10.1/ABC", "title": " A\ntitle ", "abstract": "It is.", "authors": ["A B", {"name": "C D"},
        {"given": "E", "family": "F"}], "publication_date": "2016-02-01", "journal": "Annals", "url": "http://x.org",
        "arxiv_id": "2103.1", "condition": "Rare one", "rarity": "rare", "overlaps_with": ["x", "y"], "n": 3, "score": 0.5,
        "open": True, "empty": "", "none": None, "nothing": [], "nested": {"a": 1}, "labels": {"region": "Frontal"}, "long": "x" * 3000,
        "metadata": {"split": "test"}, "retracted": True,
    }  # fmt: skip
    (document,), _ = corpus([row])
    paper = document.paper
    assert (paper.id, paper.title, paper.year, paper.venue, paper.url) == (
        "123",
        "A title",
        2016,
        "Annals",
        "http://x.org",
    )
    assert paper.authors == ("A B", "C D", "E F")
    assert paper.ids == {"doi": "10.1/abc", "pmid": "123", "arxiv": "2103.1"}
    assert paper.labels == {
        "condition": "Rare one", "rarity": "rare", "overlaps_with": ("x", "y"), "n": 3, "score": 0.5, "open": True,
        "region": "Frontal", "split": "test",
    }  # fmt: skip
    assert paper.retracted
    assert paper.provenance["title"] == "corpus.json"


def test_the_title_is_not_repeated_in_the_text_and_an_empty_abstract_stays_empty(corpus):
    documents, warnings = corpus(
        [{"id": "a", "title": "Title", "abstract": "Body."}, {"id": "b", "title": "Alone", "abstract": ""}]
    )
    assert [d.text.content for d in documents] == ["Body.", ""]
    assert warnings == []


def test_a_full_text_beside_the_abstract_is_what_is_read(corpus):
    (document,), _ = corpus(
        [{"id": "a", "title": "T", "abstract": "Short.", "text": "Short. And then the whole paper."}]
    )
    assert document.text.content == "Short. And then the whole paper."
    assert document.paper.abstract == "Short."


def test_a_paper_listed_twice_becomes_one_whose_differing_labels_are_tuples(corpus):
    rows = [
        {"id": "1", "title": "T", "abstract": "A.", "condition": "X", "rarity": "rare", "overlaps_with": ["a"]},
        {"id": "2", "title": "U", "abstract": "B.", "condition": "X"},
        {
            "id": "1",
            "title": "T",
            "abstract": "A.",
            "condition": "Y",
            "rarity": "rare",
            "overlaps_with": ["a", "b"],
            "new": 1,
        },
        {"id": "1", "title": "T", "abstract": "A.", "condition": "Z", "rarity": "rare", "overlaps_with": ["a"]},
    ]
    documents, warnings = corpus(rows)
    assert [d.paper.id for d in documents] == ["1", "2"]
    assert shown_labels(documents[0].paper.labels) == {
        "condition": ("X", "Y", "Z"),
        "rarity": "rare",
        "overlaps_with": ("a", "b"),
        "new": 1,
    }
    assert documents[1].paper.labels == {"condition": "X"}
    assert warnings == []
    assert label_rows(documents[0].paper.labels) == [
        {"condition": "X", "rarity": "rare", "overlaps_with": ("a",)},
        {"condition": "Y", "rarity": "rare", "overlaps_with": ("a", "b"), "new": 1},
        {"condition": "Z", "rarity": "rare", "overlaps_with": ("a",)},
    ]


def test_rows_that_stood_together_survive_an_export(corpus):
    rows = [
        {"id": "1", "title": "T", "abstract": "A.", "condition": "X", "rarity": "rare"},
        {"id": "1", "title": "T", "abstract": "A.", "condition": "Y", "rarity": "common"},
    ]
    (document,), _ = corpus(rows)
    exported = {"id": "1", "title": "T", "abstract": "A.", "labels": dict(document.paper.labels)}
    (again,), _ = corpus([json.loads(json.dumps(exported))])
    assert again.paper.labels == document.paper.labels
    assert label_rows(again.paper.labels) == [
        {"condition": "X", "rarity": "rare"},
        {"condition": "Y", "rarity": "common"},
    ]


@pytest.mark.parametrize("told", ["x", ["{", "[1]", "null", '{"condition": {"a": 1}}'], [], "[" * 3000, 7])
def test_a_foreign_label_of_the_name_of_rows_does_no_harm(corpus, told):
    (document,), _ = corpus([{"id": "1", "title": "T", "condition": "X", "label_rows": told}])
    assert [row.get("condition") for row in label_rows(document.paper.labels)] in (["X"], [None])


def test_an_id_with_another_text_keeps_the_first_and_warns(corpus):
    documents, warnings = corpus(
        [{"id": "1", "title": "T", "abstract": "A."}, {"id": "1", "title": "T", "abstract": "B."}]
    )
    assert [d.text.content for d in documents] == ["A."]
    assert warnings == ["corpus.json: row 2 has the id 1 of an earlier row but another text; the first is kept."]


def test_rows_that_cannot_be_read_are_warned_of_one_by_one_and_stop_nothing(corpus):
    lines = [json.dumps(ROWS[0]), "{broken", "[1]", '{"id": "x"}', '"text"', json.dumps(ROWS[1])]
    documents, warnings = corpus("\n".join(lines), "corpus.jsonl")
    assert [d.paper.id for d in documents] == ["1", "2"]
    assert warnings == [
        "corpus.jsonl: row 2 is not valid JSON.",
        "corpus.jsonl: row 3 is not an object.",
        "corpus.jsonl: row 4 has neither a title nor a text.",
        "corpus.jsonl: row 5 is not an object.",
    ]


def test_thousands_of_bad_rows_are_counted(corpus):
    _, warnings = corpus("\n".join([json.dumps(ROWS[0]), *["{"] * 500]), "corpus.jsonl")
    assert len(warnings) == 101
    assert warnings[-1] == "corpus.jsonl: 400 more rows could not be read."


def test_a_list_cut_short_gives_what_stands_before_the_cut(corpus):
    documents, warnings = corpus(json.dumps(ROWS)[:-20])
    assert [d.paper.id for d in documents] == ["1"]
    assert "row 2 is cut short" in warnings[0]
    documents, warnings = corpus(json.dumps(ROWS[:1])[:-1])
    assert [d.paper.id for d in documents] == ["1"]
    assert len(warnings) == 1


def test_an_id_is_made_from_the_title_and_stays_the_same(corpus):
    (first,), _ = corpus([{"title": "No Id", "abstract": "x"}])
    (second,), _ = corpus([{"title": "no id", "abstract": "x", "year": 2000}])
    (third,), _ = corpus([{"text": "only text"}])
    assert first.paper.id == second.paper.id != third.paper.id
    assert first.paper.id.startswith("t-")


def test_compatibility_forms_are_folded_with_the_map_kept(corpus):
    (document,), _ = corpus([{"id": "1", "title": "ﬁne", "abstract": "  eﬃcient 10⁶"}])
    assert document.paper.title == "fine"
    assert document.text.content == "efficient 10⁶"
    assert document.text.source_spans(1, 4) == [(None, 3, 4)]


@pytest.mark.parametrize(
    ("data", "name", "kind"),
    [
        ("[]", "corpus.json", "empty"),
        ('{"papers": []}', "corpus.json", "empty"),
        ("{}", "corpus.json", "unsupported"),
        ('{"source": "x", "n": 3}', "META.json", "unsupported"),
        ('[{"query": "what", "expected": 1}]', "gold.json", "unsupported"),
        ("[{broken", "corpus.json", "broken"),
        ('{"papers"', "corpus.json", "broken"),
        ('{"a": 1', "corpus.json", "broken"),
        ("{x\n{y\n", "corpus.jsonl", "broken"),
        ("text", "corpus.json", "broken"),
        ("[" * 100_000, "corpus.json", "broken"),
    ],
)
def test_files_without_papers_say_why(corpus, data: str, name: str, kind: str):
    with pytest.raises(SourceError) as error:
        corpus(data, name)
    assert error.value.kind == kind


def test_a_damaged_archive_is_broken_and_a_bomb_too_large(tmp_path: Path):
    path = tmp_path / "corpus.jsonl.gz"
    packed = gzip.compress("\n".join(map(json.dumps, ROWS * 2000)).encode())
    path.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(SourceError) as error:
        list(iter_corpus(path))
    assert error.value.kind == "broken"
    bombs = {"corpus.jsonl.gz": b'{"title": "x"}\n' * 300_000, "corpus.json.gz": b"[" + b" " * 5_000_000 + b"]"}
    for name, data in bombs.items():
        path = tmp_path / name
        path.write_bytes(gzip.compress(data))
        with pytest.raises(SourceError) as error:
            list(iter_corpus(path, limits=ReadingLimits(max_unpacked_mb=2)))
        assert error.value.kind == "too_large"


def test_a_corpus_is_known_by_ending_and_first_character(tmp_path: Path):
    for name, data, expected in [
        ("a.json", b" [1]", True), ("a.jsonl", b"{}", True), ("a.txt", b"[1]", False), ("a.json", b"text", False),
        ("a.jsonl.gz", gzip.compress(b"{}"), True), ("b.jsonl.gz", b"\x1f\x8bbroken", False),
    ]:  # fmt: skip
        (tmp_path / name).write_bytes(data)
        assert is_corpus(tmp_path / name) is expected
    assert not is_corpus(tmp_path / "none.json")


def test_papers_come_one_by_one(tmp_path: Path):
    path = tmp_path / "corpus.jsonl"
    path.write_text("\n".join(json.dumps({"id": str(n), "title": f"T{n}"}) for n in range(1000)))
    stream = iter_corpus(path)
    assert next(stream).paper.id == "0"
    assert next(stream).paper.id == "1"
    stream.close()


@pytest.mark.parametrize("opening", ["[", '{"a":'])
@pytest.mark.parametrize("name", ["deep.jsonl", "deep.json"])
def test_json_nested_thousands_deep_is_named_in_one_sentence(tmp_path: Path, opening: str, name: str):
    closing = "]" if opening == "[" else "}"
    path = tmp_path / name
    row = f'{{"title": "A", "x": {opening * 20_000}1{closing * 20_000}}}'
    path.write_text(f"{row}\n{row}\n" if name.endswith("l") else f"[{row}]", encoding="utf-8")
    with pytest.raises(SourceError, match="nests brackets too deep") as raised:
        list(iter_corpus(path))
    assert raised.value.kind == "broken"


def test_a_row_nested_thousands_deep_costs_only_itself(tmp_path: Path):
    path = tmp_path / "mixed.jsonl"
    path.write_text('{"title": "x", "a": ' + "[" * 5000 + "]" * 5000 + '}\n{"title": "Kept", "abstract": "One."}\n')
    warnings: list[str] = []
    papers = [document.paper.title for document in iter_corpus(path, warn=warnings.append)]
    assert papers == ["Kept"]
    assert warnings == ["mixed.jsonl: row 1 nests brackets too deep to be read."]
