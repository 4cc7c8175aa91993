"""One outside source as the transport sees it: where it is, how often it may be called, how we say who we are."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from litloop.core.logs import hide
from litloop.core.settings import ProviderSettings, ScholarlySettings
from litloop.net.safe_addresses import is_loopback


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a provider before any setting is read. `interval_s` is the least pause between two calls with
    and without a key or an address given, as the provider's own pages ask."""

    name: str
    label: str
    base_url: str
    interval_s: float
    named_interval_s: float | None = None  # with a key (or an e-mail address, where that is what counts)
    key_header: str | None = None
    key_parameter: str | None = None
    mail_parameter: str | None = None
    mail_counts: bool = False  # the e-mail address, not a key, earns the shorter pause
    needs_mail: bool = False
    parameters: Mapping[str, str] = field(default_factory=dict)  # sent with every request


@dataclass(frozen=True, slots=True)
class Service:
    """A source with the settings read. `private` parameters and headers are sent, but never logged, cached or shown."""

    name: str
    label: str
    base_url: str
    interval_s: float
    keyed: bool = False
    private: Mapping[str, str] = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    missing: str | None = None  # what has to be set before it can be asked

    @property
    def place(self) -> str:
        """What its failures are of: a mirror or a test world that failed says nothing of the provider's own address."""
        return f"{self.name}@{self.base_url}"

    @property
    def who(self) -> str:
        """By what its limits count: its place and our key, which is not readable from here."""
        secrets = "\0".join(sorted([*self.private.values(), *self.headers.values()]))
        return f"{self.name}@{urlsplit(self.base_url).netloc}#{hashlib.sha256(secrets.encode()).hexdigest()[:12]}"


def service_of(facts: Facts, provider: ProviderSettings, scholarly: ScholarlySettings) -> Service:
    """A provider's service. A server on this machine has no pause but one that is set: a test world, or a mirror."""
    key = provider.api_key.get_secret_value().strip() if provider.api_key else ""
    hide([key])
    base_url = _base_url(facts, provider.base_url)
    private = dict(facts.parameters)
    if facts.mail_parameter and scholarly.mailto:
        private[facts.mail_parameter] = scholarly.mailto
    if key and facts.key_parameter:
        private[facts.key_parameter] = key
    return Service(
        name=facts.name,
        label=facts.label,
        base_url=base_url,
        interval_s=_interval(facts, provider, base_url, bool(scholarly.mailto) if facts.mail_counts else bool(key)),
        keyed=bool(key),
        private=private,
        headers={facts.key_header: key} if key and facts.key_header else {},
        missing=_missing(facts, scholarly),
    )


def _base_url(facts: Facts, given: str | None) -> str:
    """The address given in place of the provider's own. A bare host keeps the provider's usual path."""
    given = (given or facts.base_url).rstrip("/")
    return given if urlsplit(given).path else given + urlsplit(facts.base_url).path


def _interval(facts: Facts, provider: ProviderSettings, base_url: str, named: bool) -> float:
    if provider.min_interval_s is not None:
        return provider.min_interval_s
    if is_loopback(base_url):
        return 0.0
    return facts.named_interval_s if named and facts.named_interval_s is not None else facts.interval_s


def _missing(facts: Facts, scholarly: ScholarlySettings) -> str | None:
    if facts.needs_mail and not scholarly.mailto:
        return f"{facts.label} needs an e-mail address: set LITLOOP_SCHOLARLY__MAILTO."
    return None
