"""A wheel carries the page: built, installed elsewhere, and served without Node."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import time
import zipfile
from collections.abc import Mapping
from pathlib import Path

import httpx
import pytest

from litloop.core.settings import Settings
from support.cli import HASHING
from support.serving import serving

ROOT = Path(__file__).resolve().parents[3]
PAGE = '<!doctype html><script>one()</script><p>The page</p><script src="/_next/static/a.js"></script>'
INDEX = "litloop/server/static/index.html"
# Stands in for npm: its `ci` takes what the registry gives, its build leaves the page in web/out.
NPM = """#!/bin/sh
case "$1" in
  ci) mkdir -p node_modules ;;
  run) mkdir -p out && echo "<p>Built now</p>" > out/index.html ;;
esac
"""


def copied(folder: Path) -> Path:
    """What a wheel is built from, without a page."""
    for name in ("pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", ".gitignore", "scripts/hatch_build.py",
                 "scripts/page.py"):  # fmt: skip
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, target)
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__", "static"))
    return folder


def with_web_sources(project: Path) -> Path:
    """As a clone has them; their content is npm's to understand."""
    (project / "web").mkdir()
    for name in ("package.json", "next.config.ts", "package-lock.json", "postcss.config.mjs", "tsconfig.json"):
        (project / "web" / name).write_text("{}", encoding="utf-8")
    return project


def wheel_of(project: Path, folder: Path, env: Mapping[str, str] | None = None) -> tuple[Path, str]:
    """The wheel, and what building it said."""
    command = [sys.executable, "-m", "uv", "build", "--wheel", "--out-dir", str(folder), str(project)]
    built = subprocess.run(command, check=False, capture_output=True, text=True, env={**os.environ, **(env or {})})
    assert built.returncode == 0, built.stderr
    (wheel,) = folder.glob("*.whl")
    return wheel, built.stderr


def installed_beside(wheel: Path, folder: Path) -> Path:
    """An interpreter that has litloop from the wheel, and everything else from this environment."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / "env")], check=True)
    python = folder / "env" / "bin" / "python"
    install = [*pip, "--python", str(python), "install", "--no-deps", str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    home = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    Path(home, "others.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return python


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    """A project with a small page in place of the real one."""
    project = copied(tmp_path_factory.mktemp("project"))
    static = project / "src" / "litloop" / "server" / "static"
    (static / "_next" / "static").mkdir(parents=True)
    (static / "index.html").write_text(PAGE, encoding="utf-8")
    (static / "_next" / "static" / "a.js").write_text("two()", encoding="utf-8")
    return project


def test_an_installed_wheel_serves_its_page(project, tmp_path):
    wheel, said = wheel_of(project, tmp_path / "wheel")
    assert "no web page" not in said
    python = installed_beside(wheel, tmp_path)
    where = [str(python), "-c", "import litloop; print(litloop.__file__)"]
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    found = subprocess.run(where, check=True, capture_output=True, text=True, cwd=tmp_path, env=clean).stdout
    assert str(python.parent.parent) in found
    with serving(tmp_path / "library", "--create", python=python) as (told, _):
        assert told["page"] is True
        page = httpx.get(f"{told['url']}/", timeout=60)
        assert page.text == PAGE
        assert "sha256-" in page.headers["content-security-policy"]
        script = httpx.get(f"{told['url']}/_next/static/a.js")
        assert script.text == "two()"
        assert "immutable" in script.headers["cache-control"]
        assert httpx.get(f"{told['url']}/collections").json()["count"] == 0


def test_a_fresh_environment_needs_the_server_extra_and_nothing_else(project, tmp_path):
    uv, python = [sys.executable, "-m", "uv"], tmp_path / "fresh" / "bin" / "python"
    subprocess.run([*uv, "venv", "--quiet", "--python", sys.executable, str(tmp_path / "fresh")], check=True)
    versions = tmp_path / "versions.txt"
    locked = re.findall(r"^[\w.-]+==[^\s\\]+(?: ;[^\\\n]+)?", (ROOT / "requirements/dev.lock").read_text("utf-8"), re.M)
    versions.write_text("\n".join(locked), encoding="utf-8")
    command = [*uv, "pip", "install", "--python", str(python), "--constraint", str(versions), f"{project}[server]"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode and not os.environ.get("CI") and "error sending request" in done.stderr:
        pytest.skip("No package index can be reached.")
    assert done.returncode == 0, done.stderr
    usual = {"LITLOOP_EMBEDDING__MODEL": Settings().embedding.model}  # the embedder of an installation, not the tests'
    with serving(tmp_path / "library", "--create", python=python, env=usual) as (told, _):
        assert httpx.get(f"{told['url']}/", timeout=60).text == PAGE
        sent = [("files", ("a.txt", b"Midbrain uptake was low in all twelve patients."))]
        assert httpx.post(f"{told['url']}/ingest", files=sent, timeout=60).is_success
        found, until = "", time.monotonic() + 60
        while "Midbrain uptake was low" not in found:
            assert time.monotonic() < until, found
            time.sleep(0.2)
            found = httpx.post(f"{told['url']}/search", json={"query": "midbrain uptake"}, timeout=60).text


@pytest.mark.skipif(sys.platform == "win32", reason="stands in for npm by a shell script")
def test_installing_from_a_clone_builds_the_page_where_npm_is(tmp_path):
    project = with_web_sources(copied(tmp_path / "clone"))
    npm = tmp_path / "bin" / "npm"
    npm.parent.mkdir()
    npm.write_text(NPM, encoding="utf-8")
    npm.chmod(0o755)
    path = f"{npm.parent}{os.pathsep}{os.environ['PATH']}"
    wheel, said = wheel_of(project, tmp_path / "wheel", {"PATH": path})
    assert zipfile.ZipFile(wheel).read(INDEX) == b"<p>Built now</p>\n"
    assert "no web page" not in said
    left, _ = wheel_of(with_web_sources(copied(tmp_path / "b")), tmp_path / "w", {"PATH": path, "BUILD_PAGE": "0"})
    assert INDEX not in zipfile.ZipFile(left).namelist()


def test_without_npm_the_wheel_and_the_server_say_how_to_get_the_page(tmp_path):
    project = with_web_sources(copied(tmp_path / "clone"))
    wheel, said = wheel_of(project, tmp_path / "wheel", {"PATH": str(Path(sys.executable).parent)})
    assert INDEX not in zipfile.ZipFile(wheel).namelist()
    assert "carries no web page" in said
    python = installed_beside(wheel, tmp_path)
    with serving(tmp_path / "library", "--create", python=python) as (told, _):
        assert told["page"] is False
        assert "make wheel" in httpx.get(f"{told['url']}/", timeout=60).text
    command = [str(python), "-m", "litloop", "serve", "--library", str(tmp_path / "library"), "--port", "0"]
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    server = subprocess.Popen(command, cwd=tmp_path, env={**clean, **HASHING}, stderr=subprocess.PIPE, text=True)
    try:
        assert server.stderr is not None
        assert "This installation has no web page" in server.stderr.readline()
    finally:
        server.terminate()
        server.communicate(timeout=60)
