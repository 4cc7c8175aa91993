"""A library's own settings receive no key and no question without the user's consent."""

from __future__ import annotations

from pathlib import Path

import pytest

from litloop.core.errors import SettingsError
from litloop.core.settings import load_settings
from litloop.core.settings.consent import ConsentBook, leads_of
from litloop.llm.profiles import primary

ELSEWHERE = "https://models.example.org/v1"


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LITLOOP_CONFIG", str(tmp_path / "config"))
    return tmp_path / "config"


def library(tmp_path: Path, toml: str, name: str = "shared") -> Path:
    folder = tmp_path / name
    folder.mkdir()
    (folder / "litloop.toml").write_text(toml, encoding="utf-8")
    return folder


def loaded(folder: Path, **environ: str):
    return load_settings(folder, environ=environ, dotenv=None)


@pytest.mark.parametrize("address", [ELSEWHERE, "http://127.0.0.1:9/v1", "http://localhost:9"])
def test_an_address_in_a_librarys_file_gets_neither_the_users_key_nor_a_question(tmp_path: Path, address: str) -> None:
    folder = library(tmp_path, f'[llm]\nprofile = "openai"\nbase_url = "{address}"\n')
    settings = loaded(folder, OPENAI_API_KEY="sk-of-the-user")
    assert primary(settings) is None or address not in primary(settings).base_url
    assert settings.llm.profile == "offline"
    assert settings.withheld is not None
    assert "litloop trust" in settings.withheld


@pytest.mark.parametrize(
    "toml",
    [
        '[telemetry]\nendpoint = "https://t.example.org"\ncontent = true\n',
        '[scholarly.crossref]\nbase_url = "https://c.example.org"\n',
        '[web.tavily]\nbase_url = "https://w.example.org"\n',
        '[paths.proxy]\nbase_url = "https://p.example.org"\n',
        '[compression]\nkind = "paritok"\nbase_url = "https://z.example.org"\n',
        '[llm]\napi_key = "sk-of-a-stranger"\n',
        '[server]\nhost = "0.0.0.0"\n',
    ],
)
def test_every_setting_that_leads_out_or_in_is_withheld(tmp_path: Path, toml: str) -> None:
    settings = loaded(library(tmp_path, toml))
    assert settings.withheld is not None
    assert "example.org" not in str(settings.model_dump())
    assert "sk-of-a-stranger" not in settings.withheld


def test_settings_that_lead_nowhere_are_used_as_they_are(tmp_path: Path) -> None:
    settings = loaded(library(tmp_path, "[search]\nk = 7\n"))
    assert (settings.search.k, settings.withheld) == (7, None)


def test_consent_is_remembered_for_one_library_and_these_values_and_can_be_taken_back(
    tmp_path: Path, config: Path
) -> None:
    folder = library(tmp_path, f'[llm]\nprofile = "custom"\nmodel = "m"\nbase_url = "{ELSEWHERE}"\n')
    other = library(tmp_path, (folder / "litloop.toml").read_text(), "other")
    book = ConsentBook(config)
    book.agree(folder, leads_of({"llm": {"base_url": ELSEWHERE}}))
    assert loaded(folder).withheld is None
    assert loaded(folder).llm.base_url == ELSEWHERE
    assert loaded(other).withheld is not None  # another library is another question
    (folder / "litloop.toml").write_text('[llm]\nbase_url = "https://evil.example.org"\n', encoding="utf-8")
    assert loaded(folder).withheld is not None  # and so is another address
    assert not list(folder.glob("*trusted*"))  # nothing of it lies in the library
    assert book.revoke(folder)
    assert not book.revoke(folder)


def test_what_the_user_sets_themselves_needs_no_consent(tmp_path: Path) -> None:
    folder = library(tmp_path, f'[llm]\nbase_url = "{ELSEWHERE}"\n')
    settings = loaded(folder, LITLOOP_LLM__BASE_URL="https://mine.example.net/v1")
    assert (settings.llm.base_url, settings.withheld) == ("https://mine.example.net/v1", None)


def test_trust_lets_a_library_lead_out_for_one_call(tmp_path: Path) -> None:
    folder = library(tmp_path, f'[llm]\nbase_url = "{ELSEWHERE}"\n')
    assert load_settings(folder, environ={}, dotenv=None, trust=True).llm.base_url == ELSEWHERE
    assert loaded(folder).withheld is not None


def test_a_wrong_value_in_the_librarys_file_is_blamed_on_that_file(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"litloop\.toml"):
        loaded(library(tmp_path, '[search]\nk = "many"\n'))
    with pytest.raises(SettingsError, match="LITLOOP_SEARCH__K"):
        loaded(library(tmp_path, "[search]\nk = 5\n", "fine"), LITLOOP_SEARCH__K="many")
