"""A newcomer finds each benchmark by its README, and what the pages name is there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
BENCHMARKS = ROOT / "benchmarks"
PAGES = sorted([*BENCHMARKS.rglob("README.md"), ROOT / "docs" / "experiments.md", ROOT / "Makefile"])
MODULES = sorted(BENCHMARKS.rglob("*.py"))
PEERS = {"peers", "peer.py"}  # run in the environments of other programs, by their paths


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT).with_suffix("")).replace("/", ".")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_that_a_page_names_is_a_module_that_runs(page):
    for module in re.findall(r"-m (benchmarks[\w.]*\w)", page.read_text(encoding="utf-8")):
        found = ROOT / module.replace(".", "/")
        script = found / "__main__.py" if found.is_dir() else found.with_suffix(".py")
        assert script.is_file(), module
        assert '__name__ == "__main__"' in script.read_text(encoding="utf-8"), module


@pytest.mark.parametrize("page", [page for page in PAGES if page.suffix], ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_to_a_file(page):
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_every_script_that_can_be_run_stands_in_a_readme():
    told = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    for path in MODULES:
        if PEERS & set(path.parts) or '__name__ == "__main__"' not in path.read_text(encoding="utf-8"):
            continue
        name = name_of(path).removesuffix(".__main__")
        assert re.search(rf"\b{re.escape(name)}\b(?!\.)", told), name


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_nothing_imports_a_main_module(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        imported = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        imported += [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
        assert not any("__main__" in name for name in imported), ast.unparse(node)


def test_training_writes_weights_where_the_product_reads_them():
    from benchmarks.training import fit_sentence_scores
    from benchmarks.training.calibration import fit_confidence, fit_relevance
    from benchmarks.training.verification import train

    for target in (fit_sentence_scores.WEIGHTS, fit_confidence.TARGET, fit_relevance.TARGET, train.OUTPUT):
        assert target.is_file(), target


def test_measuring_and_timing_do_not_depend_on_training():
    for path in MODULES:
        part = path.relative_to(BENCHMARKS).parts[0]
        if part in ("quality", "speed", "material"):
            source = path.read_text(encoding="utf-8")
            assert "from benchmarks.training" not in source, path
            assert part != "material" or not re.search(r"from benchmarks\.(quality|speed)", source), path
