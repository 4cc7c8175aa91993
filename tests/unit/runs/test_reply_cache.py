from litloop.llm.chat import ChatResult
from litloop.llm.stored_replies import StoredReply
from litloop.runs.database import RunsDatabase
from litloop.runs.reply_cache import ReplyCache


def reply(key, content="Yes."):
    return StoredReply(key, ChatResult(content=content))


def test_a_reply_is_found_again_by_another_process(tmp_path):
    first = RunsDatabase(tmp_path / "runs.db")
    ReplyCache(first).put(reply("k"))
    first.close()
    second = RunsDatabase(tmp_path / "runs.db")
    assert ReplyCache(second).get("k") == reply("k")
    assert ReplyCache(second).get("other") is None
    second.close()


def test_the_last_reply_under_a_key_counts():
    database = RunsDatabase(None)
    cache = ReplyCache(database)
    cache.put(reply("k", "No."))
    cache.put(reply("k", "Yes."))
    assert cache.get("k").result.content == "Yes."
    database.close()


def test_there_are_never_more_than_the_most():
    database = RunsDatabase(None)
    cache = ReplyCache(database, most=3)
    for number in range(10):
        cache.put(reply(str(number)))
    assert database.rows("SELECT COUNT(*) FROM cached_replies") == [(3,)]
    database.close()


def test_a_damaged_reply_is_asked_for_anew():
    database = RunsDatabase(None)
    with database.transaction() as connection:
        connection.execute("INSERT INTO cached_replies VALUES ('k', 'garbage', 0)")
    assert ReplyCache(database).get("k") is None
    database.close()


def test_clearing_forgets_everything_and_counts_it():
    database = RunsDatabase(None)
    cache = ReplyCache(database)
    cache.put(reply("k"))
    assert cache.clear() == 1
    assert cache.get("k") is None
    database.close()


def test_a_cache_that_cannot_be_read_or_written_is_only_slow():
    database = RunsDatabase(None)
    with database.transaction() as connection:
        connection.execute("DROP TABLE cached_replies")
    cache = ReplyCache(database)
    cache.put(reply("k"))
    assert cache.get("k") is None
    database.close()
