"""Where the benchmarks find their data and put their results."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LITLOOP = ROOT / "src" / "litloop"  # where trained weights are written
TRAINING_RESULTS = ROOT / "benchmarks" / "training" / "results"
QUALITY_RESULTS = ROOT / "benchmarks" / "quality" / "results"
SPEED_RESULTS = ROOT / "benchmarks" / "speed" / "results"
BASELINES = ROOT / "benchmarks" / "quality" / "baselines"


def data_folder() -> Path:
    """The folder of test data: LITLOOP_TEST_DATA, else `shared/data` beside the project."""
    return Path(os.environ.get("LITLOOP_TEST_DATA", ROOT.parent / "shared" / "data"))
