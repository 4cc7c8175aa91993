"""What a field of knowledge adds. The engine knows nothing of any field.

A pack is found by name; a collection remembers the name of its pack. Packages outside litloop add theirs under
the entry point group `litloop.domains`, each entry naming a DomainPack.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import entry_points

from litloop.core.errors import UsageError
from litloop.core.logs import Log
from litloop.domains.domain_pack import DomainPack

__all__ = ["DomainPack", "domain_pack", "installed_packs"]

log = Log("domains")

BUILT_IN = {"general": "litloop.domains.general", "neurology": "litloop.domains.neurology"}


def domain_pack(name: str | None) -> DomainPack:
    """The pack of that name; None gives the general one.

    Raises UsageError naming the packs there are, or why one that is installed cannot be used.
    """
    name = name or "general"
    if name in BUILT_IN:
        pack: DomainPack = import_module(BUILT_IN[name]).PACK
        return pack
    outside = {entry.name: entry for entry in entry_points(group="litloop.domains")}
    if name in outside:
        try:
            loaded = outside[name].load()
        except Exception as error:  # whatever the code of others raises when it is imported
            raise UsageError(f"The domain {name!r} is installed but cannot be loaded: {error}.") from error
        if isinstance(loaded, DomainPack):
            return loaded
        raise UsageError(f"The domain {name!r} is installed, but {outside[name].value} is no DomainPack.")
    known = ", ".join(sorted({*BUILT_IN, *outside}))
    raise UsageError(f"There is no domain called {name!r}. Known domains: {known}.")


def installed_packs() -> Iterator[DomainPack]:
    """Every pack that can be loaded: litloop's own first, then those of other packages by name."""
    outside = sorted({entry.name for entry in entry_points(group="litloop.domains")} - BUILT_IN.keys())
    for name in (*BUILT_IN, *outside):
        try:
            yield domain_pack(name)
        except UsageError as error:
            log.warning("a domain was left out", domain=name, reason=str(error))
