import sys

import httpx
import pytest

from litloop.core.errors import MissingExtra, SettingsError
from litloop.net.proxies import proxies_understood


@pytest.fixture(autouse=True)
def _without_proxies(monkeypatch):
    for name in ("ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY"):
        for variant in (name, name.lower()):
            monkeypatch.delenv(variant, raising=False)


@pytest.mark.parametrize("name", ["ALL_PROXY", "https_proxy", "HTTP_PROXY"])
@pytest.mark.parametrize("scheme", ["socks5", "socks5h"])
def test_a_socks_proxy_without_its_package_names_the_variable_and_the_command(monkeypatch, name, scheme):
    monkeypatch.setitem(sys.modules, "socksio", None)
    monkeypatch.setenv(name, f"{scheme}://me:secret@127.0.0.1:1080")
    with pytest.raises(MissingExtra) as raised, proxies_understood():
        httpx.AsyncClient()
    assert name in str(raised.value)
    assert "pip install 'httpx[socks]'" in str(raised.value)
    assert "secret" not in str(raised.value)


def test_a_proxy_of_an_unknown_kind_is_one_sentence(monkeypatch):
    monkeypatch.setenv("ALL_PROXY", "gopher://me:secret@127.0.0.1:70")
    with pytest.raises(SettingsError) as raised, proxies_understood():
        httpx.AsyncClient()
    assert str(raised.value).startswith("ALL_PROXY holds an address that no client can use")
    assert "secret" not in str(raised.value)


def test_other_errors_pass():
    for error in (ImportError("no such module"), ValueError("another")):
        with pytest.raises(type(error)), proxies_understood():
            raise error
