from __future__ import annotations

from pathlib import Path

import pytest

from litloop.core.errors import UsageError
from litloop.core.paths import CATALOGUE, find_library, user_data_folder


def make(folder):
    folder.mkdir(parents=True)
    (folder / CATALOGUE).touch()
    return folder


def test_the_named_path_wins_over_everything(tmp_path):
    assert find_library(tmp_path / "a", environ={"LITLOOP_LIBRARY": "b"}) == tmp_path / "a"


def test_a_folder_with_a_library_inside_stands_for_it(tmp_path):
    inside = make(tmp_path / "project" / ".litloop")
    assert find_library(tmp_path / "project") == inside


def test_the_nearest_library_upward_is_found(tmp_path, monkeypatch):
    inside = make(tmp_path / ".litloop")
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    monkeypatch.chdir(deep)
    assert find_library(environ={}) == inside


def test_without_any_the_users_own_is_meant(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert find_library(environ={}).as_posix().endswith("litloop/library")


def test_a_library_that_0_1_made_elsewhere_is_still_found(tmp_path, monkeypatch):
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    monkeypatch.setattr("litloop.core.paths._data_folder_of_0_1", lambda: old)
    monkeypatch.setattr("platformdirs.user_data_path", lambda *_, **__: new)
    assert user_data_folder() == old
    new.mkdir()
    assert user_data_folder() == new


def test_a_user_without_a_home_folder_is_told_to_name_a_library(monkeypatch):
    monkeypatch.setattr("platformdirs.user_data_path", lambda *_, **__: Path("~/.local/share/litloop"))
    with pytest.raises(UsageError, match="--library"):
        user_data_folder()
