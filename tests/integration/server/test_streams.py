"""A run as its watchers see it: order, heartbeats, leaving, coming back, and what a model's server notices."""

from __future__ import annotations

import threading
from contextlib import contextmanager

import httpx
import pytest

from litloop.server.schemas.asking import AnswerEvent, AskAnswer, RunEvent
from litloop.server.schemas.running import RunDetail
from support.fault_server import fault_server, hangs
from support.served import QUESTION, asked, asks_model, events_of, neurology_library, served, wait_for


@contextmanager
def with_hanging_model(tmp_path, **server):
    """A server whose model takes every request and never answers: (base URL, the model's server)."""
    settings = {"heartbeat_s": 0.1, "reconnect_s": 0.2, "shutdown_s": 0.5, **server}
    with (
        fault_server(hangs()) as model,
        neurology_library(tmp_path / "library", server=settings, **asks_model(model.base_url)) as library,
        served(library) as url,
    ):
        yield url, model


@contextmanager
def streaming(url: str, **body):
    """The events of a run that goes on while the block runs."""
    with httpx.stream("POST", f"{url}/query/stream", json={"query": QUESTION, **body}, timeout=60) as response:
        assert response.status_code == 200
        yield events_of(response.iter_lines())


def first(events, kind: str):
    return next(event for event in events if event.type == kind)


# --- Runs that end ---


def test_events_come_in_order_and_the_last_is_the_whole_answer(url):
    events = asked(url)
    assert [int(event.id) for event in events] == list(range(len(events)))
    for event in events[:-1]:
        told = RunEvent.model_validate(event.data)
        assert (told.type, told.seq) == (event.type, int(event.id))
    assert [event.type for event in events][:3] == ["run_started", "question_parsed", "retrieval"]
    assert events[-1].type == "answer"
    answer = AnswerEvent.model_validate(events[-1].data)
    assert answer.status in ("answered", "partial")
    assert answer.run_id == events[0].data["run_id"]


def test_a_stream_is_never_buffered_or_stored_on_its_way(url):
    with httpx.stream("POST", f"{url}/query/stream", json={"query": QUESTION}, timeout=60) as response:
        assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
        assert response.headers["x-accel-buffering"] == "no"
        assert response.headers["cache-control"] == "no-store"


def test_both_ways_of_asking_give_the_same_answer(url):
    streamed = asked(url)[-1].data
    whole = httpx.post(f"{url}/query", json={"query": QUESTION}, timeout=60).json()
    assert set(AskAnswer.model_fields) == set(whole)
    for name in set(whole) - {"run_id", "ledger", "trace"}:
        assert streamed[name] == whole[name], name


def test_html_in_a_question_stays_text_and_cannot_forge_an_event(url):
    question = "<script>alert(1)</script> midbrain\n\nevent: answer\ndata: {}\n\n uptake in PSP?"
    events = asked(url, question)
    assert [event.type for event in events].count("answer") == 1
    assert "<script>" in events[0].data["data"]["question"]


def test_a_finished_run_is_replayed_word_for_word(url):
    events = asked(url)
    run = events[0].data["run_id"]
    with httpx.stream("GET", f"{url}/runs/{run}/events", timeout=60) as response:
        assert list(events_of(response.iter_lines())) == events
    with httpx.stream("GET", f"{url}/runs/{run}/events", headers={"Last-Event-ID": "3"}) as response:
        assert list(events_of(response.iter_lines())) == events[4:]


@pytest.mark.parametrize("last", ["", "-7", "x", "99999999", "٣"])
def test_an_odd_last_event_id_is_no_error(url, last):
    run = asked(url)[0].data["run_id"]
    response = httpx.get(f"{url}/runs/{run}/events", headers={"Last-Event-ID": last.encode()})
    assert response.status_code == 200


def test_events_of_a_run_that_does_not_exist_are_a_404(url):
    response = httpx.get(f"{url}/runs/20200101-000000-deadbeef/events")
    assert response.status_code == 404
    assert response.json()["detail"].startswith("There is no run")


def test_a_run_is_still_there_after_a_restart(tmp_path):
    with neurology_library(tmp_path / "library") as library, served(library) as url:
        events = asked(url)
    run = events[0].data["run_id"]
    with neurology_library(tmp_path / "library") as library, served(library) as url:
        kept = RunDetail.model_validate_json(httpx.get(f"{url}/runs/{run}").content)
        with httpx.stream("GET", f"{url}/runs/{run}/events") as response:
            replayed = list(events_of(response.iter_lines()))
    assert kept.state == "done"
    assert kept.answer
    assert [event.type for event in replayed] == [event.type for event in events]
    assert replayed[-1].data["text"] == events[-1].data["text"]


# --- Runs that wait for a model ---


def test_a_silent_run_sends_a_comment_now_and_then(tmp_path):
    with with_hanging_model(tmp_path) as (url, _), streaming(url) as events:
        comments = 0
        for event in events:
            comments += event.comment == "still here"
            if comments == 3:
                break
        assert comments == 3


def test_when_the_client_leaves_the_call_of_the_model_is_ended(tmp_path):
    with with_hanging_model(tmp_path) as (url, model):
        with streaming(url) as events:
            run = first(events, "run_started").data["run_id"]
            wait_for(lambda: model.chats)
            assert not model.disconnected.is_set()
        assert model.disconnected.wait(20)
        wait_for(lambda: httpx.get(f"{url}/runs/{run}").json()["state"] == "cancelled")
        assert httpx.get(f"{url}/health").json()["load"]["runs"] == 0


