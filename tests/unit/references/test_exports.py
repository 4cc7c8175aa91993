from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import bibtexparser
import jsonschema
import pytest
import rispy
from bibtexparser.middlewares import LatexDecodingMiddleware
from hypothesis import given
from hypothesis import strategies as st
from pybtex.database import parse_string

from litloop.core.errors import UsageError
from litloop.core.records import Answer, Paper, PaperUse, Relevance
from litloop.reading import read_file
from litloop.references import FORMATS, cited_papers, format_named
from litloop.references.fields import clean_line, name_of
from litloop.references.markdown_writer import escaped, reference

PAPER = Paper(
    "doi:10.1000/st_1", "The DNA of {E. coli} & co: 50% of $x_1$ ~ #2 ^3 \\alpha", "Line one.\n\nTY  - JOUR\n@article{x, y}",
    ("Bart De Strooper", "Lee A", "World Health Organization", "王伟", "Jan van der Berg Jr."), 2017, "Brain & Mind",
    {"doi": "10.1000/st_1", "pmid": "77", "arxiv": "1701.00001"}, "https://host/a_b?c=%20d",
    {"keywords": ("stroke", "a; b"), "type": "article"}, retracted=True,
)  # fmt: skip
BARE = Paper("bare-1", "Only a title")


def written(name: str, *papers: Paper) -> str:
    return "".join(format_named(name).write(papers))


# --- Round trips through other people's readers ---


def test_bibtex_is_read_back_by_bibtexparser():
    library = bibtexparser.parse_string(written("bibtex", PAPER, BARE), append_middleware=[LatexDecodingMiddleware()])
    assert not library.failed_blocks
    first, second = library.entries
    fields = {field.key: field.value for field in first.fields}
    assert first.entry_type == "article"
    # bibtexparser takes braces away and knows another sign for the circumflex.
    assert fields["title"].replace("ˆ", "^") == PAPER.title.replace("{", "").replace("}", "")
    assert fields["journal"] == "Brain & Mind"
    assert fields["abstract"] == "Line one. TY - JOUR @articlex, y"
    assert (fields["doi"], fields["year"], fields["pmid"], fields["eprint"], fields["note"]) == (
        "10.1000/st_1",
        "2017",
        "77",
        "1701.00001",
        "Retracted",
    )
    assert second.fields_dict["title"].value.strip("{}") == "Only a title"


def test_bibtex_names_are_read_back_as_people_by_pybtex():
    entry = parse_string(written("bibtex", PAPER), "bibtex").entries["destrooper2017dna"]
    people = [
        " ".join([*p.first_names, *p.prelast_names, *p.last_names, *p.lineage_names]) for p in entry.persons["author"]
    ]
    assert people == ["Bart De Strooper", "A Lee", "{World Health Organization}", "{王伟}", "Jan van der Berg Jr."]


def test_ris_is_read_back_by_rispy():
    first, second = rispy.loads(written("ris", PAPER, BARE))
    assert first["title"] == PAPER.title
    assert first["authors"] == [
        "De Strooper, Bart",
        "Lee, A",
        "World Health Organization",
        "王伟",
        "van der Berg, Jan, Jr.",
    ]
    assert (first["doi"], first["year"], first["secondary_title"]) == ("10.1000/st_1", "2017", "Brain & Mind")
    assert first["keywords"] == ["stroke", "a; b"]
    assert first["abstract"] == "Line one. TY - JOUR @article{x, y}"
    assert second["title"] == "Only a title"


def test_what_rispy_writes_is_read(tmp_path: Path):
    stream = StringIO()
    rispy.dump(
        [
            {
                "type_of_reference": "JOUR",
                "title": "From rispy",
                "authors": ["Lee, Ann"],
                "year": "2019",
                "doi": "10.1000/x",
            }
        ],
        stream,
    )
    (tmp_path / "x.ris").write_text(stream.getvalue(), "utf-8")
    (document,) = read_file(tmp_path / "x.ris").documents
    assert (document.paper.title, document.paper.authors, document.paper.year, document.paper.id) == (
        "From rispy",
        ("Ann Lee",),
        2019,
        "doi:10.1000/x",
    )


