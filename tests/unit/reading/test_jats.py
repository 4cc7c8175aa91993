from __future__ import annotations

import pytest

from litloop.core.errors import SourceError
from litloop.reading.jats import read_jats
from litloop.text.safe_xml import UnsafeXML, parse_xml

META = (
    "<article-meta><article-id pub-id-type='doi'>10.1/X</article-id><title-group><article-title>A <italic>title</italic>"
    "</article-title></title-group><contrib-group><contrib contrib-type='author'><name><surname>Lovelace</surname>"
    "<given-names>Ada</given-names></name></contrib><contrib contrib-type='author'><collab>The Group</collab></contrib>"
    "<contrib contrib-type='editor'><name><surname>No</surname></name></contrib></contrib-group>"
    "<pub-date pub-type='epub'><year>2012</year></pub-date><pub-date pub-type='ppub'><year>2013</year></pub-date>"
    "<abstract><p>The abstract.</p></abstract><abstract abstract-type='graphical'><p>No.</p></abstract></article-meta>"
)


@pytest.fixture
def read(tmp_path):
    def read(xml: str):
        path = tmp_path / "article.nxml"
        path.write_text(xml, encoding="utf-8")
        return read_jats(path).documents

    return read


def article(body: str, back: str = "") -> str:
    return f"<article article-type='review'><front>{META}</front><body>{body}</body><back>{back}</back></article>"


def test_abstract_sections_tables_and_figures_come_in_order(read):
    (document,) = read(
        article(
            "<sec><label>1</label><title>Methods</title><p>Text with 10<sup>6</sup> cells<xref>[1]</xref>.</p>"
            "<sec><title>Sub</title><p>More<fig><label>Fig 1</label><caption><title>Cap.</title><p>Legend.</p></caption></fig> text.</p>"
            "<list><list-item><p>one</p></list-item><list-item><p>two</p></list-item></list></sec></sec>"
            "<table-wrap><label>Table 1</label><caption><p>Rows</p></caption><table><tbody><tr><td>a</td><td>b</td></tr>"
            "<tr><td>c</td><td>d</td></tr></tbody></table></table-wrap>",
            "<ack><p>Thanks.</p></ack><app><title>Appendix</title><p>Extra.</p></app><ref-list><ref><mixed-citation>Ref"
            "</mixed-citation></ref></ref-list>",
        )
    )
    assert document.text.content == (
        "Abstract\n\nThe abstract.\n\n1 Methods\n\nText with 10⁶ cells[1].\n\nSub\n\nMore text.\n\nFig 1 Cap. Legend."
        "\n\none\ntwo\n\nTable 1 Rows\n\na\tb\nc\td\n\nAppendix\n\nExtra."
    )
    assert [(h.level, h.title) for h in document.text.headings] == [
        (1, "Abstract"), (1, "1 Methods"), (2, "Sub"), (1, "Appendix"),
    ]  # fmt: skip


def test_the_record_is_read_from_the_front(read):
    paper = read(article("<p>x</p>"))[0].paper
    assert (paper.title, paper.year, paper.ids, paper.abstract) == ("A title", 2013, {"doi": "10.1/x"}, "The abstract.")
    assert paper.authors == ("Ada Lovelace", "The Group")
    assert paper.labels == {"article_type": "review"}


def test_a_set_of_articles_gives_a_document_each(read):
    documents = read(f"<pmc-articleset>{article('<p>one</p>')}{article('<p>two</p>')}</pmc-articleset>")
    assert [document.text.content.split("\n\n")[-1] for document in documents] == ["one", "two"]
    assert len({document.paper.id for document in documents}) == 2


@pytest.mark.parametrize(
    ("xml", "kind"),
    [
        ("<article><body><p>cut", "broken"),
        (
            "<!DOCTYPE article [<!ENTITY a 'aaa'><!ENTITY b '&a;&a;'>]><article><body><p>&b;</p></body></article>",
            "broken",
        ),
        ("<article><front/><body/></article>", "empty"),
        ("<book><p>Not an article</p></book>", "unsupported"),
    ],
)
def test_bad_xml_is_refused_with_its_reason(read, xml: str, kind: str):
    with pytest.raises(SourceError) as error:
        read(xml)
    assert error.value.kind == kind


def test_an_external_document_type_is_not_fetched(read):
    doctype = '<!DOCTYPE article PUBLIC "-//NLM//DTD JATS" "http://127.0.0.1:9/none.dtd">'
    assert read(doctype + article("<p>a&#160;b</p>"))[0].text.content.endswith("a b")


def test_entity_declarations_hidden_in_utf16_are_seen():
    bomb = "<?xml version='1.0' encoding='utf-16'?><!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>".encode("utf-16")
    with pytest.raises(UnsafeXML):
        parse_xml(bomb, allow_doctype=True)
