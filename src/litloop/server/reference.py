"""`/docs`: the routes for people, written from the OpenAPI document. No script, nothing from elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from fastapi import FastAPI
from starlette.responses import HTMLResponse, Response

_POLICY = "default-src 'none'; style-src 'self'; frame-ancestors 'none'; base-uri 'none'"
_STYLE = """\
:root { color-scheme: light dark; --rule: #8884; --accent: #0a5c73; }
@media (prefers-color-scheme: dark) { :root { --accent: #6cc7e0; } }
body { font: 16px/1.55 Georgia, 'Times New Roman', serif; max-width: 54rem; margin: 2.5rem auto; padding: 0 1rem; }
h1 { font-weight: 400; } h2 { border-top: 1px solid var(--rule); padding-top: 1.2rem; font-weight: 400; }
code, pre { font: 13px/1.5 ui-monospace, Menlo, Consolas, monospace; }
pre { overflow-x: auto; padding: .7rem .9rem; border: 1px solid var(--rule); border-radius: 4px; }
.route { margin: 1.6rem 0; } .route > h3 { font: 600 15px ui-monospace, Menlo, Consolas, monospace; margin-bottom: 0; }
.method { color: var(--accent); } table { border-collapse: collapse; font-size: 14px; } summary { cursor: pointer; }
td { border-bottom: 1px solid var(--rule); padding: .25rem .8rem .25rem 0; vertical-align: top; }
"""


def add_reference(app: FastAPI) -> None:
    @app.get("/docs", include_in_schema=False)
    def docs() -> Response:
        return HTMLResponse(reference_page(app.openapi()), headers={"Content-Security-Policy": _POLICY})

    @app.get("/docs.css", include_in_schema=False)
    def style() -> Response:
        return Response(_STYLE, media_type="text/css", headers={"Cache-Control": "no-cache"})


def reference_page(document: Mapping[str, Any]) -> str:
    """One HTML page: each route with its parameters, examples, and the statuses it answers with."""
    return "\n".join(_page(document))


def _page(document: Mapping[str, Any]) -> Iterator[str]:
    info = document["info"]
    yield "<!doctype html><html lang=en><head><meta charset=utf-8>"
    yield "<meta name=viewport content='width=device-width'><title>litloop: HTTP reference</title>"
    yield "<link rel=stylesheet href=/docs.css></head><body>"
    yield f"<h1>litloop {escape(info['version'])}: HTTP reference</h1>"
    for paragraph in info["description"].strip().split("\n\n"):
        yield f"<p>{escape(paragraph)}</p>"
    yield "<p>The same for programs: <a href=/openapi.json>/openapi.json</a>.</p>"
    last = None
    for path, method, route in _routes(document):
        tag = (route.get("tags") or ["other"])[0]
        if tag != last:
            yield f"<h2>{escape(tag.capitalize())}</h2>"
            last = tag
        yield from _route(document, path, method, route)
    yield "</body></html>"


def _routes(document: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, route in methods.items():
            yield path, method, route


def _route(document: Mapping[str, Any], path: str, method: str, route: Mapping[str, Any]) -> Iterator[str]:
    yield f"<section class=route><h3><span class=method>{method.upper()}</span> {escape(path)}</h3>"
    for paragraph in route.get("description", "").split("\n\n"):
        yield f"<p>{escape(paragraph)}</p>"
    parameters = route.get("parameters", ())
    if parameters:
        yield "<table>" + "".join(_parameter(parameter) for parameter in parameters) + "</table>"
    for kind, content in route.get("requestBody", {}).get("content", {}).items():
        yield from _body(document, f"Body ({kind})", content["schema"])
    for status, response in route.get("responses", {}).items():
        for kind, content in response.get("content", {}).items():
            if status.startswith("2") and kind == "application/json":
                yield from _body(document, f"Answer {status}", content.get("schema", {}))
    told = ", ".join(f"{status} {escape(r['description'])}" for status, r in route.get("responses", {}).items())
    yield f"<p><small>{told}</small></p></section>"


def _parameter(parameter: Mapping[str, Any]) -> str:
    schema = parameter.get("schema", {})
    kind = schema.get("type") or " or ".join(str(s.get("type", "")) for s in schema.get("anyOf", ()))
    wanted = "needed" if parameter.get("required") else f"default {json.dumps(schema.get('default'))}"
    about = parameter.get("description") or schema.get("description") or ""
    cells = (parameter["name"], parameter["in"], kind, wanted, about)
    return "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in cells) + "</tr>"


def _body(document: Mapping[str, Any], title: str, schema: Mapping[str, Any]) -> Iterator[str]:
    shape = _resolved(document, schema)
    examples = shape.get("examples") or ([shape["example"]] if "example" in shape else [])
    for example in examples:
        shown = json.dumps(example, indent=2, ensure_ascii=False)
        yield f"<p>{escape(title)}, for example:</p><pre>{escape(shown)}</pre>"
    if shape.get("properties"):
        fields = ", ".join(shape["properties"])
        yield f"<details><summary>{escape(title)}: fields</summary><pre>{escape(fields)}</pre></details>"


def _resolved(document: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    name = schema.get("$ref", "").rpartition("/")[2]
    found: Mapping[str, Any] = document["components"]["schemas"].get(name, schema)
    return found
