import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from litloop.llm.reasoning import without_reasoning
from litloop.llm.replies import json_candidates, read_as, salvaged


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


TAGS = [
    ("<think>", "</think>"), ("<thinking>", "</thinking>"), ("<seed:think>", "</seed:think>"), ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"), ("<|begin_of_thought|>", "<|end_of_thought|>"), ("<unused94>", "<unused95>"),
    ("<analysis>", "</analysis>"), ("<|START_THINKING|>", "<|END_THINKING|>"), ('<thought kind="long">', "</thought>"),
    ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
]  # fmt: skip


@pytest.mark.parametrize(("opening", "closing"), TAGS)
def test_reasoning_is_left_out_however_a_model_marks_it(opening, closing):
    draft = '{"results": [{"id": 9, "relevant": false}]}'
    assert read_as(Verdicts, f"{opening}Perhaps {draft}?{closing}{GOOD}").value.results[0].id == 1
    assert read_as(Verdicts, f"Perhaps {draft}?{closing}\n{GOOD}").value.results[0].id == 1
    assert without_reasoning(f"{opening}Hm.{closing}Yes.") == "Yes."


class Told(BaseModel):
    text: str


@pytest.mark.parametrize(("opening", "closing"), TAGS)
@pytest.mark.parametrize(
    "around", ["{}", "```json\n{}\n```", "Here it is: {} That is all.", "<think>It cites tags.</think>{}"]
)
def test_a_tag_within_a_quote_is_text(opening, closing, around):
    said = f'Steps stand between {opening} and {closing}, "quoted", without {{braces}} of their own.'
    reply = around.replace("{}", json.dumps({"text": said}))
    assert read_as(Told, reply).value == Told(text=said)


def test_a_tag_within_a_quote_of_a_reply_that_broke_off_is_text():
    reply = '{"results": [{"id": 1, "relevant": true, "why": "it has <think>"}, {"id": 2, "why": "no </think'
    assert [verdict.id for verdict in salvaged(Loose, reply).value.results] == ["1"]


def test_a_sentence_may_speak_of_tags():
    text = "The steps stand between <think> and </think> before the answer."
    assert without_reasoning(text) == text


class Quote(BaseModel):
    passage: str
    words: str = ""


class Item(BaseModel):
    value: str
    quotes: list[Quote] = []
    fields: dict[str, str] = {}


class Found(BaseModel):
    items: list[Item]
    remarks: list[str] = []


class LooseVerdict(BaseModel):
    id: str
    relevant: bool


class Loose(BaseModel):
    results: list[LooseVerdict]


QUOTES = '[{"passage": "P1", "words": "so"}]'
ONE = {"value": "x", "quotes": [{"passage": "P1", "words": "so"}]}


@pytest.mark.parametrize(
    "reply",
    [
        {"items": [{"value": "x", "quotes": QUOTES}]},
        {"items": [{"value": "x", "quotes": f"```json\n{QUOTES}\n```"}]},
        {"items": [{"value": "x", "quotes": "[{'passage': 'P1', 'words': 'so'}]"}]},
        {"items": [{"value": "x", "quotes": {"passage": "P1", "words": "so"}}]},
        {"items": [{"value": "x", "quotes": ['{"passage": "P1", "words": "so"}']}]},
        {"items": json.dumps([{"value": "x", "quotes": QUOTES}])},
        {"items": [json.dumps(ONE)]},
        {"items": ONE},
        {"items": [{**ONE, "fields": None}], "remarks": None},
        [ONE],
        ONE,
        {"response": {"items": [ONE]}},
        {"output": json.dumps({"items": [ONE]})},
        json.dumps({"items": [ONE]}),
    ],
)  # fmt: skip
def test_a_reply_of_another_shape_is_read_as_what_it_says(reply):
    (item,) = read_as(Found, json.dumps(reply)).value.items
    assert (item.value, item.quotes) == ("x", [Quote(passage="P1", words="so")])


@pytest.mark.parametrize(
    "results",
    [{"1": {"relevant": True}, "2": {"relevant": False}}, {"1": True, "2": False}, '{"1": true, "2": "no"}',
     ['{"id": 1, "relevant": true}', {"id": 2, "relevant": "false"}]],
)  # fmt: skip
def test_verdicts_keyed_by_their_ids_are_a_list(results):
    verdicts = read_as(Loose, json.dumps({"results": results})).value.results
    assert [(verdict.id, verdict.relevant) for verdict in verdicts] == [("1", True), ("2", False)]


