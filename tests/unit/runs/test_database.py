import sqlite3

import pytest

from litloop.core.errors import NotALibrary
from litloop.runs.database import MIGRATIONS, RunsDatabase


def test_rows_are_there_when_the_file_is_opened_again(tmp_path):
    first = RunsDatabase(tmp_path / "runs.db")
    with first.transaction() as connection:
        connection.execute("INSERT INTO cached_replies VALUES ('k', 'r', 0)")
    first.close()
    again = RunsDatabase(tmp_path / "runs.db")
    assert again.persistent
    assert again.rows("SELECT reply FROM cached_replies") == [("r",)]
    again.close()


def test_a_block_that_fails_leaves_nothing(tmp_path):
    database = RunsDatabase(tmp_path / "runs.db")

    def twice():
        with database.transaction() as connection:
            connection.execute("INSERT INTO cached_replies VALUES ('k', 'r', 0)")
            connection.execute("INSERT INTO cached_replies VALUES ('k', 'r', 0)")

    with pytest.raises(sqlite3.IntegrityError):
        twice()
    assert database.rows("SELECT * FROM cached_replies") == []
    database.close()


def test_a_place_that_cannot_be_written_keeps_the_run_in_memory(tmp_path):
    database = RunsDatabase(tmp_path / "missing" / "runs.db")
    assert not database.persistent
    assert database.rows("SELECT COUNT(*) FROM model_calls") == [(0,)]
    database.close()


def test_a_damaged_file_keeps_the_run_in_memory(tmp_path):
    (tmp_path / "runs.db").write_bytes(b"not a database " * 100)
    database = RunsDatabase(tmp_path / "runs.db")
    assert not database.persistent
    database.close()


def test_a_file_of_a_newer_litloop_is_refused(tmp_path):
    connection = sqlite3.connect(tmp_path / "runs.db")
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    connection.close()
    with pytest.raises(NotALibrary, match="newer litloop"):
        RunsDatabase(tmp_path / "runs.db")


def test_what_litloop_0_1_recorded_without_end_is_dropped_and_the_rest_stays(tmp_path):
    connection = sqlite3.connect(tmp_path / "runs.db")
    for script in MIGRATIONS[:2]:
        connection.executescript(script)
    connection.execute("INSERT INTO recorded_replies VALUES ('r1', 0, 'k', 'a long reply')")
    connection.execute("INSERT INTO cached_replies VALUES ('k', 'r', 0)")
    connection.execute("PRAGMA user_version = 2")
    connection.commit()
    connection.close()
    database = RunsDatabase(tmp_path / "runs.db")
    tables = {name for (name,) in database.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert not {"recorded_replies", "recorded_compressions"} & tables
    assert database.rows("SELECT reply FROM cached_replies") == [("r",)]
    database.close()


def test_two_connections_may_have_the_file_open(tmp_path):
    one, two = RunsDatabase(tmp_path / "runs.db"), RunsDatabase(tmp_path / "runs.db")
    with one.transaction() as connection:
        connection.execute("INSERT INTO cached_replies VALUES ('k', 'r', 0)")
    assert two.rows("SELECT key FROM cached_replies") == [("k",)]
    one.close()
    two.close()
