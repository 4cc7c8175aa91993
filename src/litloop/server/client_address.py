"""Who is asking: the address behind a connection, or behind the proxies that are trusted to name it."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence

from starlette.datastructures import Headers
from starlette.types import Scope

from litloop.core.errors import SettingsError

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def networks(words: Sequence[str]) -> tuple[Network, ...]:
    """Networks from addresses and CIDR words. Raises SettingsError for anything else."""
    try:
        return tuple(ipaddress.ip_network(word, strict=False) for word in words)
    except ValueError:
        raise SettingsError(
            "The setting server.trusted_proxies takes addresses and networks, as in 10.0.0.0/8."
        ) from None


def address_of(scope: Scope, trusted: Sequence[Network]) -> str:
    """The client's address: of the connection, unless that is a trusted proxy; then the last address in
    X-Forwarded-For that is not one (those before it can be invented by anyone). An IPv6 client is its /64."""
    client = scope.get("client")
    address = _parsed(client[0]) if client else None
    if address is None:
        return "unknown"
    if _in(address, trusted):
        told = ",".join(Headers(scope=scope).getlist("x-forwarded-for")).split(",")
        for word in reversed(told):
            named = _parsed(word.strip())
            if named is None:
                break
            address = named
            if not _in(named, trusted):
                break
    if address.version == 6:
        return str(ipaddress.ip_network((int(address), 64), strict=False))
    return str(address)


def is_loopback_host(host: str) -> bool:
    """Whether a server bound to `host` can be reached from this machine only."""
    if host.lower() == "localhost":
        return True
    address = _parsed(host.strip("[]"))
    return address is not None and address.is_loopback


def _parsed(word: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        address = ipaddress.ip_address(word)
    except ValueError:
        return None
    mapped = getattr(address, "ipv4_mapped", None)
    return mapped or address


def _in(address: ipaddress.IPv4Address | ipaddress.IPv6Address, trusted: Sequence[Network]) -> bool:
    return any(address.version == network.version and address in network for network in trusted)
