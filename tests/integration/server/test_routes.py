"""Every route answers in the shape that the OpenAPI document promises. The shapes forbid what they do not name."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest
from pydantic import BaseModel, TypeAdapter

from litloop.domains.neurology import schemas as neurology
from litloop.server.schemas import asking, collections, running, searching
from litloop.server.schemas.problems import Problem
from support.served import PAPERS, QUESTION


def told(response, shape: type[BaseModel], status: int = 200):
    assert response.status_code == status, response.text
    return shape.model_validate_json(response.content)


def problem(response, status: int) -> Problem:
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    said = Problem.model_validate_json(response.content)
    assert said.status == status
    assert said.detail.endswith((".", "?"))
    assert said.request_id == response.headers["x-request-id"]
    assert "Traceback" not in response.text
    return said


# --- Asking ---


def test_an_answer_has_the_ask_object_and_the_names_of_neulittrace(client):
    answer = told(client.post("/query", json={"query": QUESTION}), asking.AskAnswer)
    assert answer.status in ("answered", "partial")
    assert answer.summary_text == answer.text
    assert answer.citations == [c for s in answer.sentences for c in s.citations]
    assert answer.best_condition == "PSP"
    assert answer.sparse_coverage
    assert answer.corpus_paper_count == 2
    assert not answer.no_match


def test_the_question_may_be_called_question(client):
    assert told(client.post("/query", json={"question": QUESTION, "local_only": True}), asking.AskAnswer).run_id


def test_a_question_that_is_not_answered_here_says_so(client):
    answer = told(client.post("/query", json={"query": "Which tyres suit a gravel bicycle?"}), asking.AskAnswer)
    assert answer.status in ("out_of_scope", "passages_only", "not_found")
    assert answer.no_match == (answer.status == "out_of_scope")
    assert not answer.sentences


@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "text/plain"])
def test_a_body_that_was_not_sent_as_json_is_told_the_header(client, kind):
    sent = client.post("/search", content=b'{"query": "gaze"}', headers={"content-type": kind})
    assert "Content-Type: application/json" in problem(sent, 422).detail


@pytest.mark.parametrize("body", [
    {}, {"query": ""}, {"query": "   "}, {"query": "?!"}, {"query": "x" * 8001}, {"query": 5}, {"query": None},
    {"query": "a", "max_rounds": 0}, {"query": "a", "max_rounds": 11}, {"query": "a", "budget_tokens": 0},
    {"query": "a", "serach": True}, {"query": "a", "filters": {"year_from": -1}}, {"query": "\ud800"},
    {"query": "a", "local_only": "perhaps"}, [], "text", None,
])  # fmt: skip
def test_a_wrong_question_is_a_sentence_and_422(client, body):
    sent = {"content": json.dumps(body), "headers": {"content-type": "application/json"}}  # half a letter as \\ud800
    problem(client.post("/query", **sent), 422)
    problem(client.post("/query/stream", **sent), 422)


def test_a_body_that_is_no_json_is_a_sentence(client):
    for content in (b"{", b"\xff\xfe", b""):
        answer = client.post("/query", content=content, headers={"content-type": "application/json"})
        assert "body" in problem(answer, 422).detail.lower() or content == b""


def test_an_unknown_collection_is_a_404_that_names_the_known_ones(client):
    for path in ("/query", "/query/stream", "/search"):
        said = problem(client.post(path, json={"query": "uptake", "collection": "cardiology"}), 404)
        assert "neurology" in said.detail


# --- Searching ---


def test_search_answers_in_the_shape_of_neural_search(client):
    body = {"query": "midbrain uptake", "k": 2, "mode": "hybrid", "rerank": False, "expand": False, "synthesize": False,
            "web_search": False, "query_type": "semantic"}  # fmt: skip
    found = told(client.post("/search", json=body), searching.SearchAnswer)
    assert [hit.rank for hit in found.results] == [1, 2]
    assert {hit.paper_id for hit in found.results} <= {"psp1", "10.1000/psp.2"}
    assert {"retrieval_ms", "rerank_ms", "synthesis_ms", "total_ms"} <= set(found.latency)


def test_a_retracted_paper_is_marked_among_the_hits(client):
    found = told(client.post("/search", json={"query": "FDG uptake"}), searching.SearchAnswer)
    assert {hit.paper_id for hit in found.results if hit.retracted} == {"lewy"}


def test_search_can_be_filtered(client):
    body = {"query": "uptake", "filters": {"year_from": 2020, "labels": {"condition": ["PSP", "DLB"]}}}
    found = told(client.post("/search", json=body), searching.SearchAnswer)
    assert {hit.paper_id for hit in found.results} == {"psp1"}


def test_a_filter_that_no_paper_passes_is_named_by_search_and_by_a_question(client):
    filters = {"labels": {"condition": ["no such"]}}
    found = told(client.post("/search", json={"query": "uptake", "filters": filters}), searching.SearchAnswer)
    assert (found.results, found.warning.partition(";")[0]) == ([], "No paper passes the filter 'condition=no such'")
    answer = client.post("/query", json={"query": "What is the uptake?", "filters": filters}).json()
    assert (answer["status"], answer["text"]) == ("out_of_scope", found.warning)


def test_every_method_is_shown_side_by_side(client):
    answer = client.get("/search/debug", params={"query": "midbrain uptake", "collection": "neurology", "k": 3})
    assert answer.status_code == 200
    methods = TypeAdapter(dict[str, searching.SearchAnswer]).validate_json(answer.content)
    assert {"bm25", "dense", "rrf"} <= set(methods)
    assert methods["bm25"].results[0].signals["bm25"] > 0


@pytest.mark.parametrize("body", [{"query": "a", "k": 0}, {"query": "a", "k": 1001}, {"query": "a", "mode": "magic"},
                                  {"query": ""}, {"k": 3}])  # fmt: skip
def test_a_wrong_search_is_a_sentence_and_422(client, body):
    problem(client.post("/search", json=body), 422)


# --- What the library holds ---


def test_collections_tell_their_counts_and_whether_the_web_is_asked(client):
    held = told(client.get("/collections"), collections.CollectionList)
    assert (held.count, held.web_enabled) == (1, False)
    assert held.collections[0].papers == len(PAPERS) + 1


def test_one_collection_tells_its_labels_and_what_to_ask(client):
    held = told(client.get("/collections/neurology"), collections.CollectionDetail)
    assert [(v.value, v.papers) for v in held.labels["condition"]] == [("PSP", 2), ("DLB", 1)]
    assert held.example_questions
    assert held.generic_hint
    problem(client.get("/collections/cardiology"), 404)


def test_the_page_is_told_what_a_domain_adds_and_a_general_collection_adds_nothing(client, library):
    held = told(client.get("/collections/neurology"), collections.CollectionDetail)
    assert [(topic.name, topic.papers, topic.sparse) for topic in held.topics] == [("PSP", 2, True), ("DLB", 1, True)]
    assert [view.title for view in held.page.views] == ["Brain"]
    assert held.page.alternatives_title == "Differential diagnoses"
    library.create_collection("plain")
    try:
        plain = told(client.get("/collections/plain"), collections.CollectionDetail)
    finally:
        library.delete_collection("plain")
    assert (plain.topics, plain.page.views, plain.page.search_example) == ([], [], "")
    assert "diagnos" not in plain.page.model_dump_json().casefold()


def test_a_collection_is_made_and_deleted(client):
    assert told(client.post("/collections", json={"name": "new one", "domain": "neurology"}),
                collections.CollectionOut, 201).papers == 0  # fmt: skip
    problem(client.post("/collections", json={"name": "new one"}), 409)
    assert told(client.delete("/collections/new one"), collections.Deleted).deleted == "new one"
    problem(client.delete("/collections/new one"), 404)


@pytest.mark.parametrize("name", ["", "a/b", "a\nb", "x" * 101, 5])
def test_a_name_that_is_none_makes_no_collection(client, name):
    problem(client.post("/collections", json={"name": name}), 422)


def test_a_domain_that_is_none_makes_no_collection(client):
    assert "neurology" in problem(client.post("/collections", json={"name": "x", "domain": "alchemy"}), 422).detail
    assert told(client.get("/collections"), collections.CollectionList).count == 1


def test_papers_come_in_pages_and_by_words(client):
    table = told(client.get("/collections/neurology/papers", params={"limit": 2, "order": "newest"}),
                 collections.PaperTable)  # fmt: skip
    assert table.total == len(PAPERS) + 1
    assert [row.year for row in table.papers] == [2021, 2019]
    found = told(client.get("/collections/neurology/papers", params={"q": "GAZE falls"}), collections.PaperTable)
    assert [row.paper_id for row in found.papers] == ["10.1000/psp.2"]
    none = told(client.get("/collections/neurology/papers", params={"q": "100%_"}), collections.PaperTable)
    assert none.total == 0
    problem(client.get("/collections/neurology/papers", params={"limit": 0}), 422)


def test_a_paper_whose_id_holds_a_slash_is_found(client):
    for given in ("10.1000/psp.2", quote("10.1000/psp.2", safe="")):
        paper = told(client.get(f"/papers/{given}"), collections.PaperDetail)
        assert paper.paper_id == "10.1000/psp.2"
        assert paper.passage_list[0].text.startswith("Midbrain uptake")
    problem(client.get("/papers/nobody"), 404)


def test_document_text_comes_as_data(client):
    answer = client.get("/papers/lewy")
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.json()["title"] == "Dementia with <b>Lewy bodies</b> on PET"


def test_conditions_and_atlas_come_from_the_labels(client):
    listed = told(client.get("/conditions"), neurology.ConditionList)
    psp = listed.conditions[0]
    assert (psp.name, psp.papers, psp.sparse, psp.rarity) == ("PSP", 2, True, "rare")
    assert psp.regions == ["Midbrain", "frontal lobe"]
    atlas = told(client.get("/atlas"), neurology.AtlasOut)
    assert {region.name: region.conditions for region in atlas.regions}["Brain-Stem"] == ["PSP"]
    entry = told(client.get("/atlas/psp"), neurology.AtlasEntry)
    assert {paper.paper_id for paper in entry.paper_list} == {"psp1", "10.1000/psp.2"}
    assert "PSP" in problem(client.get("/atlas/pspp"), 404).detail


# --- Looking back and after ---


def test_past_runs_are_listed_and_opened(client):
    run_id = client.post("/query", json={"query": QUESTION}).json()["run_id"]
    listed = told(client.get("/runs", params={"limit": 1}), running.RunList)
    assert (listed.runs[0].run_id, listed.runs[0].state) == (run_id, "done")
    run = told(client.get(f"/runs/{run_id}"), running.RunDetail)
    assert run.answer
    assert run.answer.run_id == run_id
    assert [event.seq for event in run.trace] == list(range(len(run.trace)))
    assert run.trace[0].type == "run_started"
    problem(client.get("/runs/20200101-000000-deadbeef"), 404)
    assert told(client.delete(f"/runs/{run_id}"), running.RunCancelled).state == "done"
    problem(client.delete("/runs/nobody"), 404)


def test_the_ledger_of_an_offline_library_is_empty_and_costs_nothing(client):
    for by in ("day", "task", "path", "model", "run"):
        assert told(client.get("/ledger", params={"by": by}), running.LedgerTable).rows == []
    problem(client.get("/ledger", params={"by": "moon"}), 422)
    problem(client.get("/ledger", params={"since": "yesterday"}), 422)


def test_health_names_each_part_and_path(client):
    health = told(client.get("/health"), running.HealthOut)
    assert health.status == "ok"
    assert {"embedder", "library", "index", "models", "web", "disk"} == {part.name for part in health.parts}
    assert set(health.paths) == {"proxy", "direct", "compression"}


def test_metrics_count_what_happened(client):
    client.post("/search", json={"query": "uptake"})
    text = client.get("/metrics").text
    assert 'litloop_requests_total{method="POST",route="/search",status="200"}' in text
    assert "litloop_request_seconds_bucket" in text
    assert 'litloop_now{what="runs"} 0.0' in text


def test_the_reference_page_shows_every_route_with_examples_and_no_script(client):
    page = client.get("/docs")
    document = client.get("/openapi.json").json()
    assert page.headers["content-type"].startswith("text/html")
    assert all(path in page.text for path in document["paths"])
    assert "Does shade lower the tem" in page.text
    assert "<script" not in page.text
    assert "script-src" not in page.headers["content-security-policy"]


def test_an_unknown_address_and_a_wrong_method_are_sentences(client):
    problem(client.get("/nothing"), 404)
    problem(client.put("/query"), 405)
