from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litloop.core.identifiers import (
    KINDS,
    arxiv_doi,
    normal_arxiv,
    normal_doi,
    normal_ids,
    normal_openalex,
    normal_pmcid,
    normal_pmid,
    normal_s2,
)

HASH = "204e3073870fae3d05bcbc2f6a8e263d9b72e776"


@pytest.mark.parametrize(
    ("given_form", "doi"),
    [
        ("https://doi.org/10.1016%2FJ.XGEN.2025.100814", "10.1016/j.xgen.2025.100814"),
        ("http://dx.doi.org/10.1038/S42256-024-00832-8.", "10.1038/s42256-024-00832-8"),
        ("https://www.doi.org/10.1234/abc", "10.1234/abc"),
        ("doi.org/10.1234/abc", "10.1234/abc"),
        ("https://doi.org.proxy.example.edu/10.1234/abc", "10.1234/abc"),
        ("doi:10.1234/abc", "10.1234/abc"),
        ("DOI: 10.1023/A:1007154515475)", "10.1023/a:1007154515475"),
        ("info:doi/10.1234/abc", "10.1234/abc"),
        ("urn:doi:10.1234/abc", "10.1234/abc"),
        ("(see 10.1234/abc).", "10.1234/abc"),
        ("<https://doi.org/10.1234/abc>", "10.1234/abc"),
        ("10.1234%252Fabc", "10.1234/abc"),
        ("https://doi.org/10.1234/x?utm_source=feed#top", "10.1234/x"),
        ("10.1002/(SICI)1097-4636(199823)43:2&lt;133::AID-JBM6&gt;3.0.CO;2-#",
         "10.1002/(sici)1097-4636(199823)43:2<133::aid-jbm6>3.0.co;2-#"),
        ("https://onlinelibrary.wiley.com/doi/10.1002/abc/full", "10.1002/abc"),
        ("https://journal.example/article?doi=10.1234/abc", "10.1234/abc"),
        ("10.48550/arXiv.2312.07559v2", "10.48550/arxiv.2312.07559"),
        ("10.1101/2024.04.01.587366v1.full.pdf", "10.1101/2024.04.01.587366"),
        ("10.1234/abc\u2010def", "10.1234/abc-def"),
        ("\u200b10.1234/abc\u00a0", "10.1234/abc"),
        ("１０.1234/ABC", "10.1234/abc"),
    ],
)  # fmt: skip
def test_every_way_to_write_a_doi_gives_one_form(given_form: str, doi: str):
    assert normal_doi(given_form) == doi
    assert normal_doi(doi) == doi


@pytest.mark.parametrize(
    "text",
    [
        "",
        "none",
        "10.1234",
        "10.1234/",
        "https://host/10.5/abc",
        "110.1234/abc",
        "ISBN 978-3-16",
        "3.10.1234/a",
        None,
        5,
    ],
)
def test_what_is_no_doi_is_none(text: object):
    assert normal_doi(text) is None


@pytest.mark.parametrize(
    ("given_form", "arxiv"),
    [
        ("arXiv:2312.07559v2", "2312.07559"),
        ("arXiv:2312.07559 [cs.CL]", "2312.07559"),
        ("https://arxiv.org/pdf/2104.12255v1.pdf", "2104.12255"),
        ("http://export.arxiv.org/abs/quant-ph/0201082v1", "quant-ph/0201082"),
        ("math.GT/0309136", "math/0309136"),
        ("astro-ph%2F0601001", "astro-ph/0601001"),
        ("oai:arXiv.org:0704.0001", "0704.0001"),
        ("https://doi.org/10.48550/arXiv.math/0309136", "math/0309136"),
        ("10.48550/arxiv.2312.07559v3", "2312.07559"),
    ],
)
def test_every_way_to_write_an_arxiv_id_gives_one_form(given_form: str, arxiv: str):
    assert normal_arxiv(given_form) == arxiv
    assert normal_arxiv(arxiv_doi(arxiv)) == arxiv


@pytest.mark.parametrize(
    "text", ["2313.07559", "12.345", "10.1101/2024.04.01.587366", "https://example.org/2401.00001", ""]
)
def test_what_is_no_arxiv_id_is_none(text: str):
    assert normal_arxiv(text) is None


@pytest.mark.parametrize(
    ("function", "given_form", "normal"),
    [
        (normal_pmid, "https://pubmed.ncbi.nlm.nih.gov/26871627/", "26871627"),
        (normal_pmid, "https://www.ncbi.nlm.nih.gov/pubmed/26871627", "26871627"),
        (normal_pmid, "PMID: 0123", "123"),
        (normal_pmid, "MED:123", "123"),
        (normal_pmid, 123, "123"),
        (normal_pmid, "PMC123", None),
        (normal_pmid, "0", None),
        (normal_pmid, True, None),
        (normal_pmcid, "https://pmc.ncbi.nlm.nih.gov/articles/PMC123/", "PMC123"),
        (normal_pmcid, "pmc123.1", "PMC123"),
        (normal_pmcid, "123", "PMC123"),
        (normal_pmcid, "oai:pubmedcentral.nih.gov:123", "PMC123"),
        (normal_pmcid, "abc123", None),
        (normal_openalex, "https://openalex.org/W2741809807", "W2741809807"),
        (normal_openalex, "w123", "W123"),
        (normal_openalex, "https://openalex.org/A2741809807", None),
        (normal_s2, f"https://www.semanticscholar.org/paper/Title/{HASH.upper()}", HASH),
        (normal_s2, "CorpusID: 0012", "corpusid:12"),
        (normal_s2, "not a hash", None),
    ],
)
def test_ids_of_databases_have_one_form(function, given_form: object, normal: str | None):
    assert function(given_form) == normal


def test_an_arxiv_doi_brings_its_arxiv_id_along():
    assert normal_ids({"doi": "https://doi.org/10.48550/arXiv.2312.07559", "pmid": "x", "isbn": "1"}) == {
        "doi": "10.48550/arxiv.2312.07559",
        "arxiv": "2312.07559",
    }


@given(st.dictionaries(st.sampled_from(KINDS), st.text(max_size=40) | st.integers(0, 10**9)))
def test_normal_ids_stay_as_they_are(ids: dict[str, object]):
    normal = normal_ids(ids)
    assert normal_ids(normal) == normal