def test_numbers_and_lists_of_words_are_text_where_text_was_asked_for():
    (item,) = read_as(
        Found, '{"items": [{"value": 42.5, "fields": {"n": 50, "sides": ["left", "right"]}}]}'
    ).value.items
    assert (item.value, item.fields) == ("42.5", {"n": "50", "sides": "left, right"})


def test_one_item_of_a_broken_list_is_not_taken_for_the_answer():
    broken = '{"results": [{"id": "1", "relevant": true}, {"id": "2", "relevant": tru}'
    assert read_as(Loose, broken).value is None


@pytest.mark.parametrize(
    "reply", ["{}", '{"results": 7}', '{"results": {"a": 1, "b": [2]}}', '"nothing"', '["a"]', "null"]
)
def test_nothing_is_guessed_where_a_reply_says_nothing(reply):
    assert read_as(Verdicts, reply).value is None


def test_a_list_that_lost_every_item_is_no_empty_list():
    reading = salvaged(Verdicts, '{"results": [{"id": 1}, {"id": "x", "relevant": true}]}')
    assert (reading.value, reading.emptied, reading.dropped) == (None, True, 2)
    assert "results.0.relevant" in reading.error
    assert salvaged(Verdicts, '{"results": [').emptied
    assert read_as(Verdicts, '{"results": []}').value == Verdicts(results=[])


def test_a_wrong_part_of_an_item_costs_that_part_alone():
    reply = '{"items": [{"value": "x", "quotes": [{"passage": "P1"}, {"words": "so"}]}, {"quotes": [{"words": "so"}]}]}'
    reading = salvaged(Found, reply)
    assert [(item.value, len(item.quotes)) for item in reading.value.items] == [("x", 1)]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(alphabet="{}[]\"',:a1", max_size=8),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(["items", "value", "quotes", "passage", "id", "1", "results"]), inner, max_size=4
            )
        ),
        max_leaves=20,
    )
)
def test_no_json_can_make_fitting_fail(value):
    for model in (Found, Loose):
        read_as(model, json.dumps(value))
        salvaged(model, json.dumps(value))


@pytest.mark.parametrize("text", ['{"a":"' + "\\" * 40_000, '{ "' * 20_000, "[THINK]" * 20_000, "<|channel|>analysis" * 9000,
                                  '{"items": "' + "[" * 40_000 + '"}', "<think " * 20_000, "{    " * 20_000])  # fmt: skip
def test_hostile_marks_of_reasoning_do_not_take_quadratic_time(text):
    started = time.process_time()
    read_as(Found, text)
    salvaged(Found, text)
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    "text",
    ["{'results': [{'id': '1', 'relevant': True}]}", '{"results": [{"id": "1", "relevant": true,},],}',
     "Here: {'results': [{'id': '1', 'relevant': True}]} Done.", '```json\n{"results": [{"id": 1, "relevant": true}, ]}\n```'],
)  # fmt: skip
def test_json_with_commas_too_many_or_as_python_writes_it_is_read(text):
    assert read_as(Loose, text).value.results == [LooseVerdict(id="1", relevant=True)]


def test_commas_within_a_text_stay():
    assert read_as(Told, '{"text": "a, ] and, } b",}').value == Told(text="a, ] and, } b")


@pytest.mark.parametrize("results", [{"id": "1"}, [{"id": "1"}], {"relevant": True}, {"why": "it is"}])
def test_a_part_of_an_item_is_no_list_of_verdicts(results):
    assert read_as(Loose, json.dumps({"results": results})).value is None


def test_items_under_names_of_their_own_are_a_list_and_quotes_may_be_keyed_by_passage():
    reply = {"items": {"first": {"value": "x", "quotes": {"P1": {"words": "so"}}}, "second": {"value": "y"}}}
    found = read_as(Found, json.dumps(reply)).value.items
    assert [(item.value, item.quotes) for item in found] == [("x", [Quote(passage="P1", words="so")]), ("y", [])]


def test_a_number_of_thousands_of_digits_in_a_reply_is_no_answer_and_no_crash() -> None:
    digits = "7" * 5_000
    for text in (
        digits,
        f'{{"results": [{{"id": {digits}}}]}}',
        f'Sure: {{"results": {digits}}} and {{"results": []}}',
    ):
        salvaged(Verdicts, text)
    assert list(json_candidates(digits)) == []
    assert [value for value, _ in json_candidates(f'{{"a": {digits}}} then {{"b": 1}}')] == [{"b": 1}]