NAME = {
    "type": "object",
    "additionalProperties": False,
    "properties": {part: {"type": "string"} for part in ("family", "given", "suffix", "literal")},
}
# The parts of csl-data.json 1.0.2 that are written.
SCHEMA = {
    "type": "array",
    "items": {
        "type": "object",
        "additionalProperties": False,
        "required": ["type", "id"],
        "properties": {
            "type": {"enum": ["article", "article-journal", "book", "chapter", "dataset", "document", "paper-conference", "report", "thesis", "webpage"]},
            "id": {"type": ["string", "number"]},
            "author": {"type": "array", "items": NAME},
            "issued": {"type": "object", "properties": {"date-parts": {"type": "array", "items": {"type": "array", "items": {"type": ["string", "number"]}}}}},
            **{name: {"type": "string"} for name in ("citation-key", "title", "container-title", "abstract", "DOI", "PMID", "PMCID", "URL", "keyword", "note")},
        },
    },
}  # fmt: skip


def test_csl_json_follows_the_schema():
    items = json.loads(written("csl-json", PAPER, BARE))
    jsonschema.validate(items, SCHEMA)
    assert (
        items[0]["author"][0] == {"family": "Strooper", "given": "Bart De"}
        or items[0]["author"][0]["family"] == "De Strooper"
    )
    assert items[0]["author"][2] == {"literal": "World Health Organization"}
    assert items[0]["note"] == "arXiv: 1701.00001; Retracted"
    assert json.loads(written("csl-json")) == []


@pytest.mark.parametrize("name", ["bibtex", "ris", "csl-json"])
def test_what_is_exported_can_be_added_again(tmp_path: Path, name: str):
    path = tmp_path / f"x{FORMATS[name].ending}"
    path.write_text(written(name, PAPER, BARE), "utf-8")
    first, second = (document.paper for document in read_file(path).documents)
    assert first.title == PAPER.title
    assert (first.year, first.venue, first.id) == (PAPER.year, PAPER.venue, "doi:10.1000/st_1")
    assert {kind: first.ids[kind] for kind in ("doi", "pmid")} == {"doi": "10.1000/st_1", "pmid": "77"}
    assert first.ids["arxiv"] == "1701.00001"
    assert (first.retracted, second.retracted) == (True, False)
    assert len(first.authors) == 5
    assert first.authors[2:4] == PAPER.authors[2:4]
    assert second.title == "Only a title"


# --- Escaping ---

anything = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)


@given(anything, anything, anything)
def test_no_text_breaks_out_of_a_bibtex_field(title: str, author: str, venue: str):
    library = bibtexparser.parse_string(written("bibtex", Paper("a", title, title, (author,), 2000, venue), BARE))
    assert not library.failed_blocks
    assert len(library.entries) == 2
    assert set(library.entries[0].fields_dict) <= {"author", "title", "journal", "howpublished", "year", "abstract"}


@given(anything, anything)
def test_no_text_begins_a_ris_field(title: str, author: str):
    text = written("ris", Paper("a", f"{title}\nER  - \nTY  - JOUR", author, (author,), 2000))
    records = [line for line in text.split("\n") if line.startswith(("TY  -", "ER  -"))]
    assert len(records) == 2


@given(anything)
def test_markdown_shows_text_as_it_is(text: str):
    line = reference(Paper("a", text, authors=(text,), venue=text, url=f"javascript:{text}"))
    assert "\n" not in line
    assert "<" not in line
    assert "javascript:" not in line
    assert not any(mark in escaped(text).replace(f"\\{mark}", "") for mark in "*_[]`!|")


def test_a_markdown_reference_reads_well_and_says_what_was_retracted():
    paper = Paper(
        "a",
        "On sleep",
        authors=tuple(f"Ann Lee{n}" for n in range(8)),
        year=2017,
        venue="Brain",
        ids={"doi": "10.1000/(a)"},
        retracted=True,
    )
    assert reference(paper) == (
        "**RETRACTED.** Ann Lee0, Ann Lee1, Ann Lee2, Ann Lee3, Ann Lee4, Ann Lee5 et al. **On sleep**. *Brain* 2017. "
        "[doi:10.1000/(a)](https://doi.org/10.1000/%28a%29)."
    )
    assert reference(Paper("a", "Why?", url="https://x/")) == "**Why?** <https://x/>."


