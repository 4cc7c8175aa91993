"""Proxies of the environment: what an HTTP client cannot do with one is said in a sentence a person can act on."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from litloop.core.errors import MissingExtra, SettingsError

_VARIABLES = ("ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY")


@contextmanager
def proxies_understood(environ: Mapping[str, str] | None = None) -> Iterator[None]:
    """Around the making of an HTTP client. Raises MissingExtra for a SOCKS proxy whose package is not installed, and
    SettingsError for a proxy of a kind that no client knows."""
    try:
        yield
    except ImportError as error:
        if "socks" not in str(error).lower():
            raise
        what = f"The package for the SOCKS proxy in {_naming('socks', environ)} (socksio)"
        raise MissingExtra(what, "", command="pip install 'httpx[socks]'") from None
    except ValueError as error:
        if "proxy" not in str(error).lower():
            raise
        raise SettingsError(
            f"{_naming('', environ)} holds an address that no client can use: "
            "a proxy begins with http://, https://, socks5:// or socks5h://."
        ) from None


def _naming(scheme: str, environ: Mapping[str, str] | None) -> str:
    """The variable that holds a proxy of a scheme. Its value stays out of the sentence: it may hold a login."""
    environ = os.environ if environ is None else environ
    names = [name for upper in _VARIABLES for name in (upper, upper.lower())]
    held = (name for name in names if environ.get(name, "").lower().startswith(scheme) and environ.get(name))
    return next(held, "the system's proxy settings")
