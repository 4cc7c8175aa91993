from __future__ import annotations

import io
import zipfile

import pytest

from litloop.core.errors import SourceError
from litloop.reading.docx import read_docx
from litloop.reading.docx_package import open_package
from litloop.reading.reading_limits import ReadingLimits

LIMITS = ReadingLimits()


def p(text: str, properties: str = "", run: str = "") -> str:
    return (
        f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:rPr>{run}</w:rPr><w:t xml:space='preserve'>{text}</w:t></w:r></w:p>"
    )


@pytest.fixture
def read(write_docx):
    def read(body: str, parts: dict[str, str] | None = None):
        return read_docx(write_docx(body, parts), LIMITS).documents[0]

    return read


STYLES = {
    "word/styles.xml": "<w:styles SPACES>"
    "<w:style w:styleId='H1'><w:name w:val='heading 1'/></w:style>"
    "<w:style w:styleId='Mine'><w:name w:val='My Section'/><w:basedOn w:val='H1'/></w:style>"
    "<w:style w:styleId='Out'><w:name w:val='Deep'/><w:pPr><w:outlineLvl w:val='2'/></w:pPr></w:style>"
    "<w:style w:styleId='T'><w:name w:val='Title'/></w:style>"
    "<w:style w:styleId='LoopA'><w:name w:val='A'/><w:basedOn w:val='LoopB'/></w:style>"
    "<w:style w:styleId='LoopB'><w:name w:val='B'/><w:basedOn w:val='LoopA'/></w:style></w:styles>"
}


def test_headings_are_known_by_style_base_style_and_outline(read):
    body = "".join(
        p(text, f"<w:pStyle w:val='{style}'/>")
        for text, style in [
            ("The Title", "T"),
            ("One", "H1"),
            ("Two", "Mine"),
            ("Three", "Out"),
            ("body", "LoopA"),
            ("x", "None"),
        ]
    )
    document = read(body + p("Four", "<w:outlineLvl w:val='0'/>") + p("not", "<w:outlineLvl w:val='9'/>"), STYLES)
    assert [(h.level, h.title) for h in document.text.headings] == [
        (1, "The Title"), (1, "One"), (1, "Two"), (3, "Three"), (1, "Four"),
    ]  # fmt: skip
    assert document.paper.title == "The Title"


def test_bold_lines_are_the_headings_where_no_style_is(read):
    document = read(
        p("Introduction", run="<w:b/>")
        + p("A sentence in bold.", run="<w:b/>")
        + p("body")
        + p("plain", run="<w:b w:val='0'/>")
    )
    assert [h.title for h in document.text.headings] == ["Introduction"]


def test_notes_and_text_boxes_follow_the_paragraph_they_hang_on(read):
    body = (
        "<w:p><w:r><w:t>Before</w:t><w:footnoteReference w:id='2'/></w:r><w:r><mc:AlternateContent><mc:Choice><w:drawing>"
        f"<w:txbxContent>{p('in the box')}</w:txbxContent></w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox>"
        f"<w:txbxContent>{p('in the box')}</w:txbxContent></v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
        "<w:r><w:t> after</w:t><w:endnoteReference w:id='9'/></w:r></w:p>" + p("Next")
    )
    notes = {"word/footnotes.xml": f"<w:footnotes SPACES><w:footnote w:id='0' w:type='separator'>{p('no')}</w:footnote>"
             f"<w:footnote w:id='2'>{p('the note')}</w:footnote></w:footnotes>"}  # fmt: skip
    assert read(body, notes).text.content == "Before after\n\nthe note\n\nin the box\n\nNext"


def test_deleted_and_hidden_text_and_field_codes_are_left_out(read):
    body = (
        "<w:p><w:r><w:t>kept</w:t></w:r><w:del><w:r><w:delText>deleted</w:delText></w:r></w:del><w:ins><w:r><w:t> inserted</w:t></w:r></w:ins>"
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r><w:r><w:instrText>PAGE</w:instrText></w:r>"
        "<w:hyperlink><w:r><w:t> linked</w:t></w:r></w:hyperlink><w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom></w:p>"
    )
    assert read(body).text.content == "kept inserted linked"


def test_tabs_breaks_hyphens_and_symbols_are_written(read):
    body = (
        "<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t><w:softHyphen/><w:t>e</w:t>"
        "<w:sym w:font='Symbol' w:char='F0B0'/><w:sym w:char='zz'/></w:r></w:p>"
    )
    assert read(body).text.content == "a\tb\nc-de°"


def test_superscript_digits_do_not_join_the_number(read):
    body = "<w:p><w:r><w:t>10</w:t></w:r><w:r><w:rPr><w:vertAlign w:val='superscript'/></w:rPr><w:t>6</w:t></w:r></w:p>"
    assert read(body).text.content == "10⁶"


