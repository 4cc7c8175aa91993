from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from litloop.server.app import create_app
from litloop.server.reference import reference_page

ROOT = Path(__file__).resolve().parents[3]


def test_the_pages_copy_of_the_contract_is_current():
    # If this fails: python scripts/openapi.py
    check = [sys.executable, "scripts/openapi.py", "--check"]
    done = subprocess.run(check, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_every_route_describes_itself_and_its_errors():
    document = create_app(None).openapi()
    for path, methods in document["paths"].items():
        for method, route in methods.items():
            where = f"{method} {path}"
            assert route.get("description"), where
            for status, response in route["responses"].items():
                if status.startswith("4"):
                    assert "application/problem+json" in response["content"], where


def test_no_reference_leads_nowhere():
    document = create_app(None).openapi()
    text = json.dumps(document)
    for name in {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}:
        assert name in document["components"]["schemas"]


def test_every_example_of_a_body_is_a_body():
    document = create_app(None).openapi()
    from litloop.server.schemas.asking import QueryRequest
    from litloop.server.schemas.collections import NewCollection
    from litloop.server.schemas.searching import SearchBody

    for model in (QueryRequest, SearchBody, NewCollection):
        examples = document["components"]["schemas"][model.__name__]["examples"]
        assert examples
        for example in examples:
            model.model_validate(example)


def test_the_reference_escapes_what_the_document_says():
    document = {"info": {"version": "1", "description": "<b>"}, "paths": {}, "components": {"schemas": {}}}
    assert "<b>" not in reference_page(document)
