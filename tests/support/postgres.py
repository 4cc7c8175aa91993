"""A real PostgreSQL for the tests that need one: started on a free port, thrown away at the end.

PostgreSQL refuses to run as root, so root starts it as the user `nobody`, from a copy of the program that everyone
may reach.
"""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

USER = "postgres"


@contextmanager
def postgres_server() -> Iterator[str]:
    """The address of a running server, `postgresql://…`."""
    import pg0

    home = Path(tempfile.mkdtemp(prefix="litloop-postgres-"))
    program = Path(shutil.copy(Path(pg0.__file__).parent / "bin" / "pg0", home / "pg0"))
    program.chmod(0o755)
    home.chmod(0o755)
    as_user: dict[str, Any] = {}
    if os.geteuid() == 0:
        nobody = pwd.getpwnam("nobody")
        os.chown(home, nobody.pw_uid, nobody.pw_gid)
        as_user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}

    def run(*words: str) -> None:
        done = subprocess.run(
            [str(program), *words], cwd=home, env={"HOME": str(home), "PATH": os.environ.get("PATH", "")},
            capture_output=True, timeout=120, check=False, **as_user,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr.decode() or done.stdout.decode()

    port = _free_port()
    try:
        run("start", "--port", str(port), "--data-dir", str(home / "data"), "-c", "fsync=off")
        yield f"postgresql://{USER}:{USER}@127.0.0.1:{port}/{USER}"
    finally:
        run("stop")
        shutil.rmtree(home, ignore_errors=True)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
