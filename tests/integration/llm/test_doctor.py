"""What doctor says of models, keys and endpoints, against scripted servers on loopback."""

import asyncio
import json
import re

import pytest

from litloop.core.settings import (
    CompressionSettings,
    EgressPathSettings,
    EgressSettings,
    LLMSettings,
    Settings,
    load_settings,
)
from litloop.llm.doctor import check_models, check_settings, redacted
from support.fault_server import answers, fails, fault_server, nobody, says, shows_page

MODELS = answers(200, {"data": [{"id": "small"}, {"id": "large"}]})


def rows(settings=None, environ=None, **values):
    return {row.name: row for row in asyncio.run(check_models(settings or Settings(**values), environ=environ or {}))}


def local(server, **llm):
    return LLMSettings(profile="custom", base_url=server.base_url, **llm)


def test_nothing_set_up_is_off_and_says_what_could_be_set():
    found = rows()
    assert found["profile"].state == "off"
    assert "GROQ_API_KEY" in found["profile"].mend
    assert found["compression"].state == "ok"
    assert found["tokens"].state == "ok"
    assert "model" not in found


def test_offline_on_purpose_needs_no_mending():
    assert rows(llm=LLMSettings(profile="offline"))["profile"].mend == ""


def test_an_endpoint_that_answers_and_has_the_model_is_ok_without_a_chat():
    with fault_server(fails(500), models=[MODELS]) as server:
        found = rows(llm=local(server, model="large"))
        assert server.chats == []
    assert (found["model"].state, found["model"].mend) == ("ok", "")
    assert "has large" in found["model"].sentence


def test_an_endpoint_without_a_named_model_says_which_it_serves():
    with fault_server(fails(500), models=[MODELS]) as server:
        assert "serves small" in rows(llm=local(server))["model"].sentence


def test_a_model_that_does_not_exist_lists_those_that_do():
    with fault_server(fails(500), models=[MODELS]) as server:
        row = rows(llm=local(server, model="huge"))["model"]
    assert row.state == "fail"
    assert row.mend == "Set LITLOOP_LLM__MODEL to one of: small, large."


def test_long_lists_of_models_are_cut():
    many = answers(200, {"data": [{"id": f"m{number}"} for number in range(9)]})
    with fault_server(fails(500), models=[many]) as server:
        assert rows(llm=local(server, model="x"))["model"].mend.endswith("m4 and 4 more.")


def test_an_endpoint_with_no_model_at_all_fails():
    with fault_server(fails(500), models=[answers(200, {"data": []})]) as server:
        assert rows(llm=local(server))["model"].state == "fail"


@pytest.mark.parametrize(
    ("step", "state", "words"),
    [
        (fails(401, "no"), "fail", "needs a key (401)"),
        (shows_page(), "fail", "not an OpenAI-compatible endpoint"),
        (answers(200, {"hello": 1}), "fail", "not an OpenAI-compatible endpoint"),
        (fails(404, "nothing here"), "fail", "check the address"),
        (fails(429, "slow"), "warn", "limiting our calls"),
        (fails(500, "oops"), "fail", "status 500"),
    ],
)
def test_each_fault_of_an_endpoint_is_one_sentence_with_a_way_to_mend_it(step, state, words):
    with fault_server(fails(500), models=[step]) as server:
        row = rows(llm=local(server, model="m"))["model"]
    assert row.state == state
    assert words in row.sentence
    assert row.mend


def test_nobody_at_the_address_says_what_to_start():
    with nobody() as url:
        row = rows(llm=LLMSettings(profile="ollama", base_url=url))["model"]
    assert row.state == "fail"
    assert "ollama serve" in row.mend


def test_a_missing_key_is_named():
    row = rows(llm=LLMSettings(profile="groq"))["model"]
    assert (row.state, row.mend) == ("fail", "Set GROQ_API_KEY.")


def test_a_key_in_the_wrong_variable_says_where_it_belongs():
    with fault_server(fails(500), models=[MODELS]) as server:
        row = rows(llm=local(server), openai_api_key="gsk_abcdefgh1234")["key"]
    assert row.state == "fail"
    assert row.sentence == "OPENAI_API_KEY holds what looks like a key of groq."
    assert row.mend == "Put it in GROQ_API_KEY."