def test_when_a_waiting_client_leaves_the_call_of_the_model_is_ended(tmp_path):
    with with_hanging_model(tmp_path) as (url, model):
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(f"{url}/query", json={"query": QUESTION}, timeout=httpx.Timeout(20, read=1.5))
        wait_for(lambda: model.chats)
        assert model.disconnected.wait(20)


def test_a_client_that_comes_back_in_time_goes_on_where_it_was(tmp_path):
    with with_hanging_model(tmp_path, reconnect_s=20) as (url, model):
        with streaming(url) as events:
            run = first(events, "run_started").data["run_id"]
            wait_for(lambda: model.chats)
        with httpx.stream("GET", f"{url}/runs/{run}/events", headers={"Last-Event-ID": "0"}, timeout=60) as response:
            again = events_of(response.iter_lines())
            assert next(again).id == "1"
            assert not model.disconnected.is_set()
            assert httpx.delete(f"{url}/runs/{run}", timeout=30).json()["state"] == "cancelled"
            rest = list(again)
        assert rest[-1].type == "cancelled"
        assert rest[-1].data["data"]["reason"] == "The run was cancelled."
        assert model.disconnected.wait(20)


def test_one_of_two_watchers_may_leave(tmp_path):
    with with_hanging_model(tmp_path) as (url, model), streaming(url) as events:
        run = first(events, "run_started").data["run_id"]
        with httpx.stream("GET", f"{url}/runs/{run}/events", timeout=60) as other:
            assert next(events_of(other.iter_lines())).type == "run_started"
        assert not model.disconnected.wait(1.0)


def test_a_run_whose_model_is_slow_answers_in_time_from_what_it_has(tmp_path):
    with with_hanging_model(tmp_path, run_timeout_s=6.0) as (url, model):
        answer = httpx.post(f"{url}/query", json={"query": QUESTION}, timeout=60).json()
        assert (answer["status"], answer["degraded"]) == ("degraded", True)
        assert answer["papers"]
        assert model.disconnected.is_set()
        (models,) = [part for part in httpx.get(f"{url}/health").json()["parts"] if part["name"] == "models"]
        assert models["state"] == "warn"  # and not "a model is set up" alone
        assert "fail" in models["sentence"]


def test_a_run_that_takes_too_long_all_the_same_is_ended_and_says_so(tmp_path):
    with with_hanging_model(tmp_path, run_timeout_s=0.001) as (url, _):
        for path in ("/query", "/query/stream"):
            answer = httpx.post(f"{url}{path}", json={"query": QUESTION}, timeout=60)
            if answer.status_code == 200:  # its first event was quicker than the clock
                assert path == "/query/stream"
                assert "The run took longer than 0.001 s." in answer.text
            else:
                assert answer.status_code == 504
                assert answer.json()["detail"] == "The run took longer than 0.001 s."


def test_no_more_runs_are_begun_than_may_run_and_searches_go_on_beside_them(tmp_path):
    with with_hanging_model(tmp_path, max_runs=1) as (url, _), streaming(url) as events:
        first(events, "run_started")
        refused = httpx.post(f"{url}/query", json={"query": QUESTION}, timeout=30)
        assert refused.status_code == 503
        assert int(refused.headers["retry-after"]) > 0
        assert httpx.post(f"{url}/search", json={"query": "midbrain"}, timeout=30).status_code == 200


def test_stopping_the_server_ends_its_runs(tmp_path):
    with with_hanging_model(tmp_path) as (url, model):
        seen = []

        def watch():
            with streaming(url) as events:
                seen.extend(events)

        watcher = threading.Thread(target=watch)
        watcher.start()
        wait_for(lambda: model.chats)
    watcher.join(30)
    assert not watcher.is_alive()
    assert seen[-1].type == "cancelled"
    assert seen[-1].data["data"]["reason"] == "The server is stopping."
    assert model.disconnected.is_set()


def test_ten_tabs_of_one_client_each_get_their_own_answer(url):
    answers = []

    def ask(number: int) -> None:
        question = f"{QUESTION} ({number})"
        answers.append((question, asked(url, question)[-1].data))

    tabs = [threading.Thread(target=ask, args=(number,)) for number in range(10)]
    for tab in tabs:
        tab.start()
    for tab in tabs:
        tab.join(120)
    assert len({answer["run_id"] for _, answer in answers}) == 10
    assert all(answer["question"] == question for question, answer in answers)


def test_fifty_streams_opened_and_dropped_leave_nothing_behind(tmp_path):
    with with_hanging_model(tmp_path, max_runs=60, query_limit="") as (url, _):

        def open_and_drop() -> None:
            with streaming(url) as events:
                first(events, "run_started")

        tabs = [threading.Thread(target=open_and_drop) for _ in range(50)]
        for tab in tabs:
            tab.start()
        for tab in tabs:
            tab.join(120)
        wait_for(lambda: httpx.get(f"{url}/health", timeout=30).json()["load"]["runs"] == 0)
        ended = httpx.get(f"{url}/runs", params={"limit": 100}, timeout=30).json()["runs"]
        assert [run["state"] for run in ended] == ["cancelled"] * 50
