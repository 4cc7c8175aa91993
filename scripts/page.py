"""Builds the page and lays it where the server finds it. Does nothing when the page there was built from these sources.

python scripts/page.py            build when absent or stale
python scripts/page.py --check    exit 1 when absent or stale, build nothing
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock

ROOT = Path(__file__).resolve().parent.parent
WEB = ROOT / "web"
STATIC = ROOT / "src" / "litloop" / "server" / "static"
STAMP = ".built-from"
SOURCES = ("app", "components", "lib", "public")
FILES = ("next.config.ts", "package-lock.json", "postcss.config.mjs", "tsconfig.json")


class NotBuilt(Exception):
    """The page could not be built; the message says what npm said."""


def main() -> int:
    if "--check" in sys.argv:
        if not current():
            print("The page was not built from these sources: run make page.")
            return 1
        return 0
    try:
        ensure_page()
    except NotBuilt as reason:
        sys.exit(str(reason))
    print(f"The page stands in {STATIC.relative_to(ROOT)}.")
    return 0


def ensure_page() -> Path:
    """The folder of the built page, built first where it must be. Several processes may ask at once."""
    with FileLock(WEB / ".building.lock", timeout=900):
        if not current():
            install_packages()
            build()
    return STATIC


def current() -> bool:
    stamp = STATIC / STAMP
    return stamp.is_file() and stamp.read_text(encoding="utf-8") == sources_hash()


def install_packages() -> None:
    """What the lock says, unless that is what stands there. npm leaves a copy of the lock behind when it is done."""
    installed, lock = WEB / "node_modules" / ".litloop-lock", WEB / "package-lock.json"
    if installed.is_file() and installed.read_bytes() == lock.read_bytes():
        return
    npm("ci", "--no-audit", "--no-fund", "--no-progress")
    shutil.copyfile(lock, installed)


def build() -> None:
    npm("run", "--silent", "build")
    fresh = STATIC.with_name("static.new")
    shutil.rmtree(fresh, ignore_errors=True)
    shutil.copytree(WEB / "out", fresh)
    (fresh / STAMP).write_text(sources_hash(), encoding="utf-8")
    shutil.rmtree(STATIC, ignore_errors=True)
    fresh.rename(STATIC)


def npm(*arguments: str) -> None:
    program = shutil.which("npm")
    if program is None:
        raise NotBuilt("Building the page needs Node 20.9 or later with npm: make node, or see nodejs.org.")
    environment = {**os.environ, "NEXT_TELEMETRY_DISABLED": "1", "CI": "1"}
    done = subprocess.run([program, *arguments], cwd=WEB, env=environment, text=True, capture_output=True, check=False)
    if done.returncode:
        raise NotBuilt(f"npm {' '.join(arguments)} failed:\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}")


def sources_hash() -> str:
    digest = hashlib.sha256()
    for file in _sources():
        digest.update(file.relative_to(WEB).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def _sources() -> Iterator[Path]:
    yield from (WEB / name for name in FILES)
    for folder in SOURCES:
        yield from sorted(file for file in (WEB / folder).rglob("*") if file.is_file())


if __name__ == "__main__":
    sys.exit(main())
