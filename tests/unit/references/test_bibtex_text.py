"""What BibTeX fields say is kept: signs that TeX would act on, addresses, repeated fields and accents."""

from __future__ import annotations

import pytest

from litloop.reading.bibliography import read_bibtex
from litloop.references.bibtex_reader import entries
from litloop.references.latex_text import plain, verbatim


def test_per_cent_signs_and_addresses_are_kept_to_the_letter(test_data):
    path = test_data.parent / "cases" / "bibtex" / "percent.bib"
    first, second = (entry.row for entry in entries(path.read_text(encoding="utf-8")))
    assert first["title"] == "A 50% dose cut in low-risk patients"
    assert first["abstract"] == (
        "Pain fell by 35% (95% CI 20-48%) in the zolmitarine group. No patient died. "
        "Costs were $5,000 against $7,000 per patient."
    )
    assert first["url"] == "https://example.org/~ng/low%20dose--trial.pdf"
    assert first["doi"] == "10.1000/xyz--12"
    assert second["url"] == "https://example.org/a_b%20c"
    assert second["doi"] == "10.1007/978-3-030-12345-6_7"
    assert second["abstract"].startswith("Pain fell by 35% (95% CI 20-48%)")


def test_a_repeated_field_costs_a_note_and_not_the_entry(tmp_path):
    path = tmp_path / "r.bib"
    path.write_text(
        "@article{k1, title={First title}, abstract={}, Abstract={It says.}, title={Other title}, year=2001, year=2001}"
    )
    result = read_bibtex(path)
    (document,) = result.documents
    assert (document.paper.title, document.paper.abstract) == ("First title", "It says.")
    assert result.warnings == ("r.bib: entry k1 gives title more than once: the first one is kept.",)


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"Nguy\~{\^e}n", "Nguyễn"),
        (r"Nguy{\~{\^{e}}}n", "Nguyễn"),
        (r"Vi\d{\^{e}}t", "Việt"),
        (r"\~\^e", "ễ"),
        (r"Garc{\'\i}a Dvo{\v{r}}{\'a}k", "García Dvořák"),
        (r"10\,mg or 5\,\textmu g", "10 mg or 5 µg"),
        (r"a\;b, x \textless{} 5", "a b, x < 5"),
        (r"50% of $\beta$ and 20\% of {ABC}", "50% of β and 20% of ABC"),
        (r"{A} cost of $5-$7, $p<0.05$", "A cost of $5-$7, p<0.05"),
    ],
)
def test_latex_becomes_the_characters_it_stands_for(latex, text):
    assert plain(latex) == text


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ("https://a.org/~b/c--d%20e#f_g", "https://a.org/~b/c--d%20e#f_g"),
        (r"\url{https://a.org/\~{}b?x=1\&y=2}", "https://a.org/~b?x=1&y=2"),
        (r"https://a.org/{\textasciitilde}b/\textasciitilde c", "https://a.org/~b/~c"),
    ],
)
def test_addresses_are_not_typeset(given, address):
    assert verbatim(given) == address
