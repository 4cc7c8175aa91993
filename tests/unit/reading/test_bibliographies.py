from __future__ import annotations

import json
from pathlib import Path

import pytest

from litloop.core.errors import SourceError
from litloop.core.records import Document
from litloop.reading import ReadingLimits, ReadingPool, is_corpus, read_file
from litloop.text.retractions import read_title


@pytest.fixture
def read(tmp_path: Path):
    """Writes a file and reads it back: documents by title, and warnings."""

    def run(content: str | bytes, name: str) -> tuple[dict[str, Document], list[str]]:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        result = read_file(path)
        return {document.paper.title: document for document in result.documents}, list(result.warnings)

    return run


BIBTEX = r"""
% exported by hand
@string{jml = "Journal of Machine Learning"}
@preamble{"\newcommand{\x}{y}"}
@article{smith2020,
  author = {Smith, John and M{\"u}ller, J{\"u}rgen and {World Health Organization} and others},
  title = {{The {DNA} of \textit{E. coli} \& co: $\alpha$-helices}}, journal = jml, year = 2020,
  abstract = {We study 50\% of {\'e}t{\'e}.}, keywords = {dna, helix; bacteria},
  doi = {https://doi.org/10.1000/ABC}, eprint = {2001.00001v2}, archivePrefix = {arXiv},
}
@inproceedings{child, author = {Lee, Ann}, title = {Child paper}, crossref = {proc}}
@proceedings{proc, title = {Proceedings of X}, year = 2019, doi = {10.1000/proc}}
@book(paren, title = "Entry in parentheses (with some)", author = "Bo Ray", year = "1999", publisher = {MIT})
@online{bl, title = {Main}, subtitle = {Sub}, author = {van der Berg, Jan}, date = {2018-02-03}, journaltitle = {Glia},
  url = {https://x.org/a_b}}
"""


def test_bibtex_entries_become_papers_in_plain_characters(read):
    found, warnings = read(BIBTEX, "library.bib")
    assert warnings == []
    paper = found["The DNA of E. coli & co: α-helices"].paper
    assert paper.authors == ("John Smith", "Jürgen Müller", "World Health Organization")
    assert (paper.year, paper.venue, paper.id) == (2020, "Journal of Machine Learning", "doi:10.1000/abc")
    assert paper.ids == {"doi": "10.1000/abc", "arxiv": "2001.00001"}
    assert paper.labels == {"citation_key": "smith2020", "keywords": ("dna", "helix", "bacteria"), "type": "article"}
    assert paper.provenance["title"] == "library.bib"
    assert found[paper.title].text.content == "We study 50% of été."


def test_bibtex_knows_volumes_parentheses_and_biblatex(read):
    found, _ = read(BIBTEX, "library.bib")
    child = found["Child paper"].paper
    assert (child.venue, child.year, dict(child.ids)) == ("Proceedings of X", 2019, {})
    assert found["Entry in parentheses (with some)"].paper.venue == "MIT"
    biblatex = found["Main: Sub"].paper
    assert (biblatex.year, biblatex.venue, biblatex.url, biblatex.authors) == (
        2018,
        "Glia",
        "https://x.org/a_b",
        ("Jan van der Berg",),
    )


def test_a_broken_bibtex_entry_is_named_and_costs_only_itself(read):
    found, warnings = read(
        "@article{open, title = {No end, year = 2020\n@article{good, title = {Good}}\n@article{odd, title = = }\n"
        "@misc{bare, author = {X Y}}\n@article{last, title = {Last}}", "x.bib",
    )  # fmt: skip
    assert list(found) == ["Good", "Last"]
    assert [warning.split(":")[1].split(" is")[0].split(" has")[0] for warning in warnings] == [
        " entry open",
        " entry odd",
        " entry bare",
    ]


def test_entries_without_an_id_of_their_own_do_not_take_each_others_place(read):
    found, warnings = read(
        "@misc{a, title = {One}}\n@misc{a, title = {Two}}\n@misc{a, title={One}, keywords={k}}", "x.bib"
    )
    assert {document.paper.id for document in found.values()} == {found["One"].paper.id, found["Two"].paper.id}
    assert warnings == []
    assert len(found) == 2


RIS = """TY  - JOUR
AU  - De Strooper, Bart
AU  - Karran, Eric
TI  - The cellular phase
JO  - Cell
PY  - 2016/02/11
AB  - First line
goes on here.
DO  - 10.1016/j.cell.2015.12.056
KW  - amyloid
KW  - glia
UR  - https://host/x
N1  - PMID: 26871627
ZZ  - a tag that nobody knows
ER  -

TY  - JOUR
TI  - Cut short

TY  - CHAP
T1  - A chapter
A1  - Ray, Bo, Jr.
T2  - The book
Y1  - 1999//
ER  -
"""


