"""A wheel carries the page: built, installed elsewhere, and served without Node."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import httpx
import pytest

from support.serving import serving

ROOT = Path(__file__).resolve().parents[3]
PAGE = '<!doctype html><script>one()</script><p>The page</p><script src="/_next/static/a.js"></script>'


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    """A copy of what a wheel is built from, with a small page in place of the real one."""
    copy = tmp_path_factory.mktemp("project")
    for name in ("pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", ".gitignore"):
        shutil.copy(ROOT / name, copy / name)
    shutil.copytree(ROOT / "src", copy / "src", ignore=shutil.ignore_patterns("__pycache__", "static"))
    static = copy / "src" / "litloop" / "server" / "static"
    (static / "_next" / "static").mkdir(parents=True)
    (static / "index.html").write_text(PAGE, encoding="utf-8")
    (static / "_next" / "static" / "a.js").write_text("two()", encoding="utf-8")
    return copy


@pytest.fixture(scope="module")
def python(project, tmp_path_factory) -> Path:
    """An interpreter that has litloop from the wheel, and everything else from this environment."""
    folder = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    subprocess.run([*pip, "wheel", "--no-deps", "-w", str(folder), str(project)], check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
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


def test_an_installed_wheel_serves_its_page(python, tmp_path):
    where = [str(python), "-c", "import litloop; print(litloop.__file__)"]
    found = subprocess.run(where, check=True, capture_output=True, text=True, cwd=tmp_path).stdout
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