def test_a_key_of_another_service_says_where_it_belongs_too():
    assert (
        rows(llm=LLMSettings(profile="offline"), groq_api_key="tvly-abcdefgh1234")["key"].mend
        == "Put it in TAVILY_API_KEY."
    )


def test_a_variable_that_looks_right_but_is_not_read_is_pointed_out():
    assert "GEMINI_API_KEY" in rows(environ={"GOOGLE_API_KEY": "AIzaabcdefgh"})["key"].mend


def test_an_unknown_price_says_how_to_set_it():
    with fault_server(fails(500), models=[MODELS]) as server:
        found = rows(llm=local(server, model="small"))
        priced = rows(llm=local(server, model="small", input_usd_per_million=1, output_usd_per_million=2))
    assert found["price"].state == "warn"
    assert "INPUT_USD_PER_MILLION" in found["price"].mend
    assert priced["price"].sentence == "A million tokens cost $1 in and $2 out."


def test_roles_set_apart_are_looked_at_one_by_one():
    with fault_server(fails(500), models=[MODELS]) as server:
        found = rows(llm=local(server, model="small", roles={"summarise": "huge", "hyde": "offline"}))
    assert found["role summarise"].state == "fail"
    assert found["role hyde"].state == "off"


def test_a_gateway_that_answers_is_ok():
    with fault_server(fails(500), models=[MODELS], health=[answers(200, {"status": "ok"})]) as server:
        found = rows(llm=local(server), paths=EgressSettings(proxy=EgressPathSettings(base_url=server.root)))
    assert found["proxy gateway"].state == "ok"


def test_another_gateway_without_a_health_page_is_asked_for_its_models():
    with fault_server(fails(500), models=[MODELS]) as server:
        found = rows(
            llm=local(server, model="small"), paths=EgressSettings(proxy=EgressPathSettings(base_url=server.root))
        )
    assert found["proxy gateway"].state == "ok"


def test_a_gateway_that_is_down_says_that_calls_go_straight():
    with nobody() as down, fault_server(fails(500), models=[MODELS]) as server:
        row = rows(llm=local(server), paths=EgressSettings(proxy=EgressPathSettings(base_url=down)))["proxy gateway"]
    assert row.state == "fail"
    assert "calls go straight" in row.sentence


def test_a_gateway_without_a_model_behind_it_is_pointed_out():
    assert (
        rows(paths=EgressSettings(proxy=EgressPathSettings(base_url="http://127.0.0.1:1")))["proxy gateway"].state
        == "warn"
    )


@pytest.mark.parametrize(("step", "state"), [(answers(200, {}), "ok"), (fails(401), "fail"), (fails(503), "warn")])
def test_paritok_is_looked_at_when_it_is_used(step, state):
    with fault_server(fails(500), test=[step]) as server:
        found = rows(compression=CompressionSettings(base_url=server.root, api_key="key-123456"))
    assert found["compression"].state == state


def test_paritok_that_cannot_be_reached_says_how_to_do_without():
    with nobody() as url:
        row = rows(compression=CompressionSettings(kind="paritok", base_url=url))["compression"]
    assert "extractive" in row.mend


def test_compression_that_is_off_is_off():
    assert rows(compression=CompressionSettings(kind="off"))["compression"].state == "off"


@pytest.mark.parametrize(
    ("name", "value"),
    [("LITLOOP_LLM__PROFILE", "grok"), ("LITLOOP_LLM__BASE_URL", "localhost"), ("LITLOOP_LLM__COLOUR", "red")],
)
def test_settings_that_cannot_be_read_are_a_row_and_not_a_crash(name, value):
    settings, row = check_settings(lambda: load_settings(environ={name: value}, dotenv=None))
    assert settings is None
    assert row.state == "fail"
    assert name in row.sentence


