from __future__ import annotations

import base64
import hashlib
from pathlib import Path

import pytest

from litloop.server.site import Site, inline_scripts, policy

PAGE = """<!doctype html><html><head><script src="/_next/static/a.js" async=""></script></head>
<body><script>self.__next_f=[1,"<b>&amp;"]</script><p>text</p><script>
  two()
</script><script type="module" src="x.js"></script></body></html>"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "_next" / "static").mkdir(parents=True)
    (tmp_path / "index.html").write_text(PAGE, encoding="utf-8")
    (tmp_path / "runs.html").write_text("<p>runs</p>", encoding="utf-8")
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / "index.html").write_text("<p>library</p>", encoding="utf-8")
    (tmp_path / "_next" / "static" / "a.js").write_text("1", encoding="utf-8")
    return tmp_path


def scope(path: str, accept: str = "*/*", method: str = "GET") -> dict:
    return {"type": "http", "method": method, "path": path, "headers": [(b"accept", accept.encode())]}


def test_inline_scripts_are_taken_exactly_as_they_stand():
    assert inline_scripts(PAGE) == ('self.__next_f=[1,"<b>&amp;"]', "\n  two()\n")


def test_a_page_may_run_its_own_inline_scripts_and_no_others(folder):
    said = Site(folder).response("/").headers["content-security-policy"]
    for script in inline_scripts(PAGE):
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in said
    assert said.count("sha256-") == 2
    assert "unsafe" not in said
    assert "sha256" not in Site(folder).response("/runs").headers["content-security-policy"]


def test_an_address_that_a_page_shares_with_a_route_is_the_pages_for_a_browser_only(folder):
    site = Site(folder)
    assert site.holds(scope("/runs", "text/html,application/xhtml+xml"))
    assert not site.holds(scope("/runs", "application/json"))
    assert not site.holds(scope("/runs"))
    assert not site.holds(scope("/library", "text/html", method="POST"))
    assert site.holds(scope("/library/", "text/html"))
    assert site.holds(scope("/_next/static/a.js"))


@pytest.mark.parametrize("path", ["/../secret", "/_next/../../secret", "/%2e%2e/secret", "//etc/passwd", "/_next", ""])
def test_nothing_outside_the_build_is_held(folder, path):
    (folder.parent / "secret").write_text("x")
    assert not Site(folder).holds(scope(path, "text/html"))


def test_built_files_are_kept_for_ever_and_pages_are_asked_for_each_time(folder):
    site = Site(folder)
    assert "immutable" in site.response("/_next/static/a.js").headers["cache-control"]
    assert site.response("/").headers["cache-control"] == "no-cache"


def test_without_a_build_the_page_says_how_to_make_one(tmp_path):
    site = Site(tmp_path / "nothing")
    assert not site.built
    assert site.holds(scope("/"))
    assert b"make wheel" in site.response("/").body
    assert site.response("/").headers["content-security-policy"] == policy(())
