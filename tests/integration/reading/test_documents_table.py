"""What every document of the test data must give: its text in reading order, or the reason why it is set aside.

The fragments were written down from the rendered pages, not from the program's output.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from litloop.core.errors import SourceError
from litloop.reading import ReadingLimits, ReadResult, read_file

PASSWORD = "asdfzxcv"

# file -> fragments of the reading text in the order a person reads them, each with its page (None: no pages).
TEXTS: dict[str, list[tuple[str, int | None]]] = {
    "pdf/annotations.pdf": [("Some text.", 1), ("Line 1", 1), ("Line 2", 1), ("Not highlighted", 1)],
    "pdf/arxiv_layoutparser_2p.pdf": [
        ("LayoutParser: A Unified Toolkit for Deep Learning Based Document Image Analysis", 1),
        ("Ruochen Zhang², Melissa Dell³, Benjamin Charles Germain Lee⁴", 1),
        ("complicate the easy reuse of important innovations by a wide audience", 1),
        ("Though there have been on-going efforts to improve reusability", 1),
        ("full document digitization pipelines", 1),
        ("publicly available at https://layout-parser.github.io.", 1),
        ("1 Introduction", 1),
        ("including document image classification [11, 37], layout detection [38, 22]", 1),
        ("table detection [26], and scene text detection [4].", 2),
        ("Existing models are developed using distinct frameworks like TensorFlow [1]", 2),
        ("there is no full-fledged infrastructure for easily curating", 2),
        ("1. An off-the-shelf toolkit for applying DL models", 2),
        ("sophisticated and large-scale digitization projects", 2),
    ],
    "pdf/attachment.pdf": [
        ("Lorem ipsum dolor sit amet, consetetur sadipscing elitr", 1),
        ("no sea takimata sanctus est", 1),
        ("ea rebum. Stet clita kasd gubergren, no sea takimata sanctus est Lorem ipsum dolor sit amet.", 1),
    ],
    "pdf/broken_corrupted_xref.pdf": [
        ("Mai 30, 18 13:27", 1),
        ("Beautiful is better than ugly.", 1),
        ("Special cases aren’t special enough to break the rules.", 1),
        ("There should be one−− and preferably only one −−obvious way to do it.", 1),
        ("Namespaces are one honking great idea −− let’s do more of those!", 1),
        ("Mittwoch Mai 30, 2018", 1),
    ],
    "pdf/cjk_japanese_vertical.pdf": [
        ("あらゆる透明な幽霊の複合体", 1),
        ("風景やみんなといっしょに", 1),
        ("ひかりはたもち、その電燈は失はれ", 1),
        ("そのとほりの心象スケッチです", 1),
        ("宇宙塵をたべ、または空気や塩水を呼吸しながら", 1),
        ("みんなのおのおののなかのすべてですから", 1),
        ("あるひは修羅の十億年", 1),
        ("それ相當のちがった地質學が流用され", 1),
        ("青ぞらいっぱいの無色な孔雀が居たとおもひ", 1),
    ],
    "pdf/cjk_korean_tables.pdf": [
        ("할인점·주유·온라인쇼핑몰 1.5% 빅포인트 적립", 1),
        ("업종 적립 대상", 1),
        ("주유 모든 주유소", 1),
        ("온라인쇼핑몰 삼성카드 쇼핑, G마켓, 옥션, 11번가, 인터파크, 쿠팡, 티몬, 위메프", 1),
        ("* 주유는 LPG충전소 포함", 1),
        ("매월 1일부터 말일까지 이용한 일시불 및 할부 이용금액", 1),
        ("커피전문점·제과점·편의점 2% 빅포인트 적립", 1),
        ("제과점 파리바게뜨, 뚜레쥬르", 1),
        ("편의점 CU, GS25, 세븐일레븐, 미니스톱", 1),
        ("적립 제외 대상", 1),
        ("적립된 포인트는 합산하여 사용 가능(1 포인트 = 1원의 가치)", 1),
    ],
    "pdf/code_and_formula.pdf": [
        ("JavaScript Code Example", 1),
        ("sed diam nonumy eirmod tempor invidunt", 1),
        ("sed diam voluptua. At vero eos", 1),
        ("Listing 1: Simple JavaScript Program", 1),
        ("function add(a, b) {", 1),
        ("return a + b;", 1),
        ("Formula", 2),
        ("a² + 8 = 12", 2),
        ("magna aliquam erat volutpat.", 2),
    ],
    "pdf/encrypted_owner_only.pdf": [
        ("LayoutParser: A Unified Toolkit for Deep Learning Based Document Image Analysis", 1),
        ("Though there have been on-going efforts to improve reusability", 1),
        ("several practical difficulties for taking advantages of recent advances", 2),
        ("tools for efficient document image data annotation", 2),
        ("support different levels of customization", 2),
    ],
    "pdf/encrypted_user_password_aes256.pdf": [("pdf encryption test", 1), ("password: asdfzxcv", 1)],
    "pdf/ligatures.pdf": [("abcdeffffiflffifflststghijklmno", 1)],
    "pdf/long_619_pages.pdf": [
        ("Table of Contents", 1),
        ("The Life Drinker 22", 1),
        ("The Magister's Shield 22", 1),
        ("The Sacred Ashes of Andraste 48", 1),
        ("The Mabari Hound 175", 5),
        ("Flemeth's Demise 176", 5),
        ("We arrived in the dead of night. We had been tracking the maleficar for days", 6),
        ("a ragged collection of bones wearing the robes of one of the senior enchanters", 6),
        ("When the prophet Andraste and her husband Maferath arrived", 101),
        ("the human heart is more powerful than the greatest weapon, and when wounded, it is capable", 101),
        ("Maferath fell to the evil of jealousy.", 102),
    ],
    "pdf/multi_page_headings.pdf": [
        ("The Evolution of the Word Processor", 1),
        ("Patented in 1868 by Christopher Latham Sholes, the typewriter revolutionized written communication", 1),
        ("• Wang Laboratories: In the 1970s, Wang introduced dedicated word processing machines.", 1),
        ("Apple’s MacWrite, which leveraged the Macintosh’s graphical capabilities", 2),
        ("The Cultural Impact of Word Processors", 3),
        ("from clunky typewriters to AI-powered platforms—reflects humanity’s broader technological progress", 5),
    ],
    "pdf/rtl_arabic_presentation_forms.pdf": [("انواع الخطوط العربية", 1)],
    "pdf/rtl_arabic_tiny.pdf": [("habibi", 1), ("حَبيبي", 1)],
    "pdf/scan_with_ocr_layer.pdf": [
        ("it became too conspicuous and dangerous for use.", 1),
        ("thousand men to raise the siege, but I do not believe it.", 1),
        ("we must improve our quarters", 1),
        ("But one shell dropped near my tent, buried itself in", 1),
        ("leaving a hole big enough to bury a horse", 2),
        ("These shells are visitors we do not care to see in camp", 2),
        ("bent and flattened in every conceivable shape. A friend from the 96th Ohio", 2),
        ("neglect its brave defenders", 2),
    ],
    "pdf/two_column_latex.pdf": [
        ("Two-Column Document with Lorem Ipsum", 1),
        ("This is a sample document with two columns filled with Lorem Ipsum text.", 1),
        ("consectetuer adipiscing elit. Ut purus elit", 1),
        ("Vivamus viverra fermentum felis. Donec nonummy pellentesque ante.", 1),
        ("Maecenas lacinia. Nam ipsum ligula", 1),
        ("Quisque egestas wisi eget nunc. Nam feugiat lacus vel est.", 1),
        ("Integer vitae justo. Aliquam vestibulum", 2),
        ("vel consectetuer odio sem sed wisi.", 2),
        ("Table 1: EU Countries Information", 3),
        ("Country Population (millions) Area (km²) Capital Official Language", 3),
        ("Belgium 11.5 30,689 Brussels Dutch, French, German", 3),
        ("Finland 5.5 338,424 Helsinki Finnish, Swedish", 3),
    ],
    "docx/comments.docx": [("Ouch.", None)],
    "docx/equations.docx": [
        ("this is an inline equation: A=πr²", 1),
        ("Second item with equations: E=mc² and F=ma are physics formulas.", 1),
        ("The formula a²+b²=c² is the Pythagorean theorem.", 1),
        ("a²+b²=c² × 23", 1),
        ("And that is an equation by itself. Cheers!", 1),
        ("∫ (2x+1)dx", 3),
    ],
    "docx/footnotes.docx": [("Ouch.", None), ("A tachyon walks into a bar.", None), ("Fin.", None)],
    "docx/headings_numbered.docx": [
        ("Test Document", 1),
        ("Section 1", 1),
        ("Paragraph 1.2", 1),
        ("Section 1.2.3", 1),
        ("Paragraph 2.1.1.1", 2),
        ("Hardware Constraints – Egde Case", 2),
        ("REFERENCES", 2),
        ("This is the second reference.", 2),
    ],
    "docx/long_872_pages.docx": [
        ("Executive Office for United States Trustees", None),
        ("Handbook for", None),
        ("CHAPTER 2 – APPOINTMENT, QUALIFICATIONS, PERCENTAGE FEE AND COMPENSATION OF THE STANDING TRUSTEE", None),
        ("Related Provisions:", None),
        ("11 U.S.C. § 343", None),
    ],
    "docx/tables.docx": [
        ("Above", None),
        ("Top left Top right", None),
        ("Bottom left Bottom right", None),
        ("Below", None),
    ],
    "docx/text_box.docx": [("Datum plane", None)],
    "docx/word_sample.docx": [
        ("Summer activities", 1),
        ("Swimming in the lake", 1),
        ("Figure 1: This is a cute duckling", 1),
        ("Let’s swim!", 1),
        ("Also, don’t forget:", 1),
        ("Wear sunglasses", 1),
        ("I like to eat leaves", 2),
        ("Food Calories per portion", 2),
        ("Berries Blueberry, Strawberry, Cranberry 150", 2),
        ("And let’s add another list in the end:", 2),
    ],
    "other/attention_1706.03762.md": [
        ("Attention Is All You Need", None),
        ("We propose a new simple network architecture, the Transformer, based solely on attention mechanisms", None),
        ("significantly less time to train", None),
        ("as a function of the previous hidden state $h_{t-1}$", None),
        ("Layer Type Complexity per Layer Sequential Maximum Path Length", None),
        ("ByteNet \\citep{NalBytenet2017} 23.75", None),
        ("Conclusion", None),
    ],
    "other/groundtruth_multi_page_headings.md": [
        ("The Evolution of the Word Processor", None),
        ("IBM MT/ST (Magnetic Tape/Selectric Typewriter) : Introduced in 1964", None),
        ("The Rise of Personal Computers (1980s)", None),
    ],
    "other/jats_mds526.nxml": [
        ("We analysed data on the stage at diagnosis of East of England patients", None),
        ("Stage information was available on 88 657 of 98 942 tumours (89.6%).", None),
        ("introduction", None),
        ("Eliminating population exposure to known lifestyle and environmental risk factors", None),
        ("Table 1. Distribution of stage, gender, age and deprivation categories by cancer", None),
        ("Stage III 277 6% 1999 9% 2917 24%", None),
    ],
    "other/jats_pone.0046493.nxml": [
        ("Lipid metabolism plays an important role during the lifetime of Mycobacterium tuberculosis", None),
        ("According to the World Health Organization (2011; http://www.who.int/tb/en/)", None),
        ("M. smegmatis mc²155 used for expression experiments", None),
        ("Substrate specificity of recombinant Lip-HSL proteins.", None),
    ],
}

# file -> the kind of reason, and a word its sentence must hold.
QUARANTINED: dict[str, tuple[str, str]] = {
    "pdf/broken_fuzzed_tiny.pdf": ("broken", "broken"),
    "pdf/garbled_no_tounicode.pdf": ("garbled", "no usable text layer"),
    "pdf/scan_image_only.pdf": ("scanned", "OCR"),
    "pdf/table_merged_cells.pdf": ("scanned", "OCR"),
    "docx/empty.docx": ("empty", "empty"),
}


@pytest.fixture(scope="module")
def read(test_data: Path):
    """Reads a document once for all the tests of this file."""
    results: dict[str, ReadResult] = {}

    def read(name: str) -> ReadResult:
        if name not in results:
            results[name] = read_file(test_data / "documents" / name, password=PASSWORD)
        return results[name]

    return read


def spaced(text: str) -> str:
    return " ".join(text.split())


def test_the_table_names_every_document(test_data: Path):
    folder = test_data / "documents"
    present = {str(path.relative_to(folder)) for path in folder.glob("*/*")}
    assert present == set(TEXTS) | set(QUARANTINED)


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_the_fragments_stand_in_the_text_in_reading_order(read, name: str):
    text = spaced(read(name).documents[0].text.content)
    at = 0
    for fragment, _ in TEXTS[name]:
        found = text.find(fragment, at)
        assert found >= 0, f"{fragment!r} is not in {name}, or before its turn"
        at = found + len(fragment)


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_each_fragment_stands_on_its_page(read, name: str):
    text = read(name).documents[0].text
    squeezed, places = [], []  # the content with white space as single spaces, and where each character stood
    for offset, char in enumerate(text.content):
        if not char.isspace():
            squeezed.append(char)
            places.append(offset)
        elif squeezed and squeezed[-1] != " ":
            squeezed.append(" ")
            places.append(offset)
    content, at = "".join(squeezed), 0
    for fragment, page in TEXTS[name]:
        at = content.index(fragment, at)
        assert text.page_at(places[at]) == page, fragment


@pytest.mark.parametrize("name", sorted(QUARANTINED))
def test_what_cannot_be_read_is_set_aside_for_the_right_reason(test_data: Path, name: str):
    kind, word = QUARANTINED[name]
    with pytest.raises(SourceError) as error:
        read_file(test_data / "documents" / name)
    assert error.value.kind == kind
    assert word in str(error.value)
    assert Path(name).name in str(error.value)


def test_a_locked_pdf_says_that_it_needs_a_password(test_data: Path):
    path = test_data / "documents" / "pdf" / "encrypted_user_password_aes256.pdf"
    for password in (None, "", "wrong"):
        with pytest.raises(SourceError) as error:
            read_file(path, password)
        assert error.value.kind == "locked"
        assert "password" in str(error.value)


def test_a_needless_password_does_no_harm(test_data: Path):
    path = test_data / "documents" / "pdf" / "encrypted_owner_only.pdf"
    assert read_file(path, "needless").documents[0].text == read_file(path).documents[0].text


def test_running_heads_and_page_numbers_are_left_out(read):
    scan = read("pdf/scan_with_ocr_layer.pdf").documents[0].text.content
    assert "SIEGE OF VICKSB" not in scan
    columns = read("pdf/two_column_latex.pdf").documents[0].text.content
    assert "\n1\n" not in columns
    assert "Nam feugiat lacus vel est" in columns
    arxiv = read("pdf/arxiv_layoutparser_2p.pdf").documents[0].text.content
    assert "Z. Shen et al." not in arxiv
    long = read("pdf/long_619_pages.pdf").documents[0].text.content
    assert not any(line.strip() == "101" for line in long.splitlines())


def test_comments_and_unseen_text_stay_out(read):
    assert read("docx/comments.docx").documents[0].text.content == "Ouch."
    assert "0394" not in read("pdf/cjk_korean_tables.pdf").documents[0].text.content


def test_headings_are_found_with_their_levels(read):
    headings = [(h.level, h.title) for h in read("docx/word_sample.docx").documents[0].text.headings]
    assert headings == [(1, "Swimming in the lake"), (1, "Let’s swim!"), (2, "Let’s eat")]
    levels = {h.title: h.level for h in read("other/attention_1706.03762.md").documents[0].text.headings}
    assert levels["Introduction"] == 2
    assert levels["Scaled Dot-Product Attention"] == 4
    text = read("pdf/multi_page_headings.pdf").documents[0].text
    truth = read("other/groundtruth_multi_page_headings.md").documents[0].text
    assert [h.title for h in text.headings] == [h.title for h in truth.headings][: len(text.headings)]
    for heading in text.headings:
        assert text.content[heading.start : heading.end] == heading.title


def test_the_pdf_reads_as_its_ground_truth_does(read):
    def words(name: str) -> list[str]:
        text = read(name).documents[0].text.content
        for typographic, plain in (("’", "'"), ("“", '"'), ("”", '"'), ("—", "-"), ("•", " ")):
            text = text.replace(typographic, plain)
        # The reference lost the two hyphens and dashes that stand at the end of a line.
        text = text.replace("self-publishing", "selfpublishing").replace("platforms-reflects", "platformsreflects")
        return text.replace(":", " ").split()

    assert words("pdf/multi_page_headings.pdf") == words("other/groundtruth_multi_page_headings.md")


def test_metadata_is_taken_where_it_can_be_trusted(read):
    arxiv = read("pdf/arxiv_layoutparser_2p.pdf").documents[0].paper
    assert arxiv.title == "LayoutParser: A Unified Toolkit for Deep Learning Based Document Image Analysis"
    assert arxiv.year == 2021
    assert arxiv.ids == {"arxiv": "2103.15348"}
    assert arxiv.abstract.startswith("Recent advances in document image analysis (DIA)")
    assert arxiv.abstract.endswith("https://layout-parser.github.io.")
    assert read("pdf/scan_with_ocr_layer.pdf").documents[0].paper.title == "scan_with_ocr_layer"  # not Binder1.pdf
    assert read("pdf/broken_corrupted_xref.pdf").documents[0].paper.title == "broken_corrupted_xref"
    assert read("pdf/rtl_arabic_tiny.pdf").documents[0].paper.title == "habibi"
    assert read("docx/long_872_pages.docx").documents[0].paper.title == "long_872_pages"
    assert read("docx/headings_numbered.docx").documents[0].paper.title == "Test Document"


def test_a_jats_article_brings_its_own_record(read):
    paper = read("other/jats_mds526.nxml").documents[0].paper
    assert paper.title.startswith("Socio-demographic inequalities in stage of cancer diagnosis: evidence")
    assert paper.ids == {"pmid": "23149571", "pmcid": "PMC3574550", "doi": "10.1093/annonc/mds526"}
    assert (paper.year, paper.venue) == (2013, "Annals of Oncology")
    assert paper.authors[0] == "G. Lyratzopoulos"
    assert len(paper.authors) == 7
    assert "socio-economic" in paper.labels["keywords"]


def test_document_ids_are_readable_and_depend_on_the_place(read, test_data: Path, tmp_path: Path):
    original = test_data / "documents" / "docx" / "tables.docx"
    copy = tmp_path / "tables.docx"
    copy.write_bytes(original.read_bytes())
    ids = {read_file(path, limits=ReadingLimits()).documents[0].paper.id for path in (original, copy)}
    assert len(ids) == 2
    assert all(len(name) == len("tables-") + 6 and name.startswith("tables-") for name in ids)
