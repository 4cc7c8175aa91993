from __future__ import annotations

from pathlib import Path

import pytest

from litloop.papers.identity import clusters_of, same_work
from litloop.papers.works import Work
from support.identity_pairs import Pair, hard_pairs, recorded_pairs

TITLE = "Statins after ischaemic stroke in older adults"


def work(provider: str = "crossref", title: str = TITLE, **fields) -> Work:
    return Work(provider, title, **fields)


def sets(works: list[Work]) -> set[frozenset[int]]:
    return {frozenset(members) for members in clusters_of(works).members}


@pytest.mark.parametrize("pair", hard_pairs(), ids=lambda pair: f"{'same' if pair.same else 'other'}: {pair.why}")
def test_hard_cases(pair: Pair):
    assert same_work(pair.one, pair.other) is pair.same
    assert same_work(pair.other, pair.one) is pair.same


def test_pairs_are_told_with_precision_995_and_recall_98(test_data: Path):
    pairs = [*hard_pairs(), *recorded_pairs(test_data)]
    assert len(pairs) >= 600
    found = [pair for pair in pairs if same_work(pair.one, pair.other)]
    right = sum(pair.same for pair in found)
    precision, recall = right / len(found), right / sum(pair.same for pair in pairs)
    assert precision >= 0.995, [pair.why for pair in found if not pair.same]
    assert recall >= 0.98, [pair.why for pair in pairs if pair.same and not same_work(pair.one, pair.other)]


def test_a_record_with_two_ids_bridges_records_that_share_none():
    doi = work(ids={"doi": "10.1000/a"}, title="Über Schlaf")
    bridge = work("openalex", ids={"doi": "10.1000/A", "pmid": "7"}, title="On sleep")
    pmid = work("pubmed", ids={"pmid": "7"}, title="On sleep (trial)")
    assert sets([doi, pmid, bridge]) == {frozenset({0, 1, 2})}
    assert sets([doi, pmid]) == {frozenset({0}), frozenset({1})}


def test_a_record_without_ids_that_fits_two_different_works_joins_neither():
    lee = {"year": 2017, "authors": ("Ann Lee",)}
    one, other, neither = work(ids={"doi": "10.1000/a"}, **lee), work(ids={"doi": "10.1000/b"}, **lee), work("x", **lee)
    assert len(sets([one, neither, other])) == 3


def test_years_do_not_drift_over_a_chain_of_neighbours():
    chain = [work(f"p{year}", year=year, authors=("Ann Lee",)) for year in (2016, 2017, 2018)]
    assert len(sets(chain)) == 3
    assert len(sets(chain[:2])) == 1


def test_equal_years_join_before_neighbouring_ones():
    works = [work(f"p{at}", year=year, authors=("Ann Lee",)) for at, year in enumerate((2016, 2016, 2018, 2018))]
    assert sets(works) == {frozenset({0, 1}), frozenset({2, 3})}


def test_preprint_and_published_version_are_linked_by_title():
    preprint = work("arxiv", ids={"arxiv": "1701.00001"}, year=2017, authors=("Ann Lee",), kind="preprint")
    published = work(ids={"doi": "10.1000/a"}, year=2018, authors=("Lee A",), venue="Brain", kind="article")
    clusters = clusters_of([published, preprint])
    assert clusters.members == ((0,), (1,))
    assert clusters.preprints == {(1, 0)}


def test_preprint_and_published_version_are_linked_by_what_a_database_tells_even_under_other_titles():
    preprint = work(ids={"doi": "10.1101/2020.01.01.123456v1"}, title="A first draft", kind="preprint",
                    relations={"preprint_of": ("https://doi.org/10.1000/A",)})  # fmt: skip
    published = work(ids={"doi": "10.1000/a"}, title="The final word on sleep", venue="Brain")
    assert clusters_of([preprint, published]).preprints == {(0, 1)}


def test_a_record_of_unknown_stage_belongs_to_the_published_version():
    lee = {"year": 2017, "authors": ("Ann Lee",)}
    preprint = work("arxiv", ids={"arxiv": "1701.00001"}, kind="preprint", **lee)
    published = work(ids={"doi": "10.1000/a"}, venue="Brain", **lee)
    clusters = clusters_of([preprint, work("x", **lee), published])
    assert set(clusters.members) == {(0,), (1, 2)}


def test_thousands_of_records_under_one_title_or_id_stay_cheap_and_apart():
    same_title = [work("x", year=1900 + at % 100, authors=(f"Ann{at} Lee{at}",)) for at in range(3000)]
    same_pmid = [
        work("x", f"Title number {at} of another work", ids={"pmid": "5", "doi": f"10.1000/{at}"}) for at in range(3000)
    ]
    assert len(clusters_of([*same_title, *same_pmid]).members) == 6000
