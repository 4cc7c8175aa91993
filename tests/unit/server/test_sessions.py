from __future__ import annotations

from litloop.server.sessions import Sessions, hash_of, new_key


def test_a_key_is_known_by_its_hash_alone():
    key, digest = new_key()
    assert key not in digest
    sessions = Sessions([digest])
    assert sessions.knows(key)
    assert not sessions.knows(digest)
    assert not sessions.knows(key + " ")
    assert not sessions.knows("\udcff")


def test_without_keys_none_is_needed_and_none_is_known():
    assert not Sessions([]).needed
    assert not Sessions([]).knows("")


def test_a_token_is_open_until_it_is_closed():
    key, digest = new_key()
    sessions = Sessions([digest])
    assert sessions.open("wrong") is None
    token = sessions.open(key)
    assert token
    assert sessions.is_open(token)
    assert not sessions.is_open("other")
    sessions.close(token)
    assert not sessions.is_open(token)


def test_two_keys_are_never_the_same():
    assert len({new_key()[0] for _ in range(50)}) == 50
    assert hash_of("a") != hash_of("b")
