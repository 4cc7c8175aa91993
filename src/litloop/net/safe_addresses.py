"""Addresses from strangers: which may be asked for, and on which machine they end.

A database (or whoever writes into one) may name any address as an open-access copy, also one inside the network of
the reader. So only http and https on their own ports are followed, the name is resolved here, every address it has
must be a public one, and the connection goes to the very address that was checked: a name that resolves otherwise a
moment later gains nothing.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

import httpx

IP = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str, int], Awaitable[list[str]]]

_PORTS = {"http": 80, "https": 443}
_LONGEST = 2000  # characters of an address
# IPv6 networks whose addresses lead to an IPv4 address: the network, and where the four bytes stand.
_CARRIERS = (
    (ipaddress.IPv6Network("::ffff:0:0/96"), 12),  # IPv4-mapped
    (ipaddress.IPv6Network("64:ff9b::/96"), 12),  # NAT64
    (ipaddress.IPv6Network("2002::/16"), 2),  # 6to4
)
# All public IPv6 addresses begin like this (RFC 4291). What lies outside is local, reserved or a carrier: site-local
# fec0::, unique local fc00::, local NAT64 64:ff9b:1::, IPv4-compatible, IPv4-translated and segment routing.
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
# Public by their numbers, and not on the public internet all the same.
_NOT_PUBLIC = tuple(
    ipaddress.ip_network(network)
    for network in (
        "192.0.0.0/24",  # protocol assignments, and the metadata of one of the clouds
        "168.63.129.16/32",  # services for the machine itself in one of the clouds
        "192.88.99.0/24",  # relays of 6to4, given up
        "192.31.196.0/24", "192.52.193.0/24", "192.175.48.0/24",  # anycast of AS112 and AMT
        "2001::/23",  # Teredo, benchmarking, ORCHID and other protocol assignments
        "2001:db8::/32", "3fff::/20",  # documentation
        "2620:4f:8000::/48",  # AS112
    )
)  # fmt: skip


class RefusedAddress(ValueError):
    """The address may not be asked for. The message is one sentence that names no more than its host."""


@dataclass(frozen=True, slots=True)
class CheckedAddress:
    """An address whose host was resolved and found public, and the address of the machine to connect to."""

    url: httpx.URL
    ip: str

    @property
    def host(self) -> str:
        return self.url.host

    @property
    def pinned(self) -> httpx.URL:
        """The address with the checked IP in place of the name."""
        return self.url.copy_with(host=self.ip)


async def resolve(host: str, port: int) -> list[str]:
    """All addresses of a host, as the system tells them. Raises OSError where it has none."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


async def checked_address(url: str, *, allow_loopback: bool = False, resolver: Resolve = resolve) -> CheckedAddress:
    """The address, ready to connect to. Raises RefusedAddress where it may not be asked for or leads nowhere."""
    parsed = _parsed(url)
    host = parsed.host
    port = parsed.port or _PORTS[parsed.scheme]
    if port != _PORTS[parsed.scheme] and not allow_loopback:
        raise RefusedAddress(f"{host} is named with port {port}; only the ordinary web ports are asked.")
    try:
        addresses = await resolver(host, port)
    except (OSError, UnicodeError):
        raise RefusedAddress(f"{host} could not be found.") from None
    if not addresses:
        raise RefusedAddress(f"{host} could not be found.")
    for address in addresses:
        if not is_public(address) and not (allow_loopback and _is_loopback(address)):
            raise RefusedAddress(f"{host} is not on the public internet, so it is not asked.")
    return CheckedAddress(parsed, addresses[0])


def is_public(address: str) -> bool:
    """Whether an IP address is a public one, by itself and by any IPv4 address inside it."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if "%" in address:  # a zone: only addresses of the own link have one
        return False
    carried = _carried(ip)
    return _is_public(carried) if carried else _is_public(ip)


def _is_public(ip: IP) -> bool:
    if any(ip.version == network.version and ip in network for network in _NOT_PUBLIC):
        return False
    if ip.version == 6 and ip not in _GLOBAL_UNICAST:
        return False
    odd = ip.is_multicast or ip.is_unspecified or ip.is_reserved or ip.is_loopback or ip.is_link_local or ip.is_private
    return ip.is_global and not odd


def _carried(ip: IP) -> IP | None:
    """The IPv4 address that an IPv6 address leads to."""
    at = next((at for network, at in _CARRIERS if ip.version == 6 and ip in network), None)
    return None if at is None else ipaddress.IPv4Address(ip.packed[at : at + 4])


def _is_loopback(address: str) -> bool:
    ip = ipaddress.ip_address(address.partition("%")[0])
    carried = _carried(ip)
    return ip.is_loopback or (carried is not None and carried.is_loopback)


def _parsed(url: str) -> httpx.URL:
    if len(url) > _LONGEST:
        raise RefusedAddress("An address of more than 2,000 characters is not asked for.")
    if any(ord(char) < 33 or ord(char) == 127 for char in url):
        raise RefusedAddress("An address with white space or control characters is not asked for.")
    try:
        parsed = httpx.URL(url)
    except (httpx.InvalidURL, ValueError, UnicodeError):
        raise RefusedAddress("This is not a valid address.") from None
    if parsed.scheme not in _PORTS:
        raise RefusedAddress(f"Only http and https addresses are asked for, not {parsed.scheme[:20] or 'bare names'}.")
    if not parsed.host:
        raise RefusedAddress("The address names no host.")
    if parsed.userinfo:
        raise RefusedAddress(f"The address on {parsed.host} carries a user name or password, so it is not asked for.")
    return parsed


_HOST = re.compile(r"(?:\[(?P<ipv6>[0-9A-Fa-f:.]+)\]|(?P<name>[^\[\]:@\\]+))(?::\d{1,5})?")


def is_loopback(url: str) -> bool:
    """Whether an address names this machine: `localhost` or an address of its own, and nothing before or after it."""
    try:
        match = _HOST.fullmatch(urlsplit(url).netloc)
    except ValueError:
        return False
    host = (match["ipv6"] or match["name"]).lower() if match else ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
