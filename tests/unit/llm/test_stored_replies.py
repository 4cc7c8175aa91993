import pytest

from litloop.llm.chat import ChatRequest, ChatResult, Message, Usage
from litloop.llm.profiles import Endpoint
from litloop.llm.stored_replies import StoredReply, cache_key

REQUEST = ChatRequest((Message("user", "hi"),), "extract", 1024)


def stored(content, request=REQUEST, **values):
    return StoredReply(request.digest(), ChatResult(content=content, usage=Usage(3, 2, "provider"), **values))


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
