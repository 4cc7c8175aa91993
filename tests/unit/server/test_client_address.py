from __future__ import annotations

import pytest

from litloop.core.errors import SettingsError
from litloop.server.client_address import address_of, is_loopback_host, networks


def scope(client: str | None, *forwarded: str) -> dict:
    headers = [(b"x-forwarded-for", value.encode()) for value in forwarded]
    return {"type": "http", "client": (client, 1) if client else None, "headers": headers}


PROXY = networks(["10.0.0.0/8", "::1"])


@pytest.mark.parametrize(("given", "address"), [
    (scope("203.0.113.9", "1.2.3.4"), "203.0.113.9"),  # no proxy of ours: anyone can write that header
    (scope("10.1.1.1", "1.2.3.4"), "1.2.3.4"),
    (scope("10.1.1.1", "6.6.6.6, 1.2.3.4, 10.2.2.2"), "1.2.3.4"),  # what stands before was invented by the client
    (scope("10.1.1.1", "6.6.6.6", "1.2.3.4"), "1.2.3.4"),
    (scope("10.1.1.1", "junk"), "10.1.1.1"),
    (scope("10.1.1.1"), "10.1.1.1"),
    (scope("::1", "2001:db8:1:2:3::4"), "2001:db8:1:2::/64"),
    (scope("2001:db8:1:2:ffff::1"), "2001:db8:1:2::/64"),
    (scope("::ffff:203.0.113.9"), "203.0.113.9"),
    (scope(None), "unknown"),
    (scope("testclient"), "unknown"),
])  # fmt: skip
def test_the_address_is_the_last_one_that_cannot_be_invented(given, address):
    assert address_of(given, PROXY) == address


@pytest.mark.parametrize(("host", "expected"), [
    ("127.0.0.1", True), ("127.9.9.9", True), ("localhost", True), ("::1", True), ("[::1]", True), ("0.0.0.0", False),
    ("192.168.1.5", False), ("papers.example", False), ("", False), ("::", False),
])  # fmt: skip
def test_loopback_is_told_from_the_rest(host, expected):
    assert is_loopback_host(host) is expected


def test_a_proxy_that_is_no_address_is_a_sentence():
    with pytest.raises(SettingsError, match="addresses and networks"):
        networks(["my-proxy"])
