"""What the documentation says is true: its examples run, its reference is current, its links lead somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
WITH_CODE = [page for page in PAGES if "```python" in page.read_text(encoding="utf-8")]
PAPERS = {
    "gaze.md": "# Gaze palsy in progressive supranuclear palsy\n\nPET showed reduced midbrain uptake in progressive "
    "supranuclear palsy. A vertical gaze palsy was seen in ten of twelve patients.\n",
    "lewy.md": "# Dementia with Lewy bodies\n\nOccipital uptake was low in dementia with Lewy bodies.\n",
}


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: page.name)
def test_the_examples_of_a_page_run_in_order(page, tmp_path):
    (tmp_path / "papers").mkdir()
    for name, text in PAPERS.items():
        (tmp_path / "papers" / name).write_text(text, encoding="utf-8")
    code = "\n".join(re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL))
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_reference_of_commands_and_settings_is_current():
    done = subprocess.run(
        [sys.executable, "scripts/reference.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=lambda page: page.name)
def test_every_link_between_pages_leads_to_a_file_and_its_heading(page):
    for target, heading in re.findall(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)", page.read_text(encoding="utf-8")):
        file = page.parent / target if target else page
        assert file.exists(), target
        assert not heading or heading in _headings(file), f"{target}#{heading}"


def _headings(page: Path) -> set[str]:
    """The anchors of a page, as GitHub names them."""
    titles = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


ARCHITECTURE = ROOT / "docs" / "architecture.md"
HOUSE = ROOT / "src" / "litloop"


def test_every_path_that_the_architecture_names_exists():
    text = ARCHITECTURE.read_text(encoding="utf-8")
    named = set(re.findall(r"[`\s]((?:[a-z_]+/)+(?:[a-z_]+\.[a-z]+|[a-z_-]+/[a-z_-]+\.tsx)?|[a-z_]+\.py)[`\s,]", text))
    assert len(named) > 60
    gone = sorted(path for path in named if not (HOUSE / path).exists() and not (ROOT / path).exists())
    assert gone == []


def test_the_architecture_has_a_row_for_every_package():
    rows = set(re.findall(r"^\| `([a-z_.]+)/?` \|", ARCHITECTURE.read_text(encoding="utf-8"), re.MULTILINE))
    packages = {path.parent.name for path in HOUSE.glob("*/__init__.py")}
    modules = {path.name for path in HOUSE.glob("*.py") if not path.name.startswith("__")}
    assert packages | modules <= rows


def test_the_packaged_corpus_keeps_its_promises():
    import json
    from collections import Counter

    lines = (ROOT / "src/litloop/domains/neurology/corpus.jsonl").read_text(encoding="utf-8").rstrip("\n").split("\n")
    rows = [json.loads(line) for line in lines]
    assert len(rows) >= 140
    assert all(60 <= len(row["summary"].split()) <= 110 and row["summary_by"] == "litloop" for row in rows)
    conditions = Counter(
        c for r in rows for c in (r["condition"] if isinstance(r["condition"], list) else [r["condition"]])
    )
    assert len(conditions) == 14
    assert sum(4 <= count <= 6 for count in conditions.values()) == 3
