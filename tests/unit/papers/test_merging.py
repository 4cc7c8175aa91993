from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litloop.papers.merging import MergedWork, merge
from litloop.papers.works import FullTextLocation, Work, WorkKind

TITLE = "Statins after ischaemic stroke in older adults"
ABSTRACT = "Statins lower cholesterol. In this trial of older adults they lowered the risk of a second stroke. " * 3


def work(provider: str = "crossref", title: str = TITLE, doi: str | None = "10.1000/a", **fields) -> Work:
    return Work(provider, title, ids={**({"doi": doi} if doi else {}), **fields.pop("ids", {})}, **fields)


def one(*works: Work) -> MergedWork:
    (merged,) = merge(works)
    return merged


# --- Reconciliation ---


def test_a_corrupt_record_of_a_famous_paper_does_not_win():
    famous = work("semantic_scholar", "Untitled document 3", year=1817, citations=90_000, venue="?", authors=("X Y",))
    sound = [work("crossref", year=2017, citations=10), work("openalex", year=2017, citations=12)]
    merged = one(famous, *sound)
    assert (merged.title, merged.year) == (TITLE, 2017)
    assert "title" in {conflict.field for conflict in merged.conflicts}


def test_the_year_is_the_majoritys_with_one_vote_per_provider():
    merged = one(
        *(work("openalex", year=2018, rank=rank) for rank in (1, 2, 3)),
        work("crossref", year=2017),
        work("pubmed", year=2017),
    )
    assert merged.year == 2017
    assert not merged.conflicts


def test_a_year_without_a_majority_is_a_conflict():
    merged = one(work("openalex", year=2018), work("crossref", year=2017))
    assert merged.year in (2017, 2018)
    assert [(c.field, c.values) for c in merged.conflicts] == [("year", ("2017", "2018"))]


def test_two_dois_of_one_work_are_a_conflict():
    merged = one(work(ids={"pmid": "7"}), work("pubmed", doi="10.1000/b", ids={"pmid": "7"}))
    assert [(c.field, c.values) for c in merged.conflicts] == [("doi", ("10.1000/a", "10.1000/b"))]


def test_what_the_base_lacks_is_filled_in_and_each_field_says_from_whom():
    crossref = work("crossref", year=2017, venue="Brain", citations=5)
    pubmed = work("pubmed", abstract=ABSTRACT, authors=("Lee A",), ids={"pmid": "7"})
    openalex = work(
        "openalex", authors=("Ann Lee", "Bo Ray"), url="https://host/w", citations=9, abstract=ABSTRACT[:120]
    )
    merged = one(openalex, pubmed, crossref)
    assert (merged.venue, merged.url, merged.citations) == ("Brain", "https://host/w", 9)
    assert merged.abstract == ABSTRACT.strip()
    assert merged.authors == ("Ann Lee", "Bo Ray")
    assert merged.ids == {"doi": "10.1000/a", "pmid": "7"}
    assert merged.provenance == {
        "title": "openalex", "doi": "crossref", "pmid": "pubmed", "abstract": "pubmed", "venue": "crossref",
        "year": "crossref", "authors": "openalex", "url": "openalex", "citations": "openalex",
    }  # fmt: skip


@pytest.mark.parametrize("junk", ["Abstract not available.", "N/A", "x" * 20_000, "1 2 3 4 5 6 7 8 9 10 " * 20, TITLE,
                                  "Please enable JavaScript to go on"])  # fmt: skip
def test_a_longer_abstract_that_is_none_loses(junk: str):
    assert one(work(abstract=ABSTRACT[:150]), work("openalex", abstract=junk)).abstract == ABSTRACT[:150].strip()


def test_tags_in_an_abstract_are_no_text():
    assert (
        one(work(abstract="<jats:p>Statins lower <b>cholesterol</b> in adults.</jats:p>")).abstract
        == "Statins lower cholesterol in adults."
    )


def test_unknown_citations_stay_unknown():
    assert one(work(), work("openalex")).citations is None
    assert one(work(), work("openalex", citations=0)).citations == 0


