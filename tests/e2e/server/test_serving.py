"""`litloop serve`, as a person or a service manager runs it."""

from __future__ import annotations

import signal
import socket
import time

import httpx
import pytest

from litloop.server.sessions import hash_of
from support.cli import HASHING, litloop
from support.serving import serving


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_says_where_it_is_and_ends_cleanly_when_told_to(tmp_path, number):
    with serving(tmp_path / "library", "--create") as (told, process):
        assert httpx.get(f"{told['url']}/health", timeout=60).json()["version"]
        upload = httpx.post(f"{told['url']}/ingest", files=[("files", ("a.txt", b"Sleep was short."))], timeout=60)
        job = upload.json()["job_id"]
        until = time.monotonic() + 60
        while httpx.get(f"{told['url']}/jobs/{job}").json()["state"] != "done" and time.monotonic() < until:
            time.sleep(0.1)
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0
        assert "Traceback" not in errors
    status = litloop("status", "--library", tmp_path / "library", "--json", env=HASHING)
    assert status.json()["collections"][0]["papers"] == 1


def test_beyond_this_machine_it_wants_a_key(tmp_path):
    refused = litloop("serve", "--library", tmp_path / "l", "--create", "--host", "0.0.0.0", env=HASHING)
    assert refused.code == 2
    assert "litloop serve --new-key" in refused.err
    assert "Traceback" not in refused.err
    made = litloop("serve", "--new-key", "--json").json()
    assert made["sha256"] == hash_of(made["key"])
    keys = {"LITLOOP_SERVER__API_KEYS": made["sha256"]}
    with serving(tmp_path / "l", "--host", "0.0.0.0", env=keys) as (told, _):
        url = told["url"].replace("0.0.0.0", "127.0.0.1")
        assert httpx.get(f"{url}/collections").status_code == 401
        assert httpx.get(f"{url}/collections", headers={"X-API-Key": made["key"]}).status_code == 200


def test_a_port_that_is_taken_and_a_library_that_is_absent_are_sentences(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = litloop("serve", "--library", tmp_path / "l", "--create", "--port", port, env=HASHING)
    assert refused.code == 2
    assert f"port {port}" in refused.err
    absent = litloop("serve", "--library", tmp_path / "nothing")
    assert absent.code == 2
    assert "litloop init" in absent.err
