"""The server under load, shortly, beside Neural_search's recipe behind the same framework (`benchmarks.speed.load`)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from benchmarks.places import ROOT
from benchmarks.speed.environments import NotInstalled, environment
from benchmarks.speed.extent import Extent, Place


def measure(extent: Extent, place: Place) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.speed.load", "--print-only", "--data", str(place.data),
               "--work", str(place.work), "--clients", str(extent.clients), "--seconds", str(extent.load_s),
               "--requests", str(extent.requests)]  # fmt: skip
    missing = {}
    try:
        command += ["--peer", environment("recipe").python]
    except NotInstalled as error:
        missing = {"peer": {"not_measured": str(error)}}
    done = subprocess.run(command, cwd=ROOT, env=dict(os.environ), capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"benchmarks.speed.load failed:\n{done.stderr[-2000:]}")
    return {**json.loads(done.stdout), **missing}