@pytest.mark.parametrize("mark", [{"retracted": True}, {"title": f"RETRACTED: {TITLE}"}])
def test_a_work_is_retracted_as_soon_as_one_source_says_so(mark):
    merged = one(work(), work("openalex", **mark))
    assert merged.retracted
    assert merged.to_paper().retracted
    assert merged.provenance["retracted"] == "openalex"


def test_a_retraction_notice_marks_the_work_it_names_and_stays_a_work_of_its_own():
    notice = work(title=f"Retraction: {TITLE}", doi="10.1000/r", kind="erratum")
    by_id = {merged.id: merged for merged in merge([work(), notice])}
    assert by_id["doi:10.1000/a"].retracted
    assert by_id["doi:10.1000/a"].relations == {"retracted_by": ("doi:10.1000/r",)}
    assert not by_id["doi:10.1000/r"].retracted


def test_preprint_and_published_version_know_each_other():
    preprint = work("arxiv", doi=None, ids={"arxiv": "1701.00001"}, year=2017, authors=("Ann Lee",), kind="preprint")
    published = work(year=2018, authors=("Ann Lee",), venue="Brain", kind="article")
    by_id = {merged.id: merged for merged in merge([preprint, published])}
    assert by_id["doi:10.1000/a"].relations == {"has_preprint": ("arxiv:1701.00001",)}
    assert by_id["arxiv:1701.00001"].relations == {"preprint_of": ("doi:10.1000/a",)}


def test_where_a_database_holds_both_versions_the_published_one_speaks_and_the_draft_stays_named():
    draft = work("arxiv", doi=None, ids={"arxiv": "1701.00001"}, year=2015, venue="arXiv", kind="preprint",
                 full_texts=(FullTextLocation("https://arxiv.org/pdf/1701.00001", "pdf", version="submitted"),))  # fmt: skip
    also = work("openalex", doi="10.48550/arXiv.1701.00001", year=2015, kind="preprint")
    both = work("semantic_scholar", ids={"arxiv": "1701.00001"}, year=2015)
    published = work(year=2018, venue="Brain", kind="article")
    merged = one(draft, also, both, published)
    assert (merged.id, merged.year, merged.venue, merged.kind) == (
        "doi:10.1000/a",
        2018,
        "Brain",
        "article",
    )
    assert merged.ids["arxiv"] == "1701.00001"
    assert merged.relations == {"has_preprint": ("doi:10.48550/arxiv.1701.00001",)}
    assert [location.url for location in merged.full_texts] == ["https://arxiv.org/pdf/1701.00001"]
    assert "doi" not in {conflict.field for conflict in merged.conflicts}


def test_two_providers_that_agree_verify_each_other():
    assert one(work(year=2017), work("openalex", year=2018)).cross_verified
    assert not one(work(rank=1, query="a"), work(rank=2, query="b")).cross_verified
    assert not any(each.cross_verified for each in merge([work(), work("openalex", "Gut bacteria of bees")]))


def test_a_paper_carries_what_a_reader_must_know():
    paper = one(work(year=2017, citations=3, kind="article"), work("openalex", year=2018)).to_paper()
    assert paper.id == "doi:10.1000/a"
    assert paper.labels["providers"] == ("crossref", "openalex")
    assert paper.labels["citations"] == 3
    assert "year: no majority" in str(paper.labels["conflicts"])
    assert paper.provenance["title"] == "crossref"


def test_a_work_remembers_which_query_found_it_where():
    merged = one(
        work(rank=4, query="a"),
        work("openalex", rank=2, query="a"),
        work("pubmed", rank=9, query="b"),
        work("unpaywall"),
    )
    assert merged.found_by == {"a": 2, "b": 9}
    assert merged.best_rank == 2


def test_works_without_ids_have_ids_of_their_own():
    ids = [
        merged.id
        for merged in merge([work(doi=None, title=title) for title in ("Editorial", "Editorial.", "前言", "On sleep")])
    ]
    assert len(set(ids)) == 4
    assert all(identity.startswith("work:") for identity in ids)


def test_half_characters_and_endless_fields_of_strangers_are_borne():
    odd = [
        work(title="\ud800 title", doi=None, ids={"pmid": ":" * 100_000, "s2": "\udfff"}),
        work(title="x" * 100_000, doi="10." * 50_000),
    ]
    assert len(merge([*odd, work(title="", doi=None), work(title="\x00", doi="none")])) == 4


