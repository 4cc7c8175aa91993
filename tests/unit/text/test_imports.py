"""What cutting sentences needs, and no more."""

from __future__ import annotations

import subprocess
import sys


def test_cutting_sentences_loads_nothing_else() -> None:
    code = (
        "import sys, litloop.text.sentences\n"
        "heavy = {'numpy', 'pydantic', 'litloop.text.units', 'litloop.text.markers'} & set(sys.modules)\n"
        "print(sorted(heavy))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
