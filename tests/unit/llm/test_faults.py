import httpx
import openai
import pytest

from litloop.llm.faults import fault_of, model_status_fault, owner_of_key
from litloop.llm.profiles import Endpoint
from litloop.net.retry import retry_after

GROQ = Endpoint("groq", "https://api.groq.com/openai/v1", "m", "sk-abcdefgh12345678")
CUSTOM = Endpoint("custom", "http://10.0.0.5:8000/v1", "m")


def fault(status, body=None, message="", endpoint=CUSTOM, headers=None):
    return model_status_fault(status, headers or {}, body, message, endpoint, "m")


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504])
def test_what_may_pass_is_tried_again(status):
    assert fault(status).retry


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
def test_what_will_not_pass_is_not_tried_again(status):
    assert not fault(status).retry


def test_a_wrong_request_says_nothing_about_the_health_of_the_endpoint():
    assert not fault(400).other_side
    assert fault(401).other_side


def test_an_empty_account_is_not_waited_for():
    assert not fault(429, {"message": "You exceeded your quota", "code": "insufficient_quota"}).retry


def test_a_redirect_means_a_wrong_address():
    assert "not an OpenAI-compatible endpoint" in fault(302).sentence


def test_a_key_in_the_wrong_variable_is_recognised_from_its_shape():
    sentence = fault(401, endpoint=GROQ).sentence
    assert sentence == "groq refused the key in GROQ_API_KEY (401). It looks like a key of openai."


def test_a_missing_key_names_the_variable():
    assert "set LITLOOP_LLM__API_KEY" in fault(401).sentence


def test_a_model_that_does_not_exist_is_told_from_a_wrong_path():
    body = {"message": "The model `m` does not exist or you do not have access to it."}
    assert "has no model called m" in fault(404, body).sentence
    assert "has no /chat/completions" in fault(404, None, "Not Found").sentence
    assert "has no model called m" in fault(400, {"message": "model 'm' not found, try pulling it first"}).sentence


def test_a_page_in_the_place_of_an_error_is_not_quoted():
    assert "<html" not in fault(400, None, "<!DOCTYPE html><html><body>No</body></html>").sentence


def test_a_key_that_the_endpoint_echoes_is_not_repeated():
    assert "abcdefgh" not in fault(400, {"message": "bad key sk-abcdefgh12345678"}).sentence


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:00 GMT"}, 50),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "nan"}, None),
        ({}, None),
    ],
)
def test_the_time_to_wait_is_read_in_every_form(headers, seconds):
    assert retry_after(headers, now=10) == seconds


def test_exceptions_of_the_client_become_faults():
    request = httpx.Request("POST", "http://x/v1")
    refused = openai.APIConnectionError(request=request)
    refused.__cause__ = httpx.ConnectError("refused")
    dropped = openai.APIConnectionError(request=request)
    dropped.__cause__ = httpx.RemoteProtocolError("peer closed")
    assert fault_of(refused, CUSTOM, "m", 1).kind == "unreachable"
    assert fault_of(dropped, CUSTOM, "m", 1).kind == "cut"
    assert fault_of(openai.APITimeoutError(request), CUSTOM, "m", 1).kind == "timeout"
    assert fault_of(ValueError("no JSON"), CUSTOM, "m", 1).kind == "not_compatible"
    assert fault_of(openai.OpenAIError("odd"), CUSTOM, "m", 1).kind == "server"


def test_an_error_in_the_middle_of_a_stream_keeps_its_status():
    request = httpx.Request("POST", "http://x/v1")
    limited = openai.APIError("slow down", request, body={"code": 429, "message": "slow down"})
    broken = openai.APIError("CUDA error", request, body={"message": "CUDA error"})
    assert fault_of(limited, CUSTOM, "m", 1).kind == "rate_limited"
    assert fault_of(broken, CUSTOM, "m", 1).retry


@pytest.mark.parametrize(
    ("key", "owner"), [("gsk_x", "groq"), ("AIzax", "gemini"), ("sk-x", "openai"), ("tvly-x", "tavily"), ("x", None)]
)
def test_keys_show_whose_they_are(key, owner):
    assert owner_of_key(key) == owner


@pytest.mark.parametrize(
    "found",
    [
        lambda endpoint: fault_of(
            openai.APIConnectionError(request=httpx.Request("GET", "http://x")), endpoint, "m", 2
        ),
        lambda endpoint: fault(302, endpoint=endpoint),
        lambda endpoint: fault(404, endpoint=endpoint),
    ],
    ids=["unreachable", "not compatible", "nothing there"],
)
def test_a_login_in_an_address_is_told_nobody(found):
    sentence = found(Endpoint("custom", "http://user:hunter2secret@10.0.0.5:8000/v1", "m")).sentence
    assert "http://[hidden]@10.0.0.5:8000/v1" in sentence
    assert "hunter2secret" not in sentence
