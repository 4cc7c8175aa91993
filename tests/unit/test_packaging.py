"""What a release promises in its metadata: a version with a dated section, and extras that exist."""

from __future__ import annotations

import re
from pathlib import Path

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
