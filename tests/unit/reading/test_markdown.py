from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litloop.core.errors import SourceError
from litloop.reading.markdown import markdown_text, read_markdown


@pytest.mark.parametrize(
    ("raw", "content"),
    [
        ("# Title #\n\ntext", "Title\n\ntext"),
        ("Title\n=====\n\nSub\n---\ntext", "Title\n\nSub\n\ntext"),
        ("some *emphasis*, **strong** and ***both***", "some emphasis, strong and both"),
        ("snake_case_name and _emphasis_ here", "snake_case_name and emphasis here"),
        ("2 * 3 * 4 and 5*x", "2 * 3 * 4 and 5*x"),
        ("~~gone~~ `code *x*`", "gone code *x*"),
        ("[label](http://x.org/a_(b) 'title') and [other][ref]\n\n[ref]: http://y.org", "label and other"),
        ("cited [hochreiter1997] and [1] [2]", "cited [hochreiter1997] and [1] [2]"),
        ("![a figure](x.png) after", "a figure after"),
        ("<https://x.org> <b>bold</b> a<br>b", "https://x.org bold a\nb"),
        ("10<sup>6</sup> and E<sub>2</sub>", "10⁶ and E2"),
        ("a &amp; b &lt; c &#945;", "a & b < c α"),
        (r"\*not emphasis\* \# 5", "*not emphasis* # 5"),
        ("soft\nbreak and hard  \nbreak\\\nagain", "soft break and hard\nbreak\nagain"),
        ("two  spaces", "two spaces"),
        ("- one\n- two\n  goes on\n\n1. first\n2. second", "one\ntwo goes on\n\n1. first\n2. second"),
        ("- [x] done\n* other", "done\nother"),
        ("> quoted\n> text\n\nafter", "quoted text\n\nafter"),
        ("```python\nx = *y*\n\nz\n```\nafter", "x = *y*\n\nz\n\nafter"),
        ("| a | b |\n|---|:-:|\n| 1 | *2* |\n| x\\|y |  |\n\nend", "a\tb\n1\t2\nx\\|y\t\n\nend"),
        ("text[^1] more\n\n[^1]: The note.", "text more\n\nThe note."),
        ("before\n\n---\n\nafter", "before\n\nafter"),
        ("<!-- a comment\n over lines -->\ntext", "text"),
        ("<script>\nalert(1)\n</script>\ntext", "text"),
        ("math $h\\_t = 2^{*}$ and $5 or $6", "math $h_t = 2^{*}$ and $5 or $6"),
        ("---\ntitle: X\n---\n# Y\n", "Y"),
        ("> # Quoted head\n> text", "Quoted head\n\ntext"),
        ("> ```\n> code\n> ```", "code"),
        ("- item\n\n  ```\n    code\n  ```", "item\n\n  code"),
        ("1. one\n   - inner\n2. two", "1. one\ninner\n2. two"),
        ("born in\n1986. It was", "born in 1986. It was"),
        ("    indented prose\ngoes on", "indented prose goes on"),
        ("| a | b |\n|---|\n| 1 | 2 |", "a\tb\n1\t2"),
        ("lead in\n| a | b |\n|---|---|\n| 1 | 2 |\nafter", "lead in\n\na\tb\n1\t2\n\nafter"),
        ("[^1]: One.\n[^2]: Two.", "One.\n\nTwo."),
        ("1.\n\nafter", "1.\n\nafter"),
        ("a `x ``y`` z` b", "a x ``y`` z b"),
        ("a ``x b", "a ``x b"),
        ("**a *b** c*", "a *b c*"),
        ("# a # b ##\r\ntext\rmore", "a # b\n\ntext more"),
    ],
)
def test_syntax_is_taken_off(raw: str, content: str):
    got = markdown_text(raw).content
    assert got.replace("x|y", "x\\|y") == content


def test_headings_keep_level_and_place():
    text = markdown_text("# One *two*\n\npara\n\n### Three\n")
    assert [(h.level, h.title, text.content[h.start : h.end]) for h in text.headings] == [
        (1, "One two", "One two"),
        (3, "Three", "Three"),
    ]


@given(st.text(st.sampled_from("ab *_`[]()!<>#|-\\$&;\n \t1.é\u00ad"), max_size=120))
def test_any_markdown_gives_runs_that_cover_the_text(raw: str):
    text = markdown_text(raw)
    at = source = 0
    for run in text.runs:
        assert run.start == at < run.end
        assert source <= run.source_start <= run.source_end <= len(raw)
        at, source = run.end, run.source_end
    assert at == len(text.content)


@given(st.text(st.sampled_from("word café 12.\n"), max_size=200))
def test_plain_words_survive(raw: str):
    assert markdown_text(raw).content.split() == raw.split() or any(
        line.strip().startswith(("1.", "2.", "12.")) for line in raw.splitlines()
    )


def test_front_matter_gives_title_authors_and_year(tmp_path):
    path = tmp_path / "paper.md"
    path.write_text(
        '---\ntitle: "A Title"\nauthors: Ada Lovelace; Charles Babbage\ndate: 1843-09-01\n---\n\nThe text.\n'
    )
    document = read_markdown(path).documents[0]
    assert (document.paper.title, document.paper.year) == ("A Title", 1843)
    assert document.paper.authors == ("Ada Lovelace", "Charles Babbage")
    assert document.text.content == "The text."


def test_a_file_of_syntax_alone_is_empty(tmp_path):
    path = tmp_path / "paper.md"
    path.write_text("---\n\n***\n\n<!-- nothing -->\n")
    with pytest.raises(SourceError) as error:
        read_markdown(path)
    assert error.value.kind == "empty"


@pytest.mark.parametrize("marks", ["> ", "- ", ">- "])
def test_nothing_is_lost_however_deep_it_is_nested(marks: str):
    assert markdown_text(f"before\n\n{marks * 2000}deep down\n\nafter").content.split() == [
        *("before", "deep", "down", "after")
    ]


@pytest.mark.parametrize(
    "unit",
    ["`", "``a ", "a``*", "**a *b ", "[a](", "![a ", "[^a", "<a", "<!--", "<script>", "$a ", "> ", "- ", "1. a\n",
     "a\n=\n", "|\n|---|\n", "a:   ", "* * a\n", "[^1]: x\n", "<!---->\n"],
)  # fmt: skip
def test_hostile_markdown_takes_time_linear_in_its_length(unit: str):
    def seconds(length: int) -> float:
        raw = (unit * length)[:length]
        started = time.process_time()
        markdown_text(raw)
        return time.process_time() - started

    markdown_text("warm")
    short = min(seconds(20_000) for _ in range(2))
    long = min(seconds(160_000) for _ in range(2))
    assert long < 30 * max(short, 0.01)  # 8 when linear, 64 when quadratic


def test_many_unclosed_marks_take_no_time_to_speak_of():
    markdown_text("*a " * 3000 + "[" * 3000 + "`" * 2000 + "<a" * 2000)