def test_ris_records_become_papers_and_a_cut_one_is_named(read):
    found, warnings = read(RIS, "export.ris")
    paper = found["The cellular phase"].paper
    assert paper.authors == ("Bart De Strooper", "Eric Karran")
    assert (paper.year, paper.venue, paper.url) == (2016, "Cell", "https://host/x")
    assert paper.ids == {"doi": "10.1016/j.cell.2015.12.056", "pmid": "26871627"}
    assert paper.labels["keywords"] == ("amyloid", "glia")
    assert found["The cellular phase"].text.content == "First line goes on here."
    assert (found["A chapter"].paper.authors, found["A chapter"].paper.year) == (("Bo Ray Jr.",), 1999)
    assert warnings == ["export.ris: record 2 is cut short: its end (ER) is missing."]


@pytest.mark.parametrize(("title", "note", "retracted"), [
    ("RETRACTED: On sleep", "", True), ("Retracted Article: On sleep", "", True), ("On sleep", "PMID: 7; Retracted", True),
    ("Retracted tongues of frogs", "", False), ("On sleep", "Not retracted so far", False),
])  # fmt: skip
def test_a_retraction_mark_survives_in_title_or_note(read, title: str, note: str, retracted: bool):
    for content, name in ((f"@misc{{a, title={{{title}}}, note={{{note}}}}}", "a.bib"), (f"TY  - JOUR\nTI  - {title}\nN1  - {note}\nER  -\n", "a.ris"),
                          (json.dumps([{"type": "book", "id": "a", "title": title, "note": note, "issued": {}}]), "a.json")):  # fmt: skip
        found, _ = read(content, name)
        assert found[read_title(title).title].paper.retracted is retracted  # the mark is no part of the title


NBIB = """PMID- 123
TI  - [Treatment of chronic
      hepatitis].
AB  - Text of the abstract
      on two lines.
FAU - Rossi, Marco
AU  - Rossi M
DP  - 2003 Feb 11
JT  - Gut
LID - S0092 [pii]
LID - 10.1000/gut.1 [doi]
PMC - PMC77
MH  - Hepatitis/*therapy
OT  - liver
PT  - Retracted Publication

PMID- 124
TI  - Second.
AU  - Lee A
DP  - 2004
TA  - BMJ
"""


def test_medline_records_become_papers(read):
    found, warnings = read(NBIB, "pubmed.nbib")
    assert warnings == []
    paper = found["Treatment of chronic hepatitis"].paper
    assert (paper.authors, paper.year, paper.venue, paper.retracted) == (("Marco Rossi",), 2003, "Gut", True)
    assert paper.ids == {"doi": "10.1000/gut.1", "pmid": "123", "pmcid": "PMC77"}
    assert paper.labels["keywords"] == ("Hepatitis", "liver")
    second = found["Second"].paper
    assert (second.id, second.authors, second.venue, second.retracted) == ("pmid:124", ("Lee A",), "BMJ", False)


def test_a_real_pubmed_export_is_read_whole(test_data: Path):
    result = read_file(test_data / "medline" / "sample_medline.nbib")
    assert (
        len(result.documents) == (test_data / "medline" / "sample_medline.nbib").read_text("utf-8").count("\nPMID-") + 1
    )
    assert not result.warnings
    assert all(document.paper.authors and document.paper.year and document.paper.venue for document in result.documents)


CSL = [
    {
        "id": "http://zotero.org/users/1/items/ABC", "type": "article-journal", "title": "Statins after stroke",
        "container-title": "Brain", "DOI": "10.1000/ST.1", "abstract": "They help.", "keyword": "stroke, statins",
        "author": [{"family": "Strooper", "given": "Bart", "non-dropping-particle": "De"}, {"literal": "WHO Group"}],
        "issued": {"date-parts": [["2017", 5, 1]]}, "note": "PMID: 77", "citation-key": "strooper2017",
    },
    {"id": "x", "type": "book", "title": "A book", "publisher": "MIT", "issued": {"literal": "spring 1999"}, "editor": [{"family": "Ray"}]},
]  # fmt: skip


@pytest.mark.parametrize("name", ["items.json", "items.jsonl"])
def test_csl_items_become_papers(read, tmp_path: Path, name: str):
    content = "\n".join(map(json.dumps, CSL)) if name.endswith("l") else json.dumps(CSL)
    found, _ = read(content, name)
    assert is_corpus(tmp_path / name)
    paper = found["Statins after stroke"].paper
    assert (paper.id, paper.year, paper.venue) == ("doi:10.1000/st.1", 2017, "Brain")
    assert paper.authors == ("Bart De Strooper", "WHO Group")
    assert paper.ids == {"doi": "10.1000/st.1", "pmid": "77"}
    assert paper.labels == {
        "keywords": ("stroke", "statins"),
        "type": "article-journal",
        "citation_key": "strooper2017",
    }
    book = found["A book"].paper
    assert (book.id, book.year, book.venue, book.authors) == ("x", 1999, "MIT", ("Ray",))


