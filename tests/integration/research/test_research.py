"""Research over a scholarly world on loopback: everything between the question and the databases is the real thing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from litloop import Library
from litloop.ask.replay import replay
from litloop.core.errors import UsageError
from litloop.core.records import Answer, Paper
from litloop.testing.scholarly_world import InjectedFault, ScholarlyWorld, scholarly_world
from support import cli
from support.scholarly_world import SIX

QUESTION = "Does sumatriptan relieve acute migraine?"
FINDING = "Sumatriptan relieved acute migraine within two hours in 62 % of attacks"


def paper(number: int, title: str, abstract: str, *, retracted: bool = False) -> Paper:
    ids = {"pmid": str(100 + number), "doi": f"10.1000/head.{number}"}
    return Paper(
        id=ids["pmid"], title=title, abstract=abstract, authors=("Ada Verdi", "Jan van der Berg"),
        year=2000 + number, venue="Headache", ids=ids, retracted=retracted,
    )  # fmt: skip


LITERATURE = [
    paper(1, "Propranolol in migraine prophylaxis", "Propranolol halved the number of migraine attacks."),
    paper(2, "RETRACTED: Myelin grows overnight", "Myelin grew overnight in mice.", retracted=True),
    paper(3, "Cardiac safety of triptans", "Triptans did not raise the risk of infarction in migraine."),
    paper(5, "Sumatriptan in acute migraine: a trial", FINDING),
    paper(6, "Rizatriptan and sumatriptan compared", "Of two triptans in migraine, the newer one acted faster."),
    paper(8, "Astrocytes guide repair", "Astrocytes clear debris and guide the repair of myelin."),
]


@pytest.fixture(scope="module")
def world() -> Iterator[ScholarlyWorld]:
    with scholarly_world(LITERATURE) as running:
        yield running


@pytest.fixture(autouse=True)
def well(world: ScholarlyWorld) -> Iterator[None]:
    yield
    for name in SIX:
        world.trouble(name)


def settings(world: ScholarlyWorld, **more: object) -> dict:
    return {
        "embedding": {"model": "hashing-256"},
        "scholarly": world.settings(attempts=2, retry_after_cap_s=0.1, breaker_failures=100, arxiv={"base_url": world.address("arxiv"), "min_interval_s": 0}),
        "full_text": {"enabled": False},
        **more,
    }  # fmt: skip


@pytest.fixture
def library(tmp_path: Path, world: ScholarlyWorld) -> Iterator[Library]:
    with Library.open(tmp_path / "library", **settings(world)) as held:
        yield held


def relevant(answer: Answer) -> list[Paper]:
    return [use.paper for use in answer.papers if use.relevance.verdict == "relevant"]


def test_six_databases_give_one_cited_answer_and_each_work_once(library, world):
    answer = library.research(QUESTION)
    assert answer.status == "answered"
    assert FINDING in answer.text
    titles = [use.paper.title for use in answer.papers]
    assert len(titles) == len(set(titles))
    first = relevant(answer)[0]
    assert set(first.labels["providers"]) >= {"openalex", "pubmed", "europepmc"}
    cited = answer.sentences[0].citations[0]
    assert cited.quote in first.abstract
    assert cited.verdict == "quoted"


def test_thin_coverage_is_followed_up_beside_the_question(library, world):
    answer = library.research(QUESTION)
    told = answer.research
    assert not told["sufficient"]
    assert told["follow_ups"]
    assert "of at least 6 relevant papers" in told["coverage_assessment"]["why"]
    asked = {request.params.get("query") or request.params.get("search") or "" for request in world.requests}
    assert any("sumatriptan" in query.lower() for query in asked)


def test_a_lost_provider_is_named_and_the_rest_answers(library, world):
    world.trouble("openalex", InjectedFault("server_error"))
    answer = library.research(QUESTION)
    assert answer.status == "answered"
    assert answer.research["providers_lost"] == {"openalex": "OpenAlex failed with status 500."}


def test_when_every_provider_is_lost_nothing_is_said_of_the_literature(library, world):
    for name in SIX:
        world.trouble(name, InjectedFault("server_error"))
    answer = library.research(QUESTION)
    assert answer.status == "retrieval_failed"
    assert "Nothing could be retrieved" in answer.text
    assert set(answer.research["providers_lost"]) == set(SIX)


def test_lost_providers_are_told_once_and_not_asked_again_by_a_follow_up(library, world):
    library.research(QUESTION, keep=True)
    for name in SIX:
        world.trouble(name, InjectedFault("server_error"))
    asked, events = len(world.requests), []
    answer = library.research(QUESTION, on_event=events.append)
    assert answer.research["follow_ups"]
    assert len(world.requests) - asked == len(SIX) * 2  # two attempts each
    assert set(answer.research["providers_lost"]) == set(SIX)
    told = [event.data["message"] for event in events if event.type == "warning"]
    assert sorted(told) == sorted(set(told))
    assert [event.data["asked"] for event in events if event.type == "providers"] == [list(SIX)]


def test_what_is_kept_can_be_asked_without_a_network(library, world):
    answer = library.research(QUESTION, keep=True)
    kept = len(relevant(answer))
    assert answer.research["kept"] == {"papers": kept, "unchanged": 0, "collection": "default"}
    asked = len(world.requests)
    again = library.research(QUESTION, local_only=True)
    assert again.status == "answered"
    assert again.research["providers"] == []
    assert len(world.requests) == asked
    assert library.research(QUESTION, keep=True).research["kept"]["papers"] == 0


def test_a_paper_of_the_library_and_its_record_in_a_database_are_one(library, world, tmp_path):
    corpus = tmp_path / "own.json"
    own = {"id": "mine", "title": "Sumatriptan in acute migraine: a trial", "abstract": FINDING,
           "doi": "https://doi.org/10.1000/HEAD.5"}  # fmt: skip
    corpus.write_text(json.dumps([own]), encoding="utf-8")
    library.add(corpus)
    answer = library.research(QUESTION)
    same = [use.paper for use in answer.papers if use.paper.title == own["title"]]
    assert [paper.id for paper in same] == ["mine"]
    assert {"library", "openalex"} <= set(same[0].labels["providers"])


def test_a_retracted_work_is_marked_wherever_it_is_shown(library):
    answer = library.research("Does myelin grow overnight?")
    marked = [use.paper for use in answer.papers if "grows overnight" in use.paper.title]
    assert marked
    assert all(paper.retracted for paper in marked)


def test_only_the_named_providers_are_asked_and_an_unknown_one_is_refused(library, world):
    before = len(world.requests)
    assert library.research(QUESTION, providers=("pubmed",)).research["providers"] == ["pubmed"]
    assert {request.database for request in world.requests[before:]} == {"pubmed"}
    with pytest.raises(UsageError, match="no provider called"):
        library.research(QUESTION, providers=("scopus",))


def test_years_outside_the_filter_are_not_shown(library):
    answer = library.research(QUESTION, since=2005)
    assert answer.papers
    assert all((use.paper.year or 0) >= 2005 for use in answer.papers)


def test_a_replay_needs_no_database_and_a_changed_verdict_changes_the_answer(library, world, tmp_path):
    trace = tmp_path / "run.jsonl"
    answer = library.research(QUESTION, trace=trace)
    asked = len(world.requests)
    again = replay(trace)
    assert len(world.requests) == asked
    assert again.answer.text == answer.text
    assert again.answer.research["follow_ups"] == answer.research["follow_ups"]
    assert again.differences == ()
    events = [json.loads(line) for line in trace.read_text("utf-8").splitlines()]
    for event in events:
        if event["type"] == "relevance_check":
            for verdict in event["data"]["verdicts"]:
                verdict["verdict"] = "irrelevant"
    trace.write_text("\n".join(map(json.dumps, events)) + "\n", encoding="utf-8")
    changed = replay(trace)
    assert changed.answer.status == "out_of_scope"
    assert changed.differences


def test_the_command_prints_a_review_and_ends_partly_when_a_provider_was_lost(world, tmp_path):
    world.trouble("crossref", InjectedFault("server_error"))
    env = {**cli.HASHING, **world.environment(), "LITLOOP_SCHOLARLY__ATTEMPTS": "1",
           "LITLOOP_FULL_TEXT__ENABLED": "false"}  # fmt: skip
    done = cli.litloop("research", QUESTION, "--library", tmp_path / "l", "--providers", "crossref,pubmed", env=env)
    assert done.code == 3, done.err
    assert FINDING in done.out
    assert "Coverage: thin" in done.out
    assert "Not searched: crossref" in done.out
    assert "asked 2 databases" in done.err
    told = cli.litloop(
        "research", QUESTION, "--library", tmp_path / "l", "--providers", "pubmed", "--json", env=env
    ).json()  # fmt: skip
    assert told["research"]["providers"] == ["pubmed"]


def test_research_without_network_or_library_says_what_is_missing(tmp_path):
    done = cli.litloop("research", QUESTION, "--local", "--library", tmp_path / "l", env=cli.HASHING)
    assert done.code == 5
    assert "the library is empty and no provider may be asked" in done.out
