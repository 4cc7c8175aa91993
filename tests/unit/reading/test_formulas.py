r"""Formulas of papers on a line of text: MathML and TeX, in JATS and HTML."""

from __future__ import annotations

import time

import pytest
from lxml import etree

from litloop.reading.file import read_file
from litloop.reading.mathml import mathml_text
from litloop.reading.tex_formula import tex_text

SPRINGER = (
    r"\documentclass[12pt]{minimal} \usepackage{amsmath} \usepackage{upgreek} \setlength{\oddsidemargin}{-69pt} "
    r"\begin{document}$$4.2\times 10^{-3}\,\upmu \mathrm{g}/\mathrm {m}^{2}$$\end{document}"
)


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (r"$10.5 \pm 2.1$", "10.5 ± 2.1"), ("$p<0.05$", "p<0.05"), (SPRINGER, "4.2 × 10⁻³ µg/m²"), (r"$50\%$", "50%"), ("a 5% b", "a 5% b"),
        (r"\begin{document} \begin{equation*} E=\frac{1}{2}mc^2 \label{eq1}\end{equation*} \end{document}", "E=1/2 mc²"),
        (r"$37\,^{\circ}\mathrm{C}$", "37 °C"), (r"$\text{H}_2\text{O}$", "H₂O"), (r"$Ca^{2+}$", "Ca²⁺"), (r"$10{,}000$", "10,000"),
        (r"$\sqrt[3]{x+1}$", "³√(x+1)"), (r"$\chi^2=3.2$", "χ²=3.2"), (r"$\bar x \geq 5$", "x\u0304 ≥ 5"), (r"$x_{i,j}$", "x_(i,j)"),
        (r"$\left[0.1,0.5\right]$", "[0.1,0.5]"), (r"$\begin{array}{cc} a & b\\ c & d\end{array}$", "a b; c d"), (r"$\unicode{x2264} 5$", "≤ 5"),
        ("$n=12$ % MathType!MTEF!2!1!", "n=12"), (r"$\frac12$", "1/2"), ("12 of 40", "12 of 40"), ("", ""), ("}{", ""), ("\\", ""), (r"$\frac{a", "a/"),
    ],
)  # fmt: skip
def test_tex_becomes_what_a_reader_would_say(tex: str, text: str) -> None:
    assert tex_text(tex) == text


@pytest.mark.parametrize(
    ("mathml", "text"),
    [
        ("<msup><mi>x</mi><mn>2</mn></msup><mo>=</mo><mo>-</mo><mn>3</mn>", "x² = -3"),
        ("<mfrac><mn>1</mn><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow></mfrac>", "1/(a + b)"),
        ("<mn>4.2</mn><mo>±</mo><mn>1.1</mn><mo>%</mo>", "4.2 ± 1.1%"),
        ("<msub><mi>H</mi><mn>2</mn></msub><mi>O</mi>", "H₂O"),
        ("<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>", "x_i²"),
        ("<msqrt><mn>2</mn></msqrt>", "√(2)"),
        ("<mfenced><mn>1</mn><mn>2</mn></mfenced>", "(1, 2)"),
        ("<mover><mi>x</mi><mo>¯</mo></mover><mo>&lt;</mo><mn>5</mn>", "x\u0304 < 5"),
        ("<semantics><mn>7</mn><annotation encoding='TeX'>7</annotation></semantics>", "7"),
    ],
)
def test_mathml_keeps_its_fractions_and_powers(mathml: str, text: str) -> None:
    assert mathml_text(etree.fromstring(f"<math>{mathml}</math>")) == text


@pytest.mark.parametrize("piece", ["{", "^", r"\frac{", "%", "\\", r"\sqrt[", "1{,}", r"\left.", "$'"])
def test_hostile_tex_takes_time_linear_in_its_length(piece: str) -> None:
    started = time.monotonic()
    tex_text(piece * (300_000 // len(piece)))
    assert time.monotonic() - started < 5


def test_deeply_nested_mathml_is_read_to_its_end() -> None:
    assert mathml_text(etree.fromstring("<math>" + "<mrow>" * 200 + "4" + "</mrow>" * 200 + "</math>")) == "4"


def read_abstract(folder, inner: str) -> str:
    path = folder / "a.nxml"
    path.write_text(
        "<article xmlns:mml='http://www.w3.org/1998/Math/MathML'><front><article-meta><title-group><article-title>T"
        f"</article-title></title-group><abstract><p>{inner}</p></abstract></article-meta></front></article>",
        encoding="utf-8",
    )
    (document,) = read_file(path).documents
    return document.paper.abstract


@pytest.mark.parametrize(
    "formula",
    [
        "<tex-math>$4$</tex-math>",
        "<alternatives><inline-graphic/><tex-math><![CDATA[\\documentclass{minimal}\\begin{document}$$4$$\\end{document}]]></tex-math></alternatives>",
        "<alternatives><tex-math>$4$</tex-math><mml:math><mml:mn>4</mml:mn></mml:math></alternatives>",
        "<alternatives><mml:math><mml:mn>4</mml:mn></mml:math><tex-math>$4$</tex-math></alternatives>",
        "<mml:math><mml:mn>4</mml:mn></mml:math><tex-math>$4$</tex-math>",
        "<alternatives><mml:math/><tex-math>$4$</tex-math><tex-math>4</tex-math></alternatives>",
    ],
)
def test_a_formula_of_jats_is_read_once_however_it_is_given(tmp_path, formula: str) -> None:
    abstract = read_abstract(tmp_path, f"It fell by <inline-formula>{formula}</inline-formula> points.")
    assert abstract == "It fell by 4 points."


def test_two_formulas_of_one_paragraph_are_both_read(tmp_path) -> None:
    inner = (
        "<inline-formula><tex-math>$a^2$</tex-math></inline-formula> or <disp-formula><label>(1)</label>"
        "<tex-math>\\frac{a}{b}</tex-math></disp-formula>"
    )
    assert read_abstract(tmp_path, inner) == "a² or (1) a/b"


def test_fractions_on_a_web_page_are_not_one_number(tmp_path) -> None:
    path = tmp_path / "page.html"
    path.write_text("<body><p>About <math><mfrac><mn>1</mn><mn>2</mn></mfrac></math> of them.</p></body>", "utf-8")
    assert read_file(path).documents[0].text.content == "About 1/2 of them."


def test_the_formulas_of_the_given_article_are_figures(test_data) -> None:
    (document,) = read_file(test_data.parent / "cases" / "jats" / "texmath.nxml").documents
    assert document.paper.abstract == "The score fell by 10.5 ± 2.1 points when p<0.05 was required."
    assert "fell by 10.5 ± 2.1 points when p<0.05" in document.text.content
