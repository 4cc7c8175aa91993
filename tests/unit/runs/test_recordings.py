import pytest

from litloop.llm.chat import ChatResult
from litloop.llm.replay import StoredReply
from litloop.runs.database import RunsDatabase
from litloop.runs.recordings import Recorder, keep_latest, recording_of


@pytest.fixture
def database():
    database = RunsDatabase(None)
    yield database
    database.close()


def record(database, run_id, *contents):
    recorder = Recorder(database, run_id)
    for content in contents:
        recorder.on_reply(StoredReply("k", ChatResult(content=content)))
    recorder.on_compressed("c", f"texts of {run_id}")


def test_a_run_is_read_back_in_order_and_apart_from_others(database):
    record(database, "r1", "one", "two")
    record(database, "r2", "three")
    recording = recording_of(database, "r1")
    assert [recording.next("k").result.content for _ in range(2)] == ["one", "two"]
    assert recording.compressed == {"c": "texts of r1"}


def test_a_run_that_asked_no_model_has_an_empty_recording(database):
    assert recording_of(database, "r9").next("k") is None


def test_old_recordings_are_forgotten_and_the_latest_kept(database):
    for run_id in ("20261101-a", "20261102-b", "20261103-c"):
        record(database, run_id, run_id)
    keep_latest(database, 2)
    assert recording_of(database, "20261101-a").next("k") is None
    assert recording_of(database, "20261101-a").compressed == {}
    assert recording_of(database, "20261103-c").next("k").result.content == "20261103-c"
    assert recording_of(database, "20261102-b").compressed == {"c": "texts of 20261102-b"}


def test_a_recording_that_cannot_be_written_does_not_stop_the_run(database):
    with database.transaction() as connection:
        connection.execute("DROP TABLE recorded_replies")
    record(database, "r1", "one")
