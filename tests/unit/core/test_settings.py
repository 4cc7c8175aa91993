from __future__ import annotations

import re
from pathlib import Path

import pytest

import litloop
from litloop.core.errors import SettingsError
from litloop.core.settings import ALIASES, Settings, load_settings
from litloop.core.settings.library import TASKS


def load(environ=None, **overrides) -> Settings:
    return load_settings(environ=environ or {}, dotenv=None, **overrides)


def test_defaults_need_no_source_at_all():
    assert load() == Settings()


def test_every_alias_fills_an_existing_setting():
    values = {"TAVILY_ENABLED": "true", "SYNTHESIS_ENABLED": "false", "EMBEDDING_MODEL": "m", "RERANKER_MODEL": "r",
              "CHUNK_SIZE": "300", "CHUNK_OVERLAP": "40"}  # fmt: skip
    for name in ALIASES:
        load({name: values.get(name, "0.5" if "KEY" not in name else "secret")})


def test_our_own_name_wins_over_the_names_of_other_systems():
    assert load({"CHUNK_SIZE": "300", "LITLOOP_PASSAGES__SIZE": "200"}).passages.size == 200


def test_the_environment_wins_over_dotenv_and_dotenv_over_the_librarys_file(tmp_path):
    (tmp_path / "litloop.toml").write_text("[search]\nk = 3\ncandidates = 50\n[search_loop]\ntop_k = 9\n")
    (tmp_path / ".env").write_text("LITLOOP_SEARCH__K=4\nLITLOOP_SEARCH__CANDIDATES=60\n")
    settings = load_settings(tmp_path, environ={"LITLOOP_SEARCH__K": "5"}, dotenv=tmp_path / ".env")
    assert (settings.search.k, settings.search.candidates, settings.search_loop.top_k) == (5, 60, 9)


def test_a_callers_word_wins_over_everything():
    assert load({"LITLOOP_SEARCH__K": "5"}, search={"k": 6}).search.k == 6


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ("[search]\nk = 0", r"search\.k .*\(set in the library's litloop\.toml\)"),
        ("[search]\nkk = 1", r"search\.kk \(set in the library's litloop\.toml\)"),
        ("search = 3", r"search .*\(set in the library's litloop\.toml\)"),
        ("[passages]\nsize = 100\noverlap = 300", r"overlap.*\(set in the library's litloop\.toml\)"),
        ("[server]\nheartbeat_s = 'often'", r"server\.heartbeat_s.*\(set in the library's litloop\.toml\)"),
    ],
)
def test_a_wrong_value_in_the_librarys_file_is_blamed_on_that_file(tmp_path, toml: str, words: str):
    (tmp_path / "litloop.toml").write_text(toml, encoding="utf-8")
    with pytest.raises(SettingsError, match=words) as caught:
        load_settings(tmp_path, environ={}, dotenv=None)
    assert "LITLOOP_" not in str(caught.value)


def test_a_wrong_value_is_blamed_on_whoever_gave_it_last(tmp_path):
    (tmp_path / "litloop.toml").write_text("[search]\nk = 5", encoding="utf-8")
    with pytest.raises(SettingsError, match=r"search\.k .*\(given by the caller\)"):
        load_settings(tmp_path, environ={"LITLOOP_SEARCH__K": "7"}, dotenv=None, search={"k": 0})
    with pytest.raises(SettingsError, match=r"search\.k .*\(set by LITLOOP_SEARCH__K\)"):
        load_settings(tmp_path, environ={"LITLOOP_SEARCH__K": "0"}, dotenv=None)


def test_library_and_test_variables_are_not_settings():
    load({"LITLOOP_LIBRARY": "x", "LITLOOP_TEST_DATA": "y", "LITLOOP_TEST_ANYTHING": "z"})


@pytest.mark.parametrize(
    ("environ", "words"),
    [
        ({"LITLOOP_NOTHING__K": "1"}, "no setting called nothing"),
        ({"LITLOOP_SERCH__K": "1"}, "Did you mean search?"),
        ({"LITLOOP_SEARCH__FUSON": "rrf"}, "Did you mean search.fusion?"),
        ({"LITLOOP_SEARCH__KK": "1"}, "search.kk"),
        ({"LITLOOP_SEARCH__K": "many"}, "search.k"),
        ({"LITLOOP_SEARCH__K": "0"}, "search.k"),
        ({"LITLOOP_LLM__PROFILE": "gpt"}, "llm.profile"),
        ({"CHUNK_OVERLAP": "400"}, "overlap must be smaller"),
    ],
)
def test_a_wrong_setting_is_one_sentence_naming_it(environ, words):
    with pytest.raises(SettingsError, match=words) as caught:
        load(environ)
    assert "\n" not in str(caught.value)


def test_a_secret_never_shows_in_errors_or_in_print():
    settings = load({"GROQ_API_KEY": "gsk_very_secret"})
    assert "very_secret" not in repr(settings)
    with pytest.raises(SettingsError) as caught:
        load({"GROQ_API_KEY": "gsk_very_secret", "LITLOOP_LLM__ATTEMPTS": "gsk_very_secret"})
    assert "very_secret" not in str(caught.value)


def test_broken_toml_is_one_sentence(tmp_path):
    (tmp_path / "litloop.toml").write_text("k = = 3")
    with pytest.raises(SettingsError, match="not valid TOML"):
        load_settings(tmp_path, environ={}, dotenv=None)


def test_a_limit_is_taken_away_by_a_word_since_an_empty_variable_is_one_that_is_not_set():
    assert load({"LITLOOP_SERVER__QUERY_LIMIT": ""}).server.query_limit == "10/minute"
    assert load({"LITLOOP_SERVER__QUERY_LIMIT": "off"}).server.query_limit == ""
    with pytest.raises(SettingsError, match="or off"):
        load({"LITLOOP_SERVER__QUERY_LIMIT": "many"})


def test_a_role_of_no_task_is_refused_and_every_task_of_a_judge_may_have_one():
    with pytest.raises(SettingsError, match="no task is called relevanc; known are hyde, "):
        load({"LITLOOP_LLM__ROLES__RELEVANC": "offline"})
    source = Path(litloop.__file__).parent
    asked = {task for file in source.rglob("*.py") for task in re.findall(r'task="(\w+)"', file.read_text("utf-8"))}
    assert asked == set(TASKS)


def test_a_key_where_its_hash_belongs_is_refused_and_not_repeated():
    digest = "16A5cdda36d9fda09463d778f2cdc367fa73dd58eab8de3fb616466376197d9a"
    kept = load({"LITLOOP_SERVER__API_KEYS": f"sha256:{digest}, {digest}"}).server.api_keys
    assert kept == (digest.lower(), digest.lower())
    with pytest.raises(SettingsError, match="not the SHA-256 of a key") as refused:
        load({"LITLOOP_SERVER__API_KEYS": "ll_meIRsecretkey"})
    assert "meIR" not in str(refused.value)
