"""Who may ask: API keys by their hashes, and cookies that stand for one in a browser."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Sequence

COOKIE = "litloop_session"
LIFETIME_S = 12 * 3600
MOST_OPEN = 1000


def new_key() -> tuple[str, str]:
    """A key for a client, and what the settings keep of it."""
    key = "ll_" + secrets.token_urlsafe(32)
    return key, hash_of(key)


def hash_of(key: str) -> str:
    """SHA-256 is enough: a key is 256 random bits, which no table or guess reaches."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


class Sessions:
    """Knows the keys. Without any key, everybody may ask."""

    def __init__(self, api_keys: Sequence[str]) -> None:
        self._hashes = tuple(api_keys)
        self._open: dict[str, float] = {}  # hash of a cookie's token -> when it ends

    @property
    def needed(self) -> bool:
        return bool(self._hashes)

    def knows(self, key: str) -> bool:
        """Compared with every hash in full, so that the time taken tells nothing."""
        given = hash_of(key)
        found = False
        for known in self._hashes:
            found |= hmac.compare_digest(given, known)
        return found

    def open(self, key: str) -> str | None:
        """A cookie's token for a known key, None for any other."""
        if not self.knows(key):
            return None
        now = time.monotonic()
        self._open = {token: ends for token, ends in self._open.items() if ends > now}
        while len(self._open) >= MOST_OPEN:
            self._open.pop(next(iter(self._open)))
        token = secrets.token_urlsafe(32)
        self._open[hash_of(token)] = now + LIFETIME_S
        return token

    def is_open(self, token: str) -> bool:
        return self._open.get(hash_of(token), 0.0) > time.monotonic()

    def close(self, token: str) -> None:
        self._open.pop(hash_of(token), None)
