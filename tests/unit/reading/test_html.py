from __future__ import annotations

import pytest

from litloop.core.errors import SourceError
from litloop.reading.html import read_html


@pytest.fixture
def page(tmp_path):
    def read(html: str | bytes):
        path = tmp_path / "page.html"
        path.write_bytes(html if isinstance(html, bytes) else html.encode())
        return read_html(path).documents[0]

    return read


def test_scripts_styles_menus_and_forms_are_left_out(page):
    document = page(
        "<html><head><title>T</title><style>p{}</style></head><body><nav>Home</nav><script>x()</script>"
        "<p>Seen <b>text</b>.</p><form>Search</form><footer>Imprint</footer><p hidden>no</p>"
        "<p style='display: none'>no</p><div aria-hidden='true'>no</div><div role='navigation'>no</div>tail</body></html>"
    )
    assert document.text.content == "Seen text.\n\ntail"


def test_headings_paragraphs_lists_and_tables_keep_their_form(page):
    document = page(
        "<h1>Title</h1><p>One\n  two.</p><ul><li>a</li><li>b</li></ul><table><tr><th>x</th><th>y</th></tr>"
        "<tr><td>1</td><td>2<sup>3</sup></td></tr></table><h2>Sub</h2><p>a<br>b</p><pre>code\n  line</pre>"
    )
    assert document.text.content == "Title\n\nOne two.\n\na\nb\n\nx\ty\n1\t2³\n\nSub\n\na\nb\n\ncode\n  line"
    assert [(h.level, h.title) for h in document.text.headings] == [(1, "Title"), (2, "Sub")]


def test_the_main_part_is_read_alone_where_a_page_marks_it(page):
    article = "<article>" + "<p>The article itself.</p>" * 20 + "</article>"
    document = page(f"<body><div>Around it</div>{article}<div>More around</div></body>")
    assert "Around" not in document.text.content
    assert document.text.content.startswith("The article itself.")


def test_the_head_of_a_publishers_page_gives_the_record(page):
    paper = page(
        '<head><meta name="citation_title" content="A Study"><meta name="citation_author" content="Ada Lovelace">'
        '<meta name="citation_author" content="Charles Babbage"><meta name="citation_doi" content="10.1000/XYZ">'
        '<meta name="citation_publication_date" content="2012/11/12"><meta name="citation_journal_title" content="Annals">'
        "<title>A Study | Annals</title></head><body><p>Text.</p></body>"
    ).paper
    assert (paper.title, paper.year, paper.venue) == ("A Study", 2012, "Annals")
    assert paper.authors == ("Ada Lovelace", "Charles Babbage")
    assert paper.ids == {"doi": "10.1000/xyz"}


def test_declared_encodings_and_entities_are_decoded(page):
    html = '<meta charset="iso-8859-2"><p>příliš &amp; &alpha;&#8805;</p>'.encode("iso-8859-2")
    assert page(html).text.content == "příliš & α≥"
    assert page("\ufeff<p>naïve</p>").text.content == "naïve"
    assert (
        page('<?xml version="1.0" encoding="utf-8"?><html><body><p>xhtml é</p></body></html>').text.content == "xhtml é"
    )


def test_deep_nesting_and_nul_bytes_do_no_harm(page):
    assert page("<div>" * 1500 + "<p>deep\0 down</p>").text.content == "deep down"


@pytest.mark.parametrize("html", ["<html><body><script>x</script></body></html>", "<!-- only -->", "<html></html>"])
def test_a_page_without_text_is_empty(page, html: str):
    with pytest.raises(SourceError) as error:
        page(html)
    assert error.value.kind == "empty"


@pytest.mark.parametrize(
    "hidden",
    [
        "<p style='display:none'>SECRET</p>", "<p style='visibility : hidden'>SECRET</p>", "<p hidden>SECRET</p>",
        "<p aria-hidden='true'>SECRET</p>", "<p style='font-size:0'>SECRET</p>", "<p style='font-size:0.5px'>SECRET</p>",
        "<span style='FONT-SIZE: 0pt !important'>SECRET</span>", "<p style='opacity:0'>SECRET</p>",
        "<p style='position:absolute;left:-9999px'>SECRET</p>", "<p style='text-indent:-9999px'>SECRET</p>",
        "<div style='overflow:hidden;height:0'><p>SECRET</p></div>", "<p style='color:#ffffff'>SECRET</p>",
        "<p style='color: white'>SECRET</p>", "<p style='color:rgba(0,0,0,0)'>SECRET</p>",
        "<style>.off { display:none }</style><p class='a off'>SECRET</p>",
        "<style>/* x { */ #one, p.two {font-size: 0}</style><p id='one'>SECRET</p><p class='two'>SECRET</p>",
        "<template>SECRET</template>", "<noscript>SECRET</noscript>",
    ],
)  # fmt: skip
def test_what_a_page_hides_is_no_part_of_its_text(page, hidden: str):
    assert (
        page(f"<body><p>Seen before.</p>{hidden}<p>Seen after.</p></body>").text.content
        == "Seen before.\n\nSeen after."
    )


@pytest.mark.parametrize(
    "shown",
    [
        "<p style='display:block'>Shown.</p>", "<p style='font-size:0.9em'>Shown.</p>", "<p style='opacity:0.8'>Shown.</p>",
        "<div style='background:#003366'><p style='color:#fff'>Shown.</p></div>", "<p style='color:#333'>Shown.</p>",
        "<style>@media print { p { display:none } } .off{display:none}</style><p class='on'>Shown.</p>",
        "<style>div p { display: none }</style><p>Shown.</p>", "<p style='height:0'>Shown.</p>",
        "<style>p.off{display:none}</style><div class='off'><p>Shown.</p></div>", "<p aria-hidden='false'>Shown.</p>",
    ],
)  # fmt: skip
def test_what_a_page_shows_is_kept(page, shown: str):
    assert page(f"<body><p>Seen before.</p>{shown}</body>").text.content == "Seen before.\n\nShown."
