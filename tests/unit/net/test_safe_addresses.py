from __future__ import annotations

import asyncio

import pytest

from litloop.net.safe_addresses import RefusedAddress, checked_address, is_loopback, is_public


@pytest.mark.parametrize(
    "address",
    ["8.8.8.8", "2606:4700::1", "2001:4860:4860::8888", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::"],
)
def test_public_addresses_are_public(address: str):
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.9.9.9", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
        "192.0.2.1", "198.18.0.1", "224.0.0.1", "255.255.255.255", "::1", "::", "::127.0.0.1", "::ffff:127.0.0.1",
        "::ffff:10.0.0.1", "::ffff:0:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::a00:1", "2002:7f00:1::", "2002:a00:1::",
        "2001:0:7f00:1::", "fe80::1", "fe80::1%eth0", "2606:4700::1%eth0", "fc00::1", "fd00:ec2::254", "ff02::1", "no address",
    ],
)  # fmt: skip
def test_addresses_of_machines_networks_and_groups_are_not(address: str):
    assert not is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "fec0::1", "feff::1", "fe80::a00:1", "fc00:1::1", "64:ff9b:1::808:808", "64:ff9b::a9fe:a9fe", "::8.8.8.8", "::ffff:0:8.8.8.8",
        "2001:0:808:808::f7f7:f7f7", "2001:10::1", "2001:20::1", "2001:2::1", "2001:db8::8888", "3fff::1", "5f00::1", "100::1", "4000::1",
        "e000::1", "2002:c0a8:101::1", "2002:a9fe:a9fe::", "::ffff:169.254.169.254", "::ffff:100.64.0.1", "0.0.0.1", "100.100.100.200",
        "168.63.129.16", "::ffff:168.63.129.16", "192.0.0.192", "192.88.99.1", "192.0.2.7", "198.51.100.1", "203.0.113.9", "198.19.255.255",
        "240.0.0.1", "239.1.2.3", "ff0e::1", "127.1", "0177.0.0.1", "2130706433", "8.8.8.8%eth0", "8.8.8.8 ", "[::1]",
    ],
)  # fmt: skip
def test_what_only_looks_public_or_leads_inside_is_not(address: str):
    assert not is_public(address)


FORGED = [
    "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "017700000001", "127.0.0.1.", "0", "0.0.0.0",
    "0x0", "00000", "3232235777", "0xc0a80101", "0300.0250.1.1", "192.168.257", "10.1", "0xa.1", "012.0.0.1", "2852039166",
    "0xa9fea9fe", "0251.0376.0251.0376", "169.254.43518", "[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]",
    "[::ffff:a9fe:a9fe]", "[::127.0.0.1]", "[::ffff:0:127.0.0.1]", "[64:ff9b::127.0.0.1]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]",
    "[2002:c0a8:101::1]", "[2001:0:7f00:1::]", "[fec0::1]", "[fe80::1]", "[fe80::1%25lo]", "[fd00::1]", "[ff02::1]", "localhost", "localhost.",
    "LOCALHOST", "１２７.0.0.1", "127。0。0。1", "①②⑦.⓪.⓪.①", "user@127.0.0.1", "8.8.8.8@127.0.0.1", "127.0.0.1:80", "127.0.0.1:080",
    "8.8.8.8\\@127.0.0.1", "8.8.8.8#@127.0.0.1", "127.0.0.1#@8.8.8.8", "127.0.0.1?@8.8.8.8", "127.0.0.1\\.8.8.8.8", "[::1]evil.com",
    "[::1].evil.com", "%31%32%37.0.0.1", "127.0.0.1%00.evil.com", "127.0.0.1%2eevil.com", "[::1%25eth0]",
]  # fmt: skip


@pytest.mark.parametrize("host", FORGED)
def test_no_forged_address_passes_whatever_this_machine_makes_of_it(host: str):
    """The machine's own resolver: it reads octal, hexadecimal and short forms as addresses too."""
    try:
        passed = asyncio.run(checked_address(f"http://{host}/latest/meta-data/"))
    except RefusedAddress:
        return
    assert passed.ip == "8.8.8.8"  # what stands before a "#" or "?" is the host, and nothing else is asked
    assert passed.host == "8.8.8.8"


@pytest.mark.parametrize(
    "url", ["http://localhost:8080/v1", "http://127.0.0.1", "https://[::1]:8443/x", "http://LOCALHOST/"]
)
def test_an_address_of_this_machine_is_told(url: str):
    assert is_loopback(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://[::1]evil.com/", "http://[::1].evil.com/", "http://localhost@evil.com/", "http://127.0.0.1@evil.com/", "http://evil.com#127.0.0.1",
        "http://localhost.evil.com/", "http://127.0.0.1.evil.com", "http://evil.com\\@localhost/", "localhost", "http://localhost:1:2/", "http://[::1",
    ],
)  # fmt: skip
def test_what_only_begins_like_this_machine_is_not(url: str):
    assert not is_loopback(url)


def check(url: str, *addresses: str, allow_loopback: bool = False):
    async def resolver(host: str, port: int) -> list[str]:
        if not addresses:
            raise OSError("no such host")
        return list(addresses)

    return asyncio.run(checked_address(url, allow_loopback=allow_loopback, resolver=resolver))


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd", "ftp://host/x", "gopher://host/", "data:text/html,x", "javascript:alert(1)", "//host/x", "host/x",
        "http:///x", "https://user:secret@host/x", "https://host:22/x", "http://host:8080/", "http://host/a b", "http://host/\r\nX: y",
        "http://ho\x00st/", "", "http://[::1", "https://host/" + "x" * 3000,
    ],
)  # fmt: skip
def test_what_is_no_ordinary_web_address_is_refused(url: str):
    with pytest.raises(RefusedAddress) as refused:
        check(url, "8.8.8.8")
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "0x7f.1", "2130706433", "[::1]", "metadata.internal"])
def test_a_name_that_leads_inside_is_refused_however_it_is_written(host: str):
    with pytest.raises(RefusedAddress, match="public internet"):
        check(f"http://{host}/latest/meta-data", "127.0.0.1" if host != "metadata.internal" else "169.254.169.254")


def test_one_private_address_among_public_ones_is_enough_to_refuse():
    with pytest.raises(RefusedAddress):
        check("https://host/x", "8.8.8.8", "10.0.0.1")


def test_a_host_that_is_not_there_is_refused_in_a_sentence():
    with pytest.raises(RefusedAddress, match=r"nowhere\.example could not be found"):
        check("https://nowhere.example/x")


def test_the_connection_goes_to_the_address_that_was_checked():
    address = check("https://host.example/paper.pdf?x=1", "93.184.215.14", "2606:4700::1")
    assert str(address.pinned) == "https://93.184.215.14/paper.pdf?x=1"
    assert address.host == "host.example"


def test_loopback_is_let_through_only_where_a_setting_says_so():
    assert check("http://127.0.0.1:8080/x", "127.0.0.1", allow_loopback=True).ip == "127.0.0.1"
    with pytest.raises(RefusedAddress):
        check("http://host/x", "10.0.0.1", allow_loopback=True)