def test_table_rows_are_lines_and_merged_and_nested_cells_appear_once(read):
    inner = f"<w:tbl><w:tr><w:tc>{p('inner')}</w:tc></w:tr></w:tbl>"
    body = (
        f"{p('above')}<w:tbl><w:tr><w:tc>{p('a')}{p('a2')}</w:tc><w:tc>{p('b')}</w:tc></w:tr>"
        f"<w:tr><w:tc><w:tcPr><w:vMerge/></w:tcPr>{p('')}</w:tc><w:tc>{p('c')}{inner}</w:tc></w:tr></w:tbl>{p('below')}"
    )
    assert read(body).text.content == "above\n\na a2\tb\nc\ninner\n\nbelow"


def test_content_controls_and_list_items_are_read(read):
    numbered = "<w:numPr><w:ilvl w:val='0'/><w:numId w:val='1'/></w:numPr>"
    body = f"<w:sdt><w:sdtPr><w:alias w:val='x'/></w:sdtPr><w:sdtContent>{p('inside')}</w:sdtContent></w:sdt>{p('one', numbered)}{p('two', numbered)}"
    assert read(body).text.content == "inside\n\none\ntwo"


@pytest.mark.parametrize(
    ("omml", "text"),
    [
        ("<m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f>", "(a+b)/2"),
        ("<m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>n</m:t></m:r></m:sup></m:sSup>", "x^n"),
        ("<m:sSub><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sub><m:r><m:t>12</m:t></m:r></m:sub></m:sSub>", "x₁₂"),
        ("<m:rad><m:deg><m:r><m:t>3</m:t></m:r></m:deg><m:e><m:r><m:t>y</m:t></m:r></m:e></m:rad>", "³√(y)"),
        ("<m:nary><m:naryPr><m:chr m:val='∑'/></m:naryPr><m:sub><m:r><m:t>1</m:t></m:r></m:sub><m:sup/><m:e><m:r><m:t>k</m:t></m:r></m:e></m:nary>", "∑₁ k"),
        ("<m:d><m:dPr><m:begChr m:val='['/><m:endChr m:val=']'/></m:dPr><m:e><m:r><m:t>z</m:t></m:r></m:e></m:d>", "[z]"),
        ("<m:func><m:fName><m:r><m:t>sin</m:t></m:r></m:fName><m:e><m:r><m:t>t</m:t></m:r></m:e></m:func>", "sin t"),
        ("<m:limUpp><m:e><m:r><m:t>l</m:t></m:r></m:e><m:lim><m:r><m:t>2</m:t></m:r></m:lim></m:limUpp>", "l²"),
        ("<m:m><m:mr><m:e><m:r><m:t>1</m:t></m:r></m:e><m:e><m:r><m:t>0</m:t></m:r></m:e></m:mr></m:m>", "[1, 0]"),
    ],
)  # fmt: skip
def test_formulas_are_written_on_a_line(read, omml: str, text: str):
    assert read(f"<w:p><m:oMath>{omml}</m:oMath></w:p>").text.content == text
    assert read(f"<m:oMathPara><m:oMath>{omml}</m:oMath></m:oMathPara>").text.content == text


def test_metadata_comes_from_the_core_properties(read):
    core = (
        "<cp:coreProperties xmlns:cp='c' xmlns:dc='http://purl.org/dc/elements/1.1/'><dc:title>A Given Title</dc:title>"
        "<dc:creator>Ada Lovelace</dc:creator></cp:coreProperties>"
    )
    paper = read(p("text"), {"docProps/core.xml": core}).paper
    assert (paper.title, paper.authors) == ("A Given Title", ("Ada Lovelace",))


def test_the_document_part_is_found_by_the_packages_relations(tmp_path):
    path = tmp_path / "odd.docx"
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "_rels/.rels",
            "<Relationships><Relationship Type='x/officeDocument' Target='/word/main2.xml'/></Relationships>",
        )
        archive.writestr("word/main2.xml", f"<w:document xmlns:w='{space}'><w:body>{p('found')}</w:body></w:document>")
    assert read_docx(path, LIMITS).documents[0].text.content == "found"


def test_the_strict_variant_of_the_format_is_read(tmp_path):
    path = tmp_path / "strict.docx"
    with zipfile.ZipFile(path, "w") as archive:
        body = f"<w:document xmlns:w='http://purl.oclc.org/ooxml/wordprocessingml/main'><w:body>{p('strict')}</w:body></w:document>"
        archive.writestr("word/document.xml", body)
    assert read_docx(path, LIMITS).documents[0].text.content == "strict"


@pytest.mark.parametrize(
    "xml",
    ["<w:document", "<!DOCTYPE x [<!ENTITY a 'b'>]><w:document xmlns:w='x'/>", "<other/>"],
)
def test_a_broken_document_part_is_broken(tmp_path, xml: str):
    path = tmp_path / "bad.docx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", xml)
    with pytest.raises(SourceError) as error:
        read_docx(path, LIMITS)
    assert error.value.kind == "broken"


