from __future__ import annotations

import errno

import pytest

from litloop.core.errors import StorageFull
from litloop.index.durable import append_at, full_disk_named, write_atomically


def test_a_file_is_replaced_as_a_whole_and_nothing_else_is_left(tmp_path):
    path = tmp_path / "file"
    write_atomically(path, b"one")
    write_atomically(path, b"two")
    assert path.read_bytes() == b"two"
    assert list(tmp_path.iterdir()) == [path]


def test_appending_writes_over_what_a_dead_writer_left_behind_the_known_length(tmp_path):
    path = tmp_path / "file"
    assert append_at(path, 0, b"good") == 4
    path.write_bytes(b"good and half a rec")
    assert append_at(path, 4, b"!") == 5
    assert path.read_bytes() == b"good!"


def test_appending_nothing_touches_nothing(tmp_path):
    assert append_at(tmp_path / "file", 0, b"") == 0
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "error",
    [OSError(errno.ENOSPC, "No space left on device"), ValueError("IoError: No space left on device (os error 28)")],
)
def test_a_full_disk_is_named_however_it_is_reported(error):
    with pytest.raises(StorageFull, match="full"), full_disk_named():
        raise error


@pytest.mark.parametrize("error", [OSError(errno.EACCES, "denied"), ValueError("something else")])
def test_other_failures_pass_through(error):
    with pytest.raises(type(error)), full_disk_named():
        raise error