# --- Properties ---

KINDS: tuple[WorkKind, ...] = ("article", "preprint", "other", "erratum", "book")
TITLES = (
    TITLE,
    f"{TITLE}: a trial",
    f"{TITLE}, Part II",
    "Editorial",
    "Deep learning",
    f"Retraction: {TITLE}",
    "深度学习在医学图像分割中的应用研究",
)
works_anyhow = st.builds(
    Work,
    provider=st.sampled_from(["crossref", "openalex", "pubmed", "arxiv"]),
    title=st.sampled_from(TITLES),
    ids=st.fixed_dictionaries({}, optional={
        "doi": st.sampled_from(["10.1000/a", "https://doi.org/10.1000/B", "10.48550/arXiv.1701.00001"]),
        "pmid": st.sampled_from(["1", "2"]),
        "arxiv": st.sampled_from(["1701.00001v2", "1702.00002"]),
        "openalex": st.sampled_from(["W1234", "W4321"]),
    }),
    year=st.sampled_from([None, 2016, 2017, 2018, 2020]),
    authors=st.sampled_from([(), ("Ann Lee",), ("Lee A", "Bo Ray"), ("Bo Ray",)]),
    venue=st.sampled_from([None, "Brain", "arXiv"]),
    kind=st.sampled_from(KINDS),
    citations=st.sampled_from([None, 0, 50]),
)  # fmt: skip


@settings(max_examples=120)
@given(st.lists(works_anyhow, max_size=9), st.randoms())
def test_the_order_of_records_does_not_matter(works: list[Work], chance):
    shuffled = [*works]
    chance.shuffle(shuffled)
    assert merge(shuffled) == merge(works)


@settings(max_examples=120)
@given(st.lists(works_anyhow, max_size=9), st.integers(0, 9))
def test_merging_again_or_bit_by_bit_gives_the_same(works: list[Work], at: int):
    merged = merge(works)
    assert merge(merged) == merged
    assert merge([*merge(works[:at]), *works[at:]]) == merged


@settings(max_examples=200)
@given(st.lists(works_anyhow, max_size=8))
def test_a_title_never_joins_what_ids_or_years_hold_apart(works: list[Work]):
    for merged in merge(works):
        for a, b in combinations(by_shared_ids(merged.records), 2):
            for kind in ("doi", "pmid", "openalex"):
                held = [{plain(r.ids[kind]) for r in part if kind in r.ids} for part in (a, b)]
                # arXiv's own DOI is its number in another form, not the DOI that a publisher registered.
                held = [{value for value in values if "arxiv." not in value} for values in held]
                assert not all(held) or held[0] & held[1], (kind, held)
            years = [[r.year for r in part if r.year] for part in (a, b)]
            assert not all(years) or min(abs(x - y) for x in years[0] for y in years[1]) <= 1


@given(st.lists(works_anyhow, max_size=9))
def test_no_record_is_lost_and_no_id_is_used_twice(works: list[Work]):
    merged = merge(works)
    assert len({work.id for work in merged}) == len(merged)
    kept = [record for work in merged for record in work.records]
    assert all(record in kept for record in works)


def plain(identifier: str) -> str:
    return identifier.lower().removeprefix("https://doi.org/")


def by_shared_ids(records: tuple[Work, ...]) -> list[list[Work]]:
    """The parts that share ids, found the slow way."""
    parts: list[list[Work]] = []
    for record in records:
        own = {
            (kind, plain(value).split("v")[0] if kind == "arxiv" else plain(value))
            for kind, value in record.ids.items()
        }
        own |= {("arxiv", value.rpartition("arxiv.")[2]) for kind, value in own if kind == "doi" and "arxiv." in value}
        meeting = [part for part in parts if any(own & ids_of(other) for other in part)]
        parts = [part for part in parts if part not in meeting] + [[record, *(r for part in meeting for r in part)]]
    return parts


def ids_of(record: Work) -> set[tuple[str, str]]:
    own = {
        (kind, plain(value).split("v")[0] if kind == "arxiv" else plain(value)) for kind, value in record.ids.items()
    }
    return own | {
        ("arxiv", value.rpartition("arxiv.")[2]) for kind, value in own if kind == "doi" and "arxiv." in value
    }
