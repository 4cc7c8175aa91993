"""What a release promises in its metadata: a version with a dated section, and extras that exist."""

from __future__ import annotations

import re
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

from litloop import __version__

ROOT = Path(__file__).resolve().parents[2]
HEADING = re.compile(r"^## \[(?P<name>[^\]]+)\](?: - (?P<date>\d{4}-\d{2}-\d{2}))?$", re.MULTILINE)


def test_the_changelog_has_a_dated_section_for_this_version_under_unreleased():
    headings = [
        (found["name"], found["date"]) for found in HEADING.finditer((ROOT / "CHANGELOG.md").read_text("utf-8"))
    ]
    assert headings[0] == ("Unreleased", None)
    assert headings[1][0] == __version__
    assert all(date for _, date in headings[1:])


def test_a_section_of_the_changelog_has_each_kind_of_change_once():
    for part in re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text("utf-8"), flags=re.M)[1:]:
        kinds = re.findall(r"^### (.+)$", part, re.M)
        assert len(kinds) == len(set(kinds)), part[:30]


SECURITY = (ROOT / "SECURITY.md").read_text("utf-8")


@pytest.mark.parametrize("module", sorted(set(re.findall(r"`(litloop\.[\w.]+)`", SECURITY)) - {"litloop.toml"}))
def test_the_security_policy_names_modules_that_are_there(module):
    assert find_spec(module) is not None


def test_the_security_policy_supports_the_version_at_hand():
    assert f"| {'.'.join(__version__.split('.')[:2])} | yes |" in SECURITY


def test_the_pyproject_names_only_files_that_are_there():
    sdist = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]["sdist"]
    assert [name for name in sdist["include"] if not (ROOT / name.lstrip("/")).exists()] == []