@pytest.mark.parametrize(
    "text",
    [
        "Beta-blockers: a 10-year follow-up (n = 40)",
        "C# and F# + Rust = fast?",
        "Sleep > 8 h; p < .05".replace("<", "of"),
    ],
)
def test_markdown_leaves_alone_what_it_would_not_act_on(text: str):
    assert escaped(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("# Heading", r"\# Heading"),
        ("- item", r"\- item"),
        ("> quote", r"\> quote"),
        ("3. third", r"3\. third"),
        (": defined", r"\: defined"),
        ("see https://bad.example now", r"see https\://bad.example now"),
        ("see www.bad.example", r"see www\.bad.example"),
        ("a :smile: b", r"a \:smile: b"),
        ("mail a@b.example", r"mail a\@b.example"),
        ("[x](http://y)", r"\[x\](http\://y)"),
        ("<b>&amp;", "&lt;b>&amp;amp;"),
        ("*a* _b_ `c` ~d~ $e$", r"\*a\* \_b\_ \`c\` \~d\~ \$e\$"),
    ],
)
def test_markdown_keeps_from_acting_what_would(text: str, shown: str):
    assert escaped(text) == shown


def test_keys_are_unique_and_keep_what_the_user_called_an_entry():
    papers = [Paper("1", "On sleep", authors=("Ann Lee",), year=2017), Paper("2", "Sleep again", authors=("Bo Lee",), year=2017),
              Paper("3", "x", labels={"citation_key": "my_key:1"}), Paper("4", "x", labels={"citation_key": "bad key}"}), Paper("5", "前言")]  # fmt: skip
    keys = [entry.key for entry in bibtexparser.parse_string(written("bibtex", *papers)).entries]
    assert keys == ["lee2017sleep", "lee2017sleep-2", "my_key:1", "x", "paper"]


@pytest.mark.parametrize(("label", "types"), [
    ("conference", ("inproceedings", "CPAPER", "paper-conference")), ("thesis", ("phdthesis", "THES", "thesis")),
    ("Journal Article; Review", ("article", "JOUR", "article-journal")), ("book", ("book", "BOOK", "book")),
])  # fmt: skip
def test_every_format_has_its_word_for_a_type(label: str, types: tuple[str, str, str]):
    paper = Paper("a", "T", labels={"type": label})
    assert written("bibtex", paper).startswith(f"@{types[0]}{{")
    assert written("ris", paper).startswith(f"TY  - {types[1]}\n")
    assert json.loads(written("csl-json", paper))[0]["type"] == types[2]


@pytest.mark.parametrize(("author", "family", "given"), [
    ("De Strooper B", "De Strooper", "B"), ("De Strooper, Bart", "De Strooper", "Bart"), ("Jan van der Berg", "van der Berg", "Jan"),
    ("J. R. R. Tolkien", "Tolkien", "J. R. R."), ("A B", "B", "A"), ("Maria Curie-Skłodowska", "Curie-Skłodowska", "Maria"),
])  # fmt: skip
def test_names_are_split_as_people_are_cited(author: str, family: str, given: str):
    assert (name_of(author).family, name_of(author).given) == (family, given)


@pytest.mark.parametrize("author", ["The ATLAS Collaboration", "王伟", "Plato", "COVIDSurg Study Group"])
def test_groups_and_names_of_one_part_stay_whole(author: str):
    assert name_of(author).literal == author


def test_marks_that_turn_the_direction_of_text_are_left_out():
    assert clean_line("a\u202eb\x1b[31m\u2028c") == "ab [31m c"


def test_an_answers_papers_come_in_the_order_they_are_cited():
    uses = [PaperUse(PAPER, Relevance("a", "relevant"), (2,)), PaperUse(BARE, Relevance("b", "relevant"), (1, 3)),
            PaperUse(Paper("c", "C"), Relevance("c", "relevant"))]  # fmt: skip
    assert cited_papers(Answer("q", "answered", "t", "r", papers=tuple(uses))) == [BARE, PAPER]


def test_an_unknown_format_is_named_with_those_there_are():
    with pytest.raises(UsageError, match="bibtex, ris, csl-json, markdown"):
        format_named("docx")
