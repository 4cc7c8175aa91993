import pytest

from litloop.core.settings import LLMSettings, Settings
from litloop.llm.profiles import (
    Endpoint,
    chosen_profile,
    fallback,
    primary,
    role_endpoint,
    with_version,
    without_version,
)
from litloop.net.safe_addresses import is_loopback


def settings(**values):
    llm = {name: value for name, value in values.items() if not name.endswith("_api_key")}
    keys = {name: value for name, value in values.items() if name.endswith("_api_key")}
    return Settings(llm=LLMSettings(**llm), **keys)


def test_a_groq_key_alone_chooses_groq_and_its_small_model():
    endpoint = primary(settings(groq_api_key="gsk_x"))
    assert endpoint == Endpoint("groq", "https://api.groq.com/openai/v1", "llama-3.1-8b-instant", "gsk_x")
    assert fallback(settings(groq_api_key="gsk_x")) is None


def test_a_gemini_key_beside_it_adds_the_fallback():
    both = settings(groq_api_key="gsk_x", gemini_api_key="AIza_y")
    assert primary(both).profile == "groq"
    assert (fallback(both).profile, fallback(both).model) == ("gemini", "gemini-flash-latest")


def test_the_fallback_can_be_switched_off():
    assert fallback(settings(groq_api_key="gsk_x", gemini_api_key="AIza_y", fallback=False)) is None


def test_who_chose_a_model_of_their_own_is_not_sent_to_google():
    assert fallback(settings(profile="ollama", gemini_api_key="AIza_y")) is None


def test_gemini_does_not_fall_back_on_itself():
    assert fallback(settings(gemini_api_key="AIza_y")) is None


@pytest.mark.parametrize(
    ("values", "profile"),
    [
        ({}, "offline"),
        ({"gemini_api_key": "AIza_y"}, "gemini"),
        ({"openai_api_key": "sk-z"}, "openai"),
        ({"base_url": "http://127.0.0.1:9/v1", "groq_api_key": "gsk_x"}, "custom"),
        ({"profile": "offline", "groq_api_key": "gsk_x"}, "offline"),
        ({"profile": "ollama", "groq_api_key": "gsk_x"}, "ollama"),
    ],
)
def test_the_profile_is_what_is_set_or_what_the_keys_say(values, profile):
    assert chosen_profile(settings(**values)) == profile


def test_offline_has_no_endpoint():
    assert primary(settings()) is None


def test_a_profile_without_its_key_says_so():
    assert primary(settings(profile="groq")).fault == "The profile groq has no key: set GROQ_API_KEY."


def test_a_custom_profile_without_an_address_says_so():
    assert "LITLOOP_LLM__BASE_URL" in primary(settings(profile="custom")).fault


def test_the_general_key_serves_the_chosen_profile_only():
    both = settings(profile="groq", api_key="general", roles={"relevance": "gemini/g"})
    assert primary(both).api_key == "general"
    assert role_endpoint(both, "relevance").api_key == ""


def test_a_role_may_have_another_model_another_profile_or_none():
    mixed = settings(
        groq_api_key="gsk_x",
        roles={
            "summarise": "llama-3.3-70b-versatile",
            "citation": "ollama/qwen:7b",
            "hyde": "offline",
            "refine": "openai/gpt-oss-20b",
        },
    )
    assert (role_endpoint(mixed, "summarise").profile, role_endpoint(mixed, "summarise").model) == (
        "groq",
        "llama-3.3-70b-versatile",
    )
    assert (role_endpoint(mixed, "citation").profile, role_endpoint(mixed, "citation").model) == ("ollama", "qwen:7b")
    assert role_endpoint(mixed, "hyde") == "offline"
    assert role_endpoint(mixed, "relevance") is None


def test_a_role_with_only_a_model_stays_offline_when_everything_is():
    assert role_endpoint(settings(roles={"summarise": "some-model"}), "summarise") == "offline"


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1"),
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/v1"),
        ("http://127.0.0.1:8080/v1/", "http://127.0.0.1:8080/v1"),
        ("https://host/v1/chat/completions", "https://host/v1"),
        ("https://host/v1beta/openai/", "https://host/v1beta/openai"),
    ],
)
def test_an_address_is_taken_as_people_write_it(given, used):
    assert with_version(given) == used


def test_the_root_of_a_server_is_found_from_its_address():
    assert without_version("http://127.0.0.1:8080/v1") == "http://127.0.0.1:8080"


@pytest.mark.parametrize(
    ("url", "loopback"),
    [
        ("http://localhost:1/v1", True),
        ("http://127.0.0.9/v1", True),
        ("http://[::1]:80", True),
        ("http://10.0.0.1/v1", False),
        ("http://localhost.example.org", False),
    ],
)
def test_loopback_is_recognised(url, loopback):
    assert is_loopback(url) is loopback


def test_a_price_of_one_s_own_goes_to_the_chosen_endpoint():
    priced = settings(base_url="http://h/v1", input_usd_per_million=1, output_usd_per_million=2)
    assert primary(priced).price == (1, 2)


def test_a_name_in_a_sentence_tells_where_when_the_profile_does_not():
    assert primary(settings(groq_api_key="gsk_x")).label == "groq"
    assert primary(settings(base_url="http://h:1/v1")).label == "custom (h:1)"
