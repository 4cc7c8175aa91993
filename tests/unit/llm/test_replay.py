import asyncio

import pytest
from pydantic import BaseModel

from litloop.llm.chat import ChatRequest, ChatResult, Message, Usage
from litloop.llm.profiles import Endpoint
from litloop.llm.replay import Recording, ReplayChatModel, RepliesInMemory, StoredReply, cache_key


class Verdict(BaseModel):
    ok: bool


REQUEST = ChatRequest((Message("user", "hi"),), "extract", 1024)


def stored(content, request=REQUEST, **values):
    return StoredReply(request.asked_digest(), ChatResult(content=content, usage=Usage(3, 2, "provider"), **values))


def test_a_reply_survives_being_written_down():
    reply = stored("α", provider="groq", model="m", path="proxy", finish_reason="stop", attempts=2)
    assert StoredReply.from_json(reply.key, reply.to_json()) == reply


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"usage": 3}', '{"usage": {}, "surprise": 1}'])
def test_a_reply_that_cannot_be_read_says_so(text):
    with pytest.raises(ValueError, match="cannot be read"):
        StoredReply.from_json("k", text)


def test_the_cache_key_changes_with_address_model_and_request():
    here, there = Endpoint("custom", "http://a/v1", ""), Endpoint("custom", "http://b/v1", "")
    keys = {cache_key(here, "m", REQUEST), cache_key(there, "m", REQUEST), cache_key(here, "n", REQUEST)}
    assert len(keys) == 3


def test_a_replay_answers_from_the_recording_and_books_it_as_replayed():
    calls = []
    model = ReplayChatModel(Recording([stored("Yes.", provider="groq")]), "direct", run_id="r2", on_call=calls.append)
    result = asyncio.run(model.chat([Message("user", "hi")], task="extract"))
    assert (result.content, result.outcome, result.provider) == ("Yes.", "replayed", "groq")
    assert [(call.outcome, call.run_id, call.cost) for call in calls] == [("replayed", "r2", 0.0)]


def test_other_limits_than_then_do_not_lose_the_recording():
    model = ReplayChatModel(Recording([stored("Yes.")]), "direct", max_tokens=5)
    assert asyncio.run(model.chat([Message("user", "hi")], task="extract")).content == "Yes."


def test_equal_requests_get_their_replies_in_order_and_the_last_one_repeats():
    recording = Recording([stored("one"), stored("two")])
    digest = REQUEST.asked_digest()
    assert [recording.next(digest).result.content for _ in range(3)] == ["one", "two", "two"]


def test_a_failure_is_replayed_as_a_failure():
    failed = stored("", degraded=True, reason="It went away.", outcome="timeout")
    result = asyncio.run(ReplayChatModel(Recording([failed]), "direct").chat([Message("user", "hi")], task="extract"))
    assert (result.degraded, result.reason, result.outcome) == (True, "It went away.", "timeout")


def test_a_request_that_was_never_made_is_degraded_and_says_so():
    result = asyncio.run(
        ReplayChatModel(Recording([]), "proxy").structured([Message("user", "new")], Verdict, task="relevance")
    )
    assert result.degraded
    assert result.reason == "The recording holds no answer to this request (relevance)."


def test_replies_in_memory_are_kept_by_key():
    store = RepliesInMemory()
    store.put(stored("Yes."))
    assert store.get(REQUEST.asked_digest()).result.content == "Yes."
    assert store.get("other") is None