def test_a_csl_item_with_odd_fields_loses_only_those(read):
    odd = {"id": 5, "type": "book", "title": ["Listed"], "author": 7, "editor": [None, 3, {"family": "Ray", "given": None}],
           "issued": {"date-parts": [[None]]}, "container-title": [], "DOI": ["x"], "keyword": None, "note": None}  # fmt: skip
    found, warnings = read(json.dumps([odd, {**odd, "id": "6", "title": "B", "author": "x", "issued": 3}]), "odd.json")
    assert (list(found), warnings) == (["Listed", "B"], [])
    assert found["Listed"].paper.year is None


def test_a_corpus_row_with_a_type_stays_a_corpus_row(read):
    found, _ = read(
        json.dumps(
            [{"id": "1", "title": "T", "text": "Body.", "type": "article", "author": [{"family": "Ray"}], "x": 5}]
        ),
        "c.json",
    )
    assert found["T"].paper.labels == {"type": "article", "x": 5}


RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:z="http://www.zotero.org/namespaces/export#"
 xmlns:dcterms="http://purl.org/dc/terms/" xmlns:bib="http://purl.org/net/biblio#" xmlns:foaf="http://xmlns.com/foaf/0.1/"
 xmlns:dc="http://purl.org/dc/elements/1.1/">
<bib:Article rdf:about="https://host/article"><z:itemType>journalArticle</z:itemType><dcterms:isPartOf rdf:resource="urn:issn:1"/>
<bib:authors><rdf:Seq><rdf:li><foaf:Person><foaf:surname>Lee</foaf:surname><foaf:givenName>Ann</foaf:givenName></foaf:Person></rdf:li></rdf:Seq></bib:authors>
<dc:subject><z:AutomaticTag><rdf:value>stroke</rdf:value></z:AutomaticTag></dc:subject><dc:title>Statins after stroke</dc:title>
<dcterms:abstract>They help.</dcterms:abstract><dc:date>May 2017</dc:date><dc:identifier>DOI 10.1000/st.1</dc:identifier></bib:Article>
<bib:Journal rdf:about="urn:issn:1"><dc:title>Brain</dc:title></bib:Journal>
<z:Attachment rdf:about="#item_3"><z:itemType>attachment</z:itemType><dc:title>PDF</dc:title></z:Attachment></rdf:RDF>"""


def test_zotero_rdf_items_become_papers_with_the_journal_they_are_part_of(read):
    found, warnings = read(RDF, "My Library.rdf")
    assert (list(found), warnings) == (["Statins after stroke"], [])
    paper = found["Statins after stroke"].paper
    assert (paper.venue, paper.year, paper.authors, paper.url) == ("Brain", 2017, ("Ann Lee",), "https://host/article")
    assert paper.ids == {"doi": "10.1000/st.1"}
    assert paper.labels == {"keywords": ("stroke",), "type": "journalArticle"}


@pytest.mark.parametrize(("content", "name"), [(BIBTEX, "a.txt"), (RIS, "b.txt"), (NBIB, "c"), (RDF, "d.xml"), ("\ufeff" + RIS, "e.txt"),
                                               (RIS.replace("\n", "\r\n"), "f.ris"), (BIBTEX.encode("utf-16"), "g.bib")])  # fmt: skip
def test_bibliographies_are_known_by_their_content(read, content, name: str):
    found, _ = read(content, name)
    assert len(found) in (1, 2, 5)
    assert all(
        document.text.parser.split("/")[0] in ("bibtex", "ris", "medline", "zotero-rdf") for document in found.values()
    )


@pytest.mark.parametrize(("content", "name", "kind"), [
    ("% nothing here\n", "a.bib", "empty"), ("no records\n", "a.ris", "empty"), ("@article{a, title = {open\n", "a.bib", "broken"),
    ("TY  - JOUR\nTI  - x\n", "a.ris", "broken"), ("<rdf:RDF xmlns:z='http://www.zotero.org/namespaces/export#'>", "a.rdf", "broken"),
])  # fmt: skip
def test_a_bibliography_without_a_readable_entry_is_refused_with_the_reason(read, content: str, name: str, kind: str):
    with pytest.raises(SourceError) as refused:
        read(content, name)
    assert refused.value.kind == kind


def test_an_entry_that_eats_the_parser_costs_only_the_file(tmp_path: Path):
    path = tmp_path / "deep.bib"
    path.write_text(
        "@article{deep, title = {" + "{" * 50_000 + "}" * 50_000 + "}}\n@article{good, title = {Good}}", "utf-8"
    )
    with ReadingPool(ReadingLimits(timeout_s=30, workers=1)) as pool:
        result = pool.read(path)
    assert [document.paper.title for document in result.documents] == ["Good"]
