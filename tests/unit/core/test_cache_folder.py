from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from litloop.core.cache_folder import cache_folder, sha256_of, write_whole


def test_the_cache_folder_is_the_one_the_environment_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LITLOOP_CACHE", str(tmp_path / "deep" / "down"))
    assert cache_folder() == tmp_path / "deep" / "down"
    assert (tmp_path / "deep" / "down").is_dir()


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names its folders otherwise")
def test_without_it_the_users_own_cache_folder_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LITLOOP_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "litloop"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "litloop"


@pytest.mark.skipif(sys.platform != "win32", reason="of Windows")
def test_on_windows_it_lies_in_the_local_application_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LITLOOP_CACHE", raising=False)
    assert cache_folder() == Path.home() / "AppData" / "Local" / "litloop" / "Cache"


@pytest.mark.skipif(sys.platform != "darwin", reason="of macOS")
def test_on_a_mac_it_lies_in_the_users_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LITLOOP_CACHE", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "Library" / "Caches" / "litloop"


def test_a_user_without_a_home_folder_has_no_cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LITLOOP_CACHE", raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_, **__: Path("~/.cache/litloop"))
    assert cache_folder() is None
    assert list(tmp_path.iterdir()) == []


def test_a_cache_folder_that_cannot_be_made_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("LITLOOP_CACHE", str(tmp_path / "file" / "cache"))
    (tmp_path / "weights").write_bytes(b"abc")
    assert cache_folder() is None
    assert sha256_of(tmp_path / "weights") == hashlib.sha256(b"abc").hexdigest()


def test_a_failed_write_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "inside").write_text("so it cannot be replaced")
    assert not write_whole(tmp_path / "taken", b"content")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["taken"]


def test_a_checksum_is_remembered_until_the_file_changes(tmp_path: Path) -> None:
    weights = tmp_path / "weights"
    weights.write_bytes(b"first")
    before = weights.stat()
    assert _in_new_process(weights) == hashlib.sha256(b"first").hexdigest()
    # Same size, same time: not read again. This is what makes a start cheap.
    weights.write_bytes(b"other")
    os.utime(weights, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert _in_new_process(weights) == hashlib.sha256(b"first").hexdigest()
    os.utime(weights, ns=(before.st_atime_ns, before.st_mtime_ns + 1_000_000))
    assert _in_new_process(weights) == hashlib.sha256(b"other").hexdigest()


@pytest.mark.parametrize("damage", ["", "[]", "{", '{"key": 1}'])
def test_a_damaged_note_of_a_checksum_is_written_anew(
    damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    monkeypatch.setenv("LITLOOP_CACHE", str(cache))
    weights = tmp_path / "weights"
    weights.write_bytes(b"content " + damage.encode())
    known = set((cache / "checksums").glob("*")) if (cache / "checksums").is_dir() else set()
    expected = _in_new_process(weights)
    (note,) = set((cache / "checksums").glob("*")) - known
    note.write_text(damage)
    assert _in_new_process(weights) == expected
    assert expected in note.read_text()


def _in_new_process(path: Path) -> str:
    code = "import sys, pathlib; from litloop.core.cache_folder import sha256_of; print(sha256_of(pathlib.Path(sys.argv[1])))"
    return subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    ).stdout.strip()
