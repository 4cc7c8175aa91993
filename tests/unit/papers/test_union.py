from __future__ import annotations

from dataclasses import replace
from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from litloop.core.records import Paper
from litloop.papers.union import SourceRecord, combined_works

TITLE = "Pramoxidine for restless legs in dialysis"
REFERENCE = SourceRecord(
    Paper("doi:10.5555/a", TITLE, authors=("Ada Ng",), year=2019, venue="Sleep Reports", ids={"doi": "10.5555/a"}),
    "bibtex/1", "t0", 0, "refs.bib", "c1",
)  # fmt: skip
RECORD = SourceRecord(
    Paper("doi:10.5555/a", TITLE, "Legs rested.", year=2019, ids={"doi": "10.5555/a", "pmid": "7"}, retracted=True),
    "ris/1", "t1", 12, "a.ris", "c2",
)  # fmt: skip
PDF = SourceRecord(
    Paper("scan-123456", "PRAMOXIDINE FOR RESTLESS LEGS IN DIALYSIS", ids={"doi": "10.5555/a"}, year=2018),
    "pdf/1", "t2", 40_000, "scan.pdf", "c3",
)  # fmt: skip


def test_a_work_has_the_fullest_text_and_the_fields_of_all_its_records() -> None:
    (work,) = combined_works([REFERENCE, RECORD, PDF])
    assert work.text_of == 2
    assert work.paper.id == "doi:10.5555/a"
    assert (work.paper.title, work.paper.abstract, work.paper.authors) == (TITLE, "Legs rested.", ("Ada Ng",))
    assert (work.paper.venue, work.paper.year) == ("Sleep Reports", 2019)
    assert work.paper.ids == {"doi": "10.5555/a", "pmid": "7"}


def test_a_retraction_that_one_file_knows_of_is_the_works() -> None:
    (work,) = combined_works([REFERENCE, RECORD])
    assert work.paper.retracted


def test_each_field_says_which_file_gave_it() -> None:
    (work,) = combined_works([REFERENCE, RECORD, PDF])
    told = work.paper.provenance
    assert (told["authors"], told["abstract"], told["ids.pmid"]) == ("refs.bib", "a.ris", "a.ris")


def test_a_single_contribution_is_the_work_as_it_is() -> None:
    (work,) = combined_works([PDF])
    assert work.paper is PDF.paper


def test_the_order_of_the_files_does_not_matter() -> None:
    seen = {repr([(w.paper, sorted(some[i].content for i in w.members), some[w.text_of].content)
                  for w in combined_works(some)])
            for some in permutations([REFERENCE, RECORD, PDF])}  # fmt: skip
    assert len(seen) == 1


def test_two_works_that_their_files_call_by_one_id_get_ids_of_their_own() -> None:
    one = SourceRecord(
        Paper("1", "Sleep in cats and what it costs them", year=2001), "corpus/1", "a", 10, "a.jsonl", "aa"
    )
    other = SourceRecord(
        Paper("1", "Wind turbines of the northern coast", year=2015), "corpus/1", "b", 10, "b.jsonl", "bb"
    )
    ids = [work.paper.id for work in combined_works([one, other])]
    assert ids == [work.paper.id for work in combined_works([other, one])]
    assert len(set(ids)) == 2
    assert "1" in ids


def test_two_downloads_of_one_file_are_one_work_whatever_they_are_called() -> None:
    copy = replace(PDF, paper=replace(PDF.paper, id="copy-1", title="copy", ids={}), file="copy.pdf", content="c4")
    (work,) = combined_works([PDF, copy])
    assert work.members == (0, 1)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([REFERENCE, RECORD, PDF]), min_size=1, max_size=3, unique_by=lambda one: one.content))
def test_no_record_takes_anything_away(some: list[SourceRecord]) -> None:
    (work,) = combined_works(some)
    for one in some:
        assert set(one.paper.ids) <= set(work.paper.ids)
        assert len(work.paper.abstract) >= len(one.paper.abstract)
        assert not one.paper.authors or work.paper.authors
        assert some[work.text_of].text_length >= one.text_length
