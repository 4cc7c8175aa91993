import pytest

from litloop.llm.prices import price_of
from litloop.llm.profiles import Endpoint


def test_a_known_model_has_the_price_of_the_dated_table():
    price = price_of(Endpoint("groq", "https://api.groq.com/openai/v1", ""), "llama-3.1-8b-instant")
    assert price.of(1_000_000, 1_000_000) == pytest.approx(0.13)
    assert price.as_of


@pytest.mark.parametrize(
    ("profile", "url", "model"),
    [
        ("groq", "https://api.groq.com/openai/v1", "some-new-model"),
        ("gemini", "https://generativelanguage.googleapis.com/v1beta/openai", "gemini-flash-latest"),
        ("custom", "http://127.0.0.1:8000/v1", "m"),
        ("ollama", "http://gpu.example.org:11434/v1", "m"),
    ],
)
def test_an_unknown_price_is_none_and_never_zero(profile, url, model):
    assert price_of(Endpoint(profile, url, ""), model) is None


@pytest.mark.parametrize("profile", ["ollama", "llamacpp"])
def test_a_model_on_this_machine_costs_nothing(profile):
    assert price_of(Endpoint(profile, "http://localhost:11434/v1", ""), "m").of(10, 10) == 0


def test_the_user_s_own_price_comes_first():
    endpoint = Endpoint("groq", "https://api.groq.com/openai/v1", "", price=(1.0, 2.0))
    assert price_of(endpoint, "llama-3.1-8b-instant").of(1_000_000, 1_000_000) == 3.0


def test_gemini_s_long_model_names_are_understood():
    endpoint = Endpoint("gemini", "https://generativelanguage.googleapis.com/v1beta/openai", "")
    assert price_of(endpoint, "models/gemini-2.5-flash") == price_of(endpoint, "gemini-2.5-flash")
