import io
import json
import logging

import pytest

from litloop.core import logs
from litloop.core.settings import LLMSettings, ScholarlySettings, Settings


@pytest.fixture
def stream():
    """Where the lines go; the standard logger is as before afterwards."""
    logger = logging.getLogger("litloop")
    before = logger.handlers[:], logger.level, logger.propagate
    yield io.StringIO()
    logger.handlers[:], logger.propagate = before[0], before[2]
    logger.setLevel(before[1])


@pytest.mark.parametrize(
    "text",
    [
        "Incorrect API key provided: sk-proj-abcdefgh12345678",
        "key gsk_abcdefgh12345678 was refused",
        "https://host/v1?key=AIzaSyAbcdefgh12345678&alt=sse",
        "Authorization: Bearer abcdef123456",
        '{"api_key": "abcdef123456"}',
        "x-api-key=abcdef123456",
        "https://user:abcdef123456@host/v1",
        "tvly-abcdefgh12345678",
    ],
)
def test_anything_of_the_shape_of_a_key_is_hidden(text):
    shown = logs.redact(text)
    assert logs.HIDDEN in shown
    assert "abcdef" not in shown.lower()


def test_a_secret_of_no_known_shape_is_hidden_once_it_is_registered():
    logs.hide(["plain words as a key"])
    assert logs.redact("the header was 'plain words as a key'.") == f"the header was '{logs.HIDDEN}'."


def test_a_secret_too_short_to_tell_from_a_word_is_not_hidden():
    logs.hide(["the"])
    assert logs.redact("the answer") == "the answer"


@pytest.mark.parametrize("text", ["task-based fMRI", "the risk-adjusted key result", "or-else", "p. 12: sk-28"])
def test_ordinary_text_is_left_alone(text):
    assert logs.redact(text) == text


def test_secrets_are_found_wherever_they_are_in_the_settings():
    scholarly = ScholarlySettings(others={"shelf": {"api_key": "seven eight"}})
    settings = Settings(groq_api_key="gsk_one_two_three", llm=LLMSettings(api_key="four five six"), scholarly=scholarly)
    assert set(logs.secrets_of(settings)) == {"gsk_one_two_three", "four five six", "seven eight"}


def test_a_line_of_json_holds_the_facts_without_keys(stream):
    logs.set_up("INFO", json=True, stream=stream)
    logs.Log("llm").info(
        "model call", reason="Bearer abcdef123456", tried=[1, "sk-abcdefgh12345678"], ok=True, at={"n": None}
    )
    line = json.loads(stream.getvalue())
    assert line["event"] == "model call"
    assert line["level"] == "info"
    assert line["reason"] == f"Bearer {logs.HIDDEN}"
    assert line["tried"] == [1, logs.HIDDEN]
    assert line["ok"] is True
    assert line["at"] == {"n": None}


def test_lines_below_the_level_are_not_written(stream):
    logs.set_up("WARNING", stream=stream)
    log = logs.Log("llm")
    log.debug("quiet")
    log.info("quiet")
    log.warning("loud", n=1)
    log.error("louder")
    assert [line.split("event=")[1].split()[0] for line in stream.getvalue().splitlines()] == ["'loud'", "'louder'"]


def test_setting_up_again_replaces_and_does_not_double(stream):
    logs.set_up("WARNING", stream=io.StringIO())
    logs.set_up("WARNING", stream=stream)
    logs.Log("llm").warning("once")
    assert len(stream.getvalue().splitlines()) == 1


def test_people_at_a_terminal_get_one_sentence_without_fields_or_keys(stream):
    logs.speak_plainly(stream)
    logs.Log("llm").warning(
        "model call retried", task="relevance", pause_s=1.0, reason="groq refused the key gsk_abcdefgh12345678."
    )
    logs.Log("llm").info("model call", task="relevance")
    assert stream.getvalue() == f"Model call retried (relevance): groq refused the key {logs.HIDDEN}.\n"
