"""Import, help, and the first search and the first answer of a process, on the demo library, as a user meets them.

With the bytecode that installing leaves. `uncompiled`: where writing it is forbidden, so that every start compiles what
was installed so.
"""

from __future__ import annotations

import os
import subprocess
import sys

from benchmarks.speed.extent import Extent, Place
from benchmarks.speed.timing import command_seconds

QUESTION = "midbrain hypometabolism"


def measure(extent: Extent, place: Place) -> dict[str, float]:
    library = str(place.work / "demo")
    litloop = [sys.executable, "-m", "litloop"]
    subprocess.run([*litloop, "demo", "--library", library], capture_output=True, check=True)
    bare = {name: value for name, value in os.environ.items() if not name.startswith("PYTHONDONTWRITE")}
    installed = {**bare, "PYTHONPYCACHEPREFIX": str(place.work / "bytecode")}
    uncompiled = {**bare, "PYTHONDONTWRITEBYTECODE": "1"}
    search = [*litloop, "search", QUESTION, "--library", library]
    return {
        "bare_python_s": command_seconds([sys.executable, "-c", "pass"], installed),
        "import_s": command_seconds([sys.executable, "-c", "import litloop"], installed),
        "help_s": command_seconds([*litloop, "--help"], installed),
        "cold_search_s": command_seconds(search, installed),
        "cold_ask_s": command_seconds([*litloop, "ask", QUESTION, "--library", library], installed),
        "help_uncompiled_s": command_seconds([*litloop, "--help"], uncompiled),
        "cold_search_uncompiled_s": command_seconds(search, uncompiled),
    }
