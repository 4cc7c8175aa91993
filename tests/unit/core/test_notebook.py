"""Results in a prompt and in a notebook: short, and safe whatever the documents say."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from litloop.catalogue import SourceFile
from litloop.core.notebook import MOST_ROWS, counted, link, shortened
from litloop.core.records import (
    Anchor,
    Answer,
    AnswerSentence,
    Citation,
    Hit,
    Paper,
    PaperUse,
    Passage,
    Relevance,
)
from litloop.ingest import AddReport
from litloop.reading import Problem
from litloop.retrieval.response import SearchResponse, Synthesis

EVIL = "<img src=x onerror=alert(1)>\"'&</table></div><script>alert(2)</script>\x1b]0;owned\x07\u202e"


def passage(text: str, number: int = 0) -> Passage:
    return Passage(f"p::{number}", "p", Anchor("p", "v", 0, len(text)), text, page=3, title="Rye")


def answer(
    text: str = "Rye is dark [1].", *, title: str = "Rye bread", quote: str = "rye is dark", url: str = ""
) -> Answer:
    paper = Paper("p", title, year=2019, url=url)
    return Answer(
        "Is rye dark?", "answered", text, "20261129-213000-1f9c2e5b",
        sentences=(AnswerSentence(text, (Citation(1, "p", "p::0", quote, 3),)),),
        papers=(PaperUse(paper, Relevance("p", "relevant"), (1,)), PaperUse(Paper("q", "Oats"), Relevance("q", "unknown"))),
        notes=("Only one paper speaks of it.",),
    )  # fmt: skip


def response(hits: int = 1, text: str = "Rye is dark.", **more: object) -> SearchResponse:
    found = tuple(Hit(passage(text, number), 0.5, number + 1) for number in range(hits))
    return SearchResponse("rye", "hybrid", "default", found, 0.644, **more)  # type: ignore[arg-type]


class Parts(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.links: list[str] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.open.append(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links += [value for name, value in attrs if name == "href"]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


HARMLESS = {"div", "p", "em", "ul", "li", "a", "blockquote", "table", "thead", "tbody", "tr", "th", "td"}


def test_an_answer_is_one_line_in_a_prompt():
    assert repr(answer()) == (
        "<Answer answered: 'Rye is dark [1].' (1 sentence, 1 cited paper), run 20261129-213000-1f9c2e5b>"
    )
    assert len(repr(answer("rye " * 100_000))) < 200


def test_printing_an_answer_shows_its_text_and_what_it_cites():
    assert str(answer()) == "Only one paper speaks of it.\nRye is dark [1].\n\n[1] Rye bread (2019)"


def test_a_search_and_a_report_are_one_line_in_a_prompt():
    assert repr(response(2)) == "<SearchResponse 'rye': 2 hits, confidence 0.64>"
    locked = SourceFile("/a/b.pdf", "", 0, 0, "application/pdf", "", "quarantined", "locked", "It needs a password.")
    report = AddReport("default", indexed=2, papers_added=1, quarantined=[locked])
    assert repr(report) == "<AddReport default: 2 files read, 1 paper added, 1 file skipped>"
    assert (
        repr(AddReport("default", unchanged=3))
        == "<AddReport default: 0 files read, 0 papers added, 3 files unchanged>"
    )


def test_the_view_of_an_answer_has_its_words_its_sources_and_its_quotes():
    parts = Parts(answer(url="https://example.org/rye")._repr_html_())
    for words in (
        "Is rye dark?",
        "Rye is dark [1].",
        "Rye bread (2019)",
        "“rye is dark” (p. 3)",
        "Only one paper speaks",
    ):
        assert words in parts.text
    assert "Oats" not in parts.text  # not cited
    assert parts.links == ["https://example.org/rye"]


def test_the_view_of_a_report_says_which_files_were_skipped_and_why():
    problem = Problem("/a/gone.pdf", "missing", "There is no file at /a/gone.pdf.")
    text = Parts(AddReport("default", papers_added=4, problems=[problem])._repr_html_()).text
    assert "There is no file at /a/gone.pdf." in text
    assert "papers added4" in text


def test_the_view_of_a_long_search_is_short_and_says_how_much_is_missing():
    html = response(MOST_ROWS + 7, "word " * 10_000)._repr_html_()
    assert "… and 7 more." in html
    assert len(html) < 20_000


@pytest.mark.parametrize(
    "shown",
    [
        answer(EVIL, title=EVIL, quote=EVIL, url="javascript:alert(3)"),
        answer(url='https://example.org/" onclick="alert(4)'),
        response(1, EVIL, warning=EVIL, synthesis=Synthesis(EVIL, (), "m")),
        AddReport(EVIL, problems=[Problem(EVIL, "missing", EVIL)], warnings=[EVIL]),
    ],
    ids=["answer", "address", "response", "report"],
)
def test_nothing_from_a_document_becomes_markup_or_a_command(shown):
    html = shown._repr_html_()
    parts = Parts(html)
    assert parts.tags <= HARMLESS
    assert parts.open == []
    assert parts.attributes <= {"class", "style", "href", "rel"}
    assert not [address for address in parts.links if not address.startswith("https://")]
    for dangerous in ("\x1b", "\x07", "\u202e"):
        assert dangerous not in html
        assert dangerous not in repr(shown)
        assert dangerous not in str(shown)
    assert "mathjax_ignore" in html


@pytest.mark.parametrize(
    "address",
    ["", "javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "//example.org", "https://", "http://["],
)
def test_only_web_addresses_become_links(address):
    assert link("x", address) == "x"


def test_a_doi_is_the_address_of_a_paper_and_is_encoded():
    paper = Paper("p", "Rye", ids={"doi": '10.1/a"b<c>'}, url="https://example.org")
    use = PaperUse(paper, Relevance("p", "relevant"), (1,))
    links = Parts(Answer("q", "answered", "a", "r", papers=(use,))._repr_html_()).links
    assert links == ["https://doi.org/10.1/a%22b%3Cc%3E"]


def test_shortening_keeps_one_line_and_counting_knows_the_plural():
    assert shortened(" a\n b ", 10) == "a b"
    assert shortened("abcdef", 4) == "abc…"
    assert [counted(n, "file") for n in (0, 1, 2)] == ["0 files", "1 file", "2 files"]
