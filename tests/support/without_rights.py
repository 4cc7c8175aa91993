"""Finds or reads a path as a user who has no right to it: as root, becomes nobody first.

python without_rights.py find|read <path>
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NOBODY = 65534


def tried(what: str, path: Path) -> dict[str, Any]:
    """What finding or reading came to in a process without rights: `may_read`, `kind` and `message`."""
    done = subprocess.run(
        [sys.executable, __file__, what, str(path)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


@contextmanager
def open_folder() -> Iterator[Path]:
    """A folder that every user of the machine may enter, unlike pytest's own."""
    folder = Path(tempfile.mkdtemp(prefix="litloop-test-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        for path in folder.rglob("*"):
            path.chmod(0o755)
        shutil.rmtree(folder)


def main(what: str, path: Path) -> None:
    from litloop.core.errors import SourceError
    from litloop.reading import read_file
    from litloop.reading.discovery import find_files

    with tempfile.TemporaryDirectory() as scratch:  # load every module while this process may still read them
        sample = Path(scratch, "sample.txt")
        sample.write_text("A sentence to read.", encoding="utf-8")
        read_file(find_files([scratch]).files[0])
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    told: dict[str, Any] = {"may_read": os.access(path, os.R_OK), "kind": None, "message": ""}
    if what == "find":
        problems = find_files([path]).problems
        told |= {"kind": problems[0].kind, "message": problems[0].message} if problems else {}
    else:
        try:
            read_file(path)
        except SourceError as error:
            told |= {"kind": error.kind, "message": str(error)}
    print(json.dumps(told))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