def test_settings_that_can_be_read_are_ok():
    settings, row = check_settings(lambda: load_settings(environ={}, dotenv=None))
    assert settings == Settings()
    assert row.state == "ok"


def test_no_row_shows_a_key():
    key = "sk-abcdefgh12345678"
    with fault_server(fails(500), models=[fails(400, f"bad key {key}")]) as server:
        found = asyncio.run(check_models(Settings(llm=local(server, api_key=key)), environ={}))
    assert key not in str(redacted(found))


# --- one small request to each model ---

EVEN = json.dumps({"results": [{"id": "1", "even": True}, {"id": "2", "even": False}]})


def asked(*steps, models=(MODELS,), **values):
    with fault_server(*steps, models=list(models)) as server:
        settings = values.pop("settings", None) or Settings(llm=local(server, model="small", **values))
        found = asyncio.run(check_models(settings, ask=True, environ={}))
        return {row.name: row for row in found}, server.chats


def test_a_model_that_answers_in_the_form_asked_for_is_reported_with_length_and_time():
    found, chats = asked(says(EVEN, usage=(70, 21), model="small"))
    row = found["reply"]
    assert row.state == "ok"
    assert "with 21 tokens and kept its form, asked with a JSON schema" in row.sentence
    assert re.search(r"in \d+\.\d s", row.sentence)
    (chat,) = chats
    assert chat.body["response_format"]["type"] == "json_schema"
    assert chat.body["max_tokens"] <= 100


def test_a_model_that_needs_a_second_try_or_a_simpler_form_says_so():
    found, _ = asked(says("Yes and no."), says(EVEN))
    assert "needed a second try" in found["reply"].sentence
    refusal = fails(400, "response_format json_schema is not supported")
    found, chats = asked(refusal, says(EVEN))
    assert "in JSON mode" in found["reply"].sentence
    assert len(chats) == 2


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([fails(500, "boom")], "status 500"),
        ([says("I like turtles.")], "does not fit"),
        ([says("", finish="length")], "thinking"),
        ([fails(401, "who?")], "key"),
    ],
)
def test_a_model_whose_every_call_fails_is_a_failure_although_it_is_listed(steps, words):
    found, _ = asked(*steps)
    assert found["model"].state == "ok"  # the list can be fetched all the same
    assert found["reply"].state == "fail"
    assert words in found["reply"].sentence
    assert found["reply"].mend


def test_an_endpoint_that_lists_nothing_and_answers_is_no_failure():
    found, _ = asked(says(EVEN), models=[fails(404, "Resource not found")])
    assert (found["model"].state, found["reply"].state) == ("warn", "ok")


def test_a_server_that_is_not_there_is_said_once():
    with nobody() as url:
        llm = LLMSettings(profile="custom", base_url=url, model="m")
        found = asyncio.run(check_models(Settings(llm=llm), ask=True, environ={}))
    assert sum("cannot be reached" in row.sentence for row in found) == 1
    assert any(row.state == "fail" for row in found)


def test_a_gateway_that_answers_for_its_health_and_for_no_call_is_a_failure():
    with (
        fault_server(fails(502), models=[MODELS], health=[answers(200, {})]) as gateway,
        fault_server(says(EVEN), models=[MODELS]) as server,
    ):
        settings = Settings(
            llm=local(server, model="small"), paths=EgressSettings(proxy=EgressPathSettings(base_url=gateway.root))
        )
        found = {row.name: row for row in asyncio.run(check_models(settings, ask=True, environ={}))}
    assert (found["proxy gateway"].state, found["reply"].state, found["reply proxy"].state) == ("ok", "ok", "fail")
    assert "answers in its place" in found["reply proxy"].sentence


def test_roles_set_apart_answer_for_themselves():
    found, chats = asked(says(EVEN), roles={"summarise": "large", "hyde": "offline"})
    assert found["reply summarise"].state == "ok"
    assert "reply hyde" not in found
    assert {chat.body["model"] for chat in chats} == {"small", "large"}


def test_without_a_model_nobody_is_asked():
    assert not [row for row in asyncio.run(check_models(Settings(), ask=True, environ={})) if "reply" in row.name]
