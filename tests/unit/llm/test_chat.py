from dataclasses import replace

from litloop.llm.chat import ChatRequest, Message, Shape

REQUEST = ChatRequest((Message("user", "hello"),), "extract", 100)


def test_equal_requests_have_equal_digests():
    assert REQUEST.digest() == replace(REQUEST).digest()


def test_everything_that_bears_on_the_reply_changes_the_digest():
    others = [
        replace(REQUEST, messages=(Message("user", "hello "),)),
        replace(REQUEST, messages=(Message("system", "hello"),)),
        replace(REQUEST, task="summarise"),
        replace(REQUEST, max_tokens=101),
        replace(REQUEST, temperature=0.5),
        replace(REQUEST, shape=Shape("A", {"type": "object"})),
        replace(REQUEST, stop=("\n",)),
        replace(REQUEST, prompt="extract/2"),
    ]
    assert len({request.digest() for request in [REQUEST, *others]}) == 9


def test_bookkeeping_does_not_change_the_digest():
    assert replace(REQUEST, tokens_before=5, call_id="x", attempts_before=1).digest() == REQUEST.digest()
