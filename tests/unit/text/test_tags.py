"""Only real tags are markup; comparisons are text, in titles and abstracts alike."""

from __future__ import annotations

from litloop.papers.reconciliation import sane_abstract
from litloop.papers.titles import title_name
from litloop.text.tags import without_tags

COMPARED = "Patients with <or =5 lesions (p<.05, a < b, n <c d=1 of> 3) did well enough to go home."


def test_a_comparison_is_no_tag_anywhere():
    assert without_tags(COMPARED) == COMPARED
    assert sane_abstract(COMPARED) == COMPARED
    assert title_name("Care of patients with <or =5 lesions>").key == "careofpatientswithor5lesions"


def test_tags_of_html_jats_and_mathml_go_and_what_they_enclose_stays():
    marked = '<jats:p>H<sub>2</sub>O <I>in vivo</I><br/> <mml:mi mathvariant="normal">x</mml:mi></jats:p>'
    assert without_tags(marked) == "H2O in vivo x"
    assert title_name("The <i>E. coli</i> of CO<sub>2</sub>").key == title_name("The E. coli of CO2").key
