import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from litloop.llm.replies import read_as, salvaged, without_reasoning


class Verdict(BaseModel, extra="forbid"):
    id: int
    relevant: bool


class Verdicts(BaseModel, extra="forbid"):
    results: list[Verdict]


GOOD = '{"results": [{"id": 1, "relevant": true}]}'


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"\n {GOOD} ",
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}\n```",
        f"```json\n{GOOD}",
        f"Here you are: {GOOD} I hope this helps.",
        f"<think>The object {{}} could be [1].</think>{GOOD}",
        f"The template opened it.</think>\n{GOOD}",
        f"<THINKING>hm</THINKING>```json\n{GOOD}\n```",
        f"First {{a broken one, then {GOOD}",
    ],
)
def test_the_object_is_found_whatever_stands_around_it(text):
    assert read_as(Verdicts, text).value == Verdicts(results=[Verdict(id=1, relevant=True)])


@pytest.mark.parametrize("text", ["", "I cannot say.", "<think>never closed " + GOOD, "[1, 2]", '{"results": 3}'])
def test_what_is_not_there_is_said_in_words(text):
    reading = read_as(Verdicts, text)
    assert reading.value is None
    assert reading.error


def test_the_error_names_the_place():
    assert "results.0.id" in read_as(Verdicts, '{"results": [{"relevant": true}]}').error


def test_reasoning_is_taken_out_of_prose_too():
    assert without_reasoning("<think>a</think>Yes.<reasoning>b</reasoning>") == "Yes."


def test_text_about_thinking_is_not_reasoning():
    assert without_reasoning("I think <b>so</b>.") == "I think <b>so</b>."


def test_wrong_items_are_left_out_and_counted():
    reading = salvaged(
        Verdicts, '{"results": [{"id": 1, "relevant": true}, {"id": "x"}, 7, {"id": 2, "relevant": false}]}'
    )
    assert [verdict.id for verdict in reading.value.results] == [1, 2]
    assert reading.dropped == 2


def test_a_reply_that_breaks_off_gives_what_it_had_finished():
    reading = salvaged(Verdicts, '{"results": [{"id": 1, "relevant": true}, {"id": 2, "rele')
    assert [verdict.id for verdict in reading.value.results] == [1]
    assert reading.dropped == 2  # the unfinished item, and what would have followed


def test_an_object_that_is_wrong_as_a_whole_cannot_be_salvaged():
    assert salvaged(Verdicts, '{"answers": []}').value is None


@given(st.text(alphabet='{}[]"<think>/abc:,` \n', max_size=300))
def test_no_reply_can_make_reading_fail(text):
    read_as(Verdicts, text)
    salvaged(Verdicts, text)


@pytest.mark.parametrize(
    "text", ["{" * 20_000, "<think>" * 20_000, "```" * 20_000, '{"a":' * 20_000, "</think>" * 20_000]
)
def test_a_hostile_reply_does_not_take_quadratic_time(text):
    started = time.process_time()
    salvaged(Verdicts, text)
    assert time.process_time() - started < 5  # linear: milliseconds; quadratic: minutes