def test_a_zip_bomb_is_refused_before_it_is_unpacked(write_docx):
    path = write_docx(p("x" * 60_000_000))
    assert path.stat().st_size < 200_000
    with pytest.raises(SourceError) as error:
        read_docx(path, ReadingLimits(max_unpacked_mb=10))
    assert error.value.kind == "too_large"
    with pytest.raises(SourceError) as error:
        read_docx(path, LIMITS)
    assert error.value.kind == "too_large"


def test_what_is_really_unpacked_is_counted_not_only_what_is_declared(write_docx):
    path = write_docx(p("x" * 900_000), compress=False)
    with open_package(path, ReadingLimits(max_unpacked_mb=1)) as package:
        package.xml("word/document.xml")
        with pytest.raises(SourceError) as error:
            package.xml("word/document.xml")
    assert error.value.kind == "too_large"


def test_a_cut_or_damaged_zip_is_broken(write_docx):
    path = write_docx(p("text " * 1000))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(SourceError) as error:
        read_docx(path, LIMITS)
    assert error.value.kind == "broken"
    damaged = bytearray(whole)
    damaged[80:120] = bytes(40)
    path.write_bytes(damaged)
    with pytest.raises(SourceError) as error:
        read_docx(path, LIMITS)
    assert error.value.kind == "broken"


def test_an_encrypted_member_is_locked(tmp_path):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("word/document.xml", "<x/>")
    data = bytearray(buffer.getvalue())
    data[data.rindex(b"PK\x01\x02") + 8] |= 1
    path = tmp_path / "locked.docx"
    path.write_bytes(data)
    with pytest.raises(SourceError) as error:
        read_docx(path, LIMITS)
    assert error.value.kind == "locked"


def test_a_document_of_empty_paragraphs_is_empty(read):
    with pytest.raises(SourceError) as error:
        read(p(" ") + p(""))
    assert error.value.kind == "empty"


HIDING = {
    "word/styles.xml": "<w:styles SPACES>"
    "<w:style w:styleId='Secret'><w:name w:val='Secret'/><w:rPr><w:vanish/></w:rPr></w:style>"
    "<w:style w:styleId='Open'><w:name w:val='Open'/><w:basedOn w:val='Secret'/><w:rPr><w:vanish w:val='0'/></w:rPr></w:style>"
    "<w:style w:styleId='Under'><w:name w:val='Under'/><w:basedOn w:val='Secret'/></w:style></w:styles>"
}


@pytest.mark.parametrize(
    ("properties", "run"),
    [
        ("", "<w:vanish/>"),
        ("", "<w:specVanish/>"),
        ("", "<w:rStyle w:val='Secret'/>"),
        ("<w:pStyle w:val='Secret'/>", ""),
        ("<w:pStyle w:val='Under'/>", ""),
        ("", "<w:color w:val='FFFFFF'/>"),
        ("", "<w:color w:val='fefefe'/>"),
        ("", "<w:sz w:val='1'/>"),
    ],
)
def test_hidden_white_and_tiny_text_is_left_out(read, properties: str, run: str):
    assert read(p("Seen. ") + p("Secret.", properties, run), HIDING).text.content == "Seen."


@pytest.mark.parametrize(
    ("properties", "run"),
    [
        ("", "<w:vanish w:val='0'/>"),
        ("<w:pStyle w:val='Open'/>", ""),
        ("<w:pStyle w:val='Secret'/>", "<w:vanish w:val='false'/>"),
        ("", "<w:color w:val='FFFFFF'/><w:shd w:fill='000080'/>"),
        ("<w:shd w:fill='000080'/>", "<w:color w:val='FFFFFF'/>"),
        ("", "<w:color w:val='FFFFFF'/><w:highlight w:val='black'/>"),
        ("", "<w:color w:val='auto'/>"),
        ("", "<w:color w:val='808080'/><w:sz w:val='14'/>"),
    ],
)
def test_text_that_only_resembles_hidden_text_is_kept(read, properties: str, run: str):
    assert read(p("Seen.") + p("Shown.", properties, run), HIDING).text.content == "Seen.\n\nShown."


@pytest.mark.parametrize(
    ("table", "cell", "kept"),
    [("", "", False), ("", "<w:tcPr><w:shd w:fill='1F3864'/></w:tcPr>", True),
     ("<w:tblPr><w:tblStyle w:val='GridTable4-Accent1'/></w:tblPr>", "", True)],
)  # fmt: skip
def test_white_heads_of_shaded_tables_are_kept(read, table: str, cell: str, kept: bool):
    head = p("Dose", run="<w:color w:val='FFFFFF'/>")
    body = f"<w:tbl>{table}<w:tr><w:tc>{cell}{head}</w:tc></w:tr><w:tr><w:tc>{p('5 mg')}</w:tc></w:tr></w:tbl>"
    assert read(body).text.content == ("Dose\n5 mg" if kept else "5 mg")
