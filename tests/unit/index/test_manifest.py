from __future__ import annotations

import json
from dataclasses import replace

import pytest

from litloop.index.manifest import (
    FORMAT,
    Manifest,
    manifest_bytes,
    new_manifest,
    parse_manifest,
    remove_manifest,
    write_manifest,
)

LIKE = Manifest("analyser/1", "embedder", 384)


def test_a_manifest_is_read_as_it_was_written(tmp_path):
    manifest = replace(new_manifest(LIKE), seq=7, count=3, rows=4, dead=1)
    write_manifest(tmp_path, manifest)
    assert parse_manifest(manifest_bytes(tmp_path)) == manifest


def test_two_builds_of_one_index_can_be_told_apart():
    assert new_manifest(LIKE).uid != new_manifest(LIKE).uid


def test_without_a_manifest_there_is_none(tmp_path):
    assert parse_manifest(manifest_bytes(tmp_path)) is None
    assert parse_manifest(manifest_bytes(tmp_path / "nowhere")) is None
    write_manifest(tmp_path, LIKE)
    remove_manifest(tmp_path)
    assert manifest_bytes(tmp_path) == b""


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"7", b"\xff", json.dumps({"format": FORMAT}).encode()])
def test_a_damaged_manifest_counts_as_none(content):
    assert parse_manifest(content) is None


def test_a_manifest_of_another_format_counts_as_none(tmp_path):
    write_manifest(tmp_path, replace(LIKE, format=FORMAT + 1))
    assert parse_manifest(manifest_bytes(tmp_path)) is None
