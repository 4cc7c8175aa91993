from __future__ import annotations

from litloop.core.paths import CATALOGUE, find_library


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
    assert find_library(environ={"XDG_DATA_HOME": "/data"}).as_posix().endswith("litloop/library")
