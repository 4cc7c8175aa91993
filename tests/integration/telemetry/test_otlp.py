"""Spans of real runs, as a collector on loopback receives them over OTLP/HTTP."""

from __future__ import annotations

import gzip
import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from litloop import Library
from litloop.core.errors import MissingExtra
from litloop.telemetry.otlp import traces_url
from support.cli import litloop
from support.fault_server import fault_server, hangs, says

PAPERS = [
    {"id": "psp1", "title": "Midbrain hypometabolism in progressive supranuclear palsy",
     "abstract": "FDG PET showed reduced midbrain uptake in all twelve patients with progressive supranuclear palsy."},
    {"id": "psp2", "title": "Falls and gaze in progressive supranuclear palsy",
     "abstract": "Midbrain uptake on FDG PET was low in progressive supranuclear palsy. Falls began early."},
]  # fmt: skip
QUESTION = "What did FDG PET show in progressive supranuclear palsy?"


class Collector:
    """What a collector received: spans by name, attributes as plain values."""

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.bodies: list[bytes] = []
        self.spans: list[Span] = []
        self.resource: dict[str, str] = {}

    def take(self, path: str, body: bytes) -> None:
        request = ExportTraceServiceRequest.FromString(body)
        self.paths.append(path)
        self.bodies.append(body)
        for spans in request.resource_spans:
            self.resource = attributes(spans.resource)
            self.spans += [span for scope in spans.scope_spans for span in scope.spans]

    def named(self, name: str) -> list[Span]:
        return [span for span in self.spans if span.name == name]


def attributes(holder) -> dict:
    return {pair.key: getattr(pair.value, pair.value.WhichOneof("value")) for pair in holder.attributes}


@contextmanager
def collector() -> Iterator[tuple[Collector, str]]:
    held = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            held.take(self.path, body)
            self.send_response(200)
            self.send_header("Content-Type", "application/x-protobuf")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield held, f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def library(folder: Path, **settings) -> Library:
    held = Library.open(folder / "library", embedding={"model": "hashing-256"}, **settings)
    corpus = folder / "corpus.json"
    corpus.write_text(json.dumps(PAPERS), encoding="utf-8")
    held.add(corpus)
    return held


def verdicts() -> str:
    return json.dumps({"results": [{"id": n, "relevant": True, "confidence": 0.9} for n in ("1", "2")]})


def test_a_run_arrives_as_one_trace_with_rounds_and_a_child_for_each_model_call(tmp_path):
    only_relevance = dict.fromkeys(("refine", "extract", "summarise", "citation", "differential"), "offline")
    with collector() as (received, endpoint), fault_server(says(verdicts())) as server:
        llm = {"profile": "custom", "base_url": server.base_url, "model": "judge-1", "attempts": 1,
               "roles": only_relevance}  # fmt: skip
        with library(tmp_path, llm=llm, telemetry={"endpoint": endpoint}) as held:
            answer = held.ask(QUESTION)
    (run,), (first,), (chat,) = received.named("litloop.ask"), received.named("round 1"), received.named("chat judge-1")
    assert received.paths[0] == "/v1/traces"
    assert received.resource["service.name"] == "litloop"
    assert len({span.trace_id for span in received.spans}) == 1
    assert (first.parent_span_id, chat.parent_span_id) == (run.span_id, first.span_id)
    assert run.parent_span_id == b""
    assert chat.kind == Span.SPAN_KIND_CLIENT
    assert run.start_time_unix_nano <= chat.start_time_unix_nano < chat.end_time_unix_nano <= run.end_time_unix_nano
    said = attributes(chat)
    assert said["gen_ai.operation.name"] == "chat"
    assert said["gen_ai.request.model"] == "judge-1"
    assert said["gen_ai.usage.input_tokens"] > 0
    assert said["gen_ai.usage.output_tokens"] > 0
    assert attributes(run)["litloop.run_id"] == answer.run_id
    assert attributes(run)["litloop.status"] == answer.status
    sent = b"".join(received.bodies)
    assert b"FDG PET" not in sent
    assert b"midbrain uptake" not in sent


def test_question_and_answer_are_sent_where_a_setting_allows_it(tmp_path):
    with collector() as (received, endpoint):
        telemetry = {"endpoint": f"{endpoint}/v1/traces", "content": True}
        with library(tmp_path, telemetry=telemetry) as held:
            held.ask(QUESTION)
    (run,) = received.named("litloop.ask")
    assert attributes(run)["litloop.question"] == QUESTION
    assert received.paths == ["/v1/traces"]


def test_a_run_cancelled_in_the_middle_arrives_as_an_error(tmp_path):
    with collector() as (received, endpoint), fault_server(hangs()) as server:
        llm = {"profile": "custom", "base_url": server.base_url, "model": "judge-1", "attempts": 1}
        with library(tmp_path, llm=llm, telemetry={"endpoint": endpoint}) as held:
            events = held.stream(QUESTION)
            assert any(event.type == "retrieval" for event in events)  # the relevance call waits
            events.close()
    (run,) = received.named("litloop.ask")
    assert (run.status.code, run.status.message) == (Status.STATUS_CODE_ERROR, "cancelled")


def test_the_command_line_exports_when_the_environment_says_so_and_nothing_without(tmp_path):
    with library(tmp_path):
        pass
    with collector() as (received, endpoint):
        litloop("ask", QUESTION, "--library", str(tmp_path / "library"), "--json")
        assert received.spans == []
        done = litloop(
            "ask", QUESTION, "--library", str(tmp_path / "library"), "--json",
            env={"LITLOOP_TELEMETRY__ENDPOINT": endpoint},
        )  # fmt: skip
    assert done.json()["run_id"] == attributes(received.named("litloop.ask")[0])["litloop.run_id"]


def test_a_collector_that_is_down_costs_the_run_nothing_but_a_line(tmp_path):
    telemetry = {"endpoint": "http://127.0.0.1:9", "timeout_s": 0.3}
    with library(tmp_path, telemetry=telemetry) as held:
        assert held.ask(QUESTION).sentences


def test_without_the_extra_the_command_to_install_it_is_named(tmp_path, monkeypatch):
    for name in [name for name in sys.modules if name.startswith("opentelemetry.sdk")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.resources", None)
    telemetry = {"endpoint": "http://127.0.0.1:9"}
    with library(tmp_path, telemetry=telemetry) as held, pytest.raises(MissingExtra, match=r"litloop\[otel\]"):
        held.ask(QUESTION)


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("http://host:4318", "http://host:4318/v1/traces"),
        ("http://host:4318/", "http://host:4318/v1/traces"),
        ("https://host/otlp/v1/traces", "https://host/otlp/v1/traces"),
    ],
)
def test_a_base_address_gets_the_usual_path(given, used):
    assert traces_url(given) == used
