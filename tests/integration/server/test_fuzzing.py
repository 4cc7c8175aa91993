"""Every field of every route, fuzzed from the OpenAPI document: whatever is sent, no 500 comes back, what comes back is
described there, and an error is a sentence."""

from __future__ import annotations

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance

from litloop.server.app import create_app
from litloop.testing.scholarly_world import scholarly_world
from support.scholarly_world import small_literature
from support.served import neurology_library, served

EXAMPLES = 12  # of each route, positive and negative: the whole stays under a minute
SETTINGS = settings(
    max_examples=EXAMPLES, deadline=None, derandomize=True, database=None, phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)  # fmt: skip


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    """A server whose databases stand on loopback: what is fuzzed must not reach anyone else."""
    with scholarly_world(small_literature()) as world:
        scholarly = world.settings(attempts=1, breaker_failures=1000, arxiv={"enabled": False})
        folder = tmp_path_factory.mktemp("fuzzed") / "library"
        unlimited = {"query_limit": "", "atlas_limit": "", "upload_limit": ""}
        settings = {"scholarly": scholarly, "full_text": {"enabled": False}, "server": unlimited}
        with neurology_library(folder, **settings) as library, served(library) as base:
            yield base


schema = schemathesis.openapi.from_dict(create_app(None).openapi())


@schema.parametrize()
@SETTINGS
def test_no_request_makes_the_server_fail(case, url):
    response = case.call(base_url=url)
    checks = [not_a_server_error]
    if "text/event-stream" not in response.headers.get("content-type", [""])[0]:
        checks += [content_type_conformance, response_schema_conformance]
    case.validate_response(response, checks=checks)
    if response.status_code >= 400:
        problem = response.json()
        assert problem["status"] == response.status_code
        assert problem["detail"]
        assert "Traceback" not in response.text
