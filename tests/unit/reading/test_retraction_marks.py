from __future__ import annotations

import json
from pathlib import Path

import pytest

from litloop.core.records import Paper
from litloop.reading import read_file

BODY = "Aspirin lowered cramps in 31 goats, as this study of three months shows."


def read(tmp_path: Path, name: str, content: str) -> Paper:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    return read_file(path).documents[0].paper


def jats(title: str, meta: str = "", kind: str = "research-article") -> str:
    return (
        f'<article article-type="{kind}" xmlns:xlink="http://www.w3.org/1999/xlink"><front><article-meta>'
        f"<title-group><article-title>{title}</article-title></title-group>{meta}"
        f"<abstract><p>{BODY}</p></abstract></article-meta></front></article>"
    )


def forms(title: str, mark: str) -> dict[str, str]:
    """The same marked paper in every format of text."""
    return {
        "a.md": f"# {mark}{title}\n\n{BODY}\n",
        "a.html": f"<html><head><title>{mark}{title}</title></head><body><h1>{mark}{title}</h1><p>{BODY}</p></body></html>",
        "a.nxml": jats(mark + title),
        "a.bib": f"@article{{k, title = {{{mark}{title}}}, abstract = {{{BODY}}}}}",
        "a.ris": f"TY  - JOUR\nTI  - {mark}{title}\nAB  - {BODY}\nER  - \n",
        "a.nbib": f"PMID- 1234567\nTI  - {mark}{title}.\nAB  - {BODY}\n",
        "a.jsonl": json.dumps({"title": mark + title, "abstract": BODY}) + "\n",
        "a.json": json.dumps([{"type": "article-journal", "title": mark + title, "abstract": BODY, "issued": {}}]),
    }


@pytest.mark.parametrize("name", forms("", ""))
@pytest.mark.parametrize("mark", ["RETRACTED: ", "[Retracted] ", "WITHDRAWN: "])
def test_every_format_knows_a_retracted_title_and_cleans_it(tmp_path: Path, name: str, mark: str):
    paper = read(tmp_path, name, forms("Aspirin against cramps in goats", mark)[name])
    assert (paper.retracted, paper.title) == (True, "Aspirin against cramps in goats")
    assert paper.labels["retraction_mark"] == mark.strip(" :")


@pytest.mark.parametrize("name", forms("", ""))
@pytest.mark.parametrize(
    "title",
    ["Retracted papers in oncology: a review", "Retraction of the tongue in sleep", "Withdrawn patients in trials"],
)
def test_a_paper_on_retraction_is_not_marked_in_any_format(tmp_path: Path, name: str, title: str):
    paper = read(tmp_path, name, forms(title, "")[name])
    assert (paper.retracted, paper.title) == (False, title)
    assert "kind" not in paper.labels


@pytest.mark.parametrize("name", forms("", ""))
def test_a_notice_is_labelled_and_names_the_work_but_is_not_retracted(tmp_path: Path, name: str):
    paper = read(tmp_path, name, forms("Aspirin against cramps in goats", "Retraction: ")[name])
    assert (paper.retracted, paper.labels["kind"]) == (False, "retraction notice")
    assert paper.labels["retraction_of"] == "Aspirin against cramps in goats"


def test_a_jats_article_that_points_forward_to_its_retraction_is_retracted(tmp_path: Path):
    link = (
        '<related-article related-article-type="retraction-forward" ext-link-type="doi" xlink:href="10.1000/notice.1"/>'
    )
    paper = read(tmp_path, "a.nxml", jats("Aspirin in goats", link))
    assert (paper.retracted, paper.labels["retracted_by"]) == (True, ("doi:10.1000/notice.1",))


@pytest.mark.parametrize("kind", ["retraction", "correction", "editorial"])
def test_a_jats_notice_points_at_the_retracted_article(tmp_path: Path, kind: str):
    link = (
        '<related-article related-article-type="retracted-article" ext-link-type="doi" xlink:href="10.1000/goats.1"/>'
    )
    paper = read(tmp_path, "a.nxml", jats("Editors’ note on goats", link, kind))
    assert (paper.retracted, paper.labels["kind"]) == (False, "retraction notice")
    assert paper.labels["retraction_of"] == ("doi:10.1000/goats.1",)


def test_a_jats_subject_or_date_marks_an_article(tmp_path: Path):
    subject = "<article-categories><subj-group><subject>Retracted Article</subject></subj-group></article-categories>"
    assert read(tmp_path, "a.nxml", jats("Aspirin", subject)).retracted
    assert read(
        tmp_path, "b.nxml", jats("Aspirin", '<pub-date date-type="retracted"><year>2020</year></pub-date>')
    ).retracted
    assert not read(
        tmp_path, "c.nxml", jats("Aspirin", subject.replace("Retracted Article", "Research Article"))
    ).retracted


def test_a_banner_above_the_title_marks_the_paper_and_is_not_its_title(tmp_path: Path):
    paper = read(tmp_path, "a.md", f"# RETRACTED ARTICLE\n\n# Aspirin in goats\n\n{BODY}\n")
    assert (paper.retracted, paper.title) == (True, "Aspirin in goats")
    paper = read(
        tmp_path,
        "b.md",
        f"# Aspirin in goats\n\nThis article has been retracted at the request of the editor.\n\n{BODY}\n",
    )
    assert (paper.retracted, paper.title) == (True, "Aspirin in goats")


def test_the_metadata_of_a_page_may_leave_out_the_mark_that_its_heading_carries(tmp_path: Path):
    page = f"<html><head><meta name='citation_title' content='Aspirin in goats'></head><body><h1>RETRACTED: Aspirin in goats</h1><p>{BODY}</p></body></html>"
    assert read(tmp_path, "a.html", page).retracted


def test_a_medline_record_tells_the_retracted_work_from_its_notice(tmp_path: Path):
    path = tmp_path / "a.nbib"
    path.write_text(
        "PMID- 1\nTI  - Aspirin in goats.\nPT  - Journal Article\nRIN - Nature. 2010;1:2. PMID: 2\n\n"
        "PMID- 2\nTI  - A note from the editors.\nPT  - Retraction of Publication\nROF - Nature. 2009;1:2. PMID: 1\n",
        encoding="utf-8",
    )
    work, notice = (document.paper for document in read_file(path).documents)
    assert (work.retracted, work.labels["retracted_by"]) == (True, ("pmid:2",))
    assert (notice.retracted, notice.labels["kind"]) == (False, "retraction notice")
    assert notice.labels["retraction_of"] == ("pmid:1",)


def test_an_abstract_that_says_so_marks_the_record_unless_it_is_the_notice(tmp_path: Path):
    text = "This article has been retracted: please see the policy on article withdrawal. Tramadol lowered pain in 20 dogs."
    marked = read(tmp_path, "a.ris", f"TY  - JOUR\nTI  - Tramadol in dogs\nAB  - {text}\nER  - \n")
    assert marked.retracted
    notice = read(tmp_path, "b.ris", f"TY  - JOUR\nTI  - Retraction: Tramadol in dogs\nAB  - {text}\nER  - \n")
    assert not notice.retracted
