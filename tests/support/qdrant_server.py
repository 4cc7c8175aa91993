"""Qdrant's HTTP interface on loopback over the client's own in-process engine, as far as litloop uses it.

No Qdrant server can be had where the tests run. This one answers the real client's real requests, remembers between
connections as a server does, and can be told to fail. What only a live cluster can show is in docs/scale.md.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from pydantic import BaseModel, TypeAdapter
from qdrant_client import QdrantClient, models

Route = tuple[str, str, str]

ROUTES: tuple[Route, ...] = (
    ("GET", r"/collections", "collections"),
    ("GET", r"/collections/(?P<name>[^/]+)/exists", "exists"),
    ("PUT", r"/collections/(?P<name>[^/]+)", "create"),
    ("DELETE", r"/collections/(?P<name>[^/]+)", "delete_collection"),
    ("PUT", r"/collections/(?P<name>[^/]+)/index", "index"),
    ("POST", r"/collections/aliases", "change_aliases"),
    ("GET", r"/aliases", "aliases"),
    ("PUT", r"/collections/(?P<name>[^/]+)/points", "upsert"),
    ("POST", r"/collections/(?P<name>[^/]+)/points/delete", "delete"),
    ("POST", r"/collections/(?P<name>[^/]+)/points/count", "count"),
    ("POST", r"/collections/(?P<name>[^/]+)/points/scroll", "scroll"),
    ("POST", r"/collections/(?P<name>[^/]+)/points/query", "query"),
    ("POST", r"/collections/(?P<name>[^/]+)/points/query/batch", "query_each"),
    ("POST", r"/collections/(?P<name>[^/]+)/points", "retrieve"),
)
_WRITTEN = {"operation_id": 0, "status": "completed"}


class QdrantServer:
    """`fail_next` answers that many requests with `fail_status`; `seen` keeps (method, path) of each."""

    def __init__(self) -> None:
        self._client = QdrantClient(":memory:")
        self._turn = threading.Lock()
        self.seen: list[tuple[str, str]] = []
        self.indexed: list[dict[str, Any]] = []
        self.created: list[dict[str, Any]] = []
        self.fail_next, self.fail_status = 0, 503
        self.url = ""

    def answer(self, method: str, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        with self._turn:
            self.seen.append((method, path))
            if self.fail_next > 0:
                self.fail_next -= 1
                return self.fail_status, {"status": {"error": "told to fail"}}
            for verb, pattern, handler in ROUTES:
                if method == verb and (found := re.fullmatch(pattern, path)):
                    return 200, {"result": getattr(self, handler)(body, **found.groupdict()), "status": "ok", "time": 0}
        return 404, {"status": {"error": f"no route for {method} {path}"}}

    def collections(self, body: dict[str, Any]) -> Any:
        return self._client.get_collections()

    def exists(self, body: dict[str, Any], name: str) -> Any:
        return {"exists": self._client.collection_exists(name)}

    def create(self, body: dict[str, Any], name: str) -> Any:
        self.created.append({"name": name, **body})
        asked = models.CreateCollection.model_validate(body)
        return self._client.create_collection(
            name, vectors_config=asked.vectors or {}, sparse_vectors_config=asked.sparse_vectors
        )

    def delete_collection(self, body: dict[str, Any], name: str) -> Any:
        return self._client.delete_collection(name)

    def index(self, body: dict[str, Any], name: str) -> Any:
        self.indexed.append({"name": name, **body})
        return _WRITTEN

    def change_aliases(self, body: dict[str, Any]) -> Any:
        asked = models.ChangeAliasesOperation.model_validate(body)
        return self._client.update_collection_aliases(asked.actions)

    def aliases(self, body: dict[str, Any]) -> Any:
        return self._client.get_aliases()

    def upsert(self, body: dict[str, Any], name: str) -> Any:
        self._client.upsert(name, TypeAdapter(list[models.PointStruct]).validate_python(body["points"]))
        return _WRITTEN

    def delete(self, body: dict[str, Any], name: str) -> Any:
        self._client.delete(name, points_selector=body["points"])
        return _WRITTEN

    def count(self, body: dict[str, Any], name: str) -> Any:
        return self._client.count(name, count_filter=_filter(body), exact=True)

    def scroll(self, body: dict[str, Any], name: str) -> Any:
        points, after = self._client.scroll(name, limit=body["limit"], offset=body.get("offset"), with_payload=False)
        return {"points": points, "next_page_offset": after}

    def retrieve(self, body: dict[str, Any], name: str) -> Any:
        return self._client.retrieve(
            name, body["ids"], with_payload=body.get("with_payload"), with_vectors=body.get("with_vector", False)
        )

    def query(self, body: dict[str, Any], name: str) -> Any:
        asked = models.QueryRequest.model_validate(body)
        return self._client.query_batch_points(name, requests=[asked])[0]

    def query_each(self, body: dict[str, Any], name: str) -> Any:
        asked = [models.QueryRequest.model_validate(one) for one in body["searches"]]
        return self._client.query_batch_points(name, requests=asked)


def _filter(body: dict[str, Any]) -> models.Filter | None:
    return models.Filter.model_validate(body["filter"]) if body.get("filter") else None


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return _plain(value.model_dump(mode="json"))
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value


@contextmanager
def qdrant_server() -> Iterator[QdrantServer]:
    server = QdrantServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _any(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            body = json.loads(self.rfile.read(length)) if length else {}
            status, reply = server.answer(self.command, self.path.partition("?")[0], body)
            sent = json.dumps(_plain(reply)).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        do_GET = do_PUT = do_POST = do_DELETE = _any

        def log_message(self, format: str, *args: Any) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, daemon=True)
    thread.start()
    server.url = f"qdrant://127.0.0.1:{http.server_port}"
    try:
        yield server
    finally:
        http.shutdown()
        http.server_close()
        thread.join()
