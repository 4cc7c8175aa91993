"""Consent: what a library's own settings may lead out of this machine, once its user has agreed.

A library is a folder, and folders are shared. An address in its `litloop.toml` would receive the user's keys and
questions, a key in it would put their questions on somebody else's account, and some words of `[server]` would open
their machine. So none of these counts until the user has agreed, for this library and these very values. The agreement
is kept in the user's own folder of settings, never in the library. Loopback addresses are no exception: what listens
there need not be the user's.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from litloop.core.errors import LibraryError
from litloop.core.logs import redact

FILE = "trusted-libraries.json"
ENGINE = ("engine", "url")

_SERVER = frozenset({"host", "hosts", "origins", "trusted_proxies", "api_keys"})
_ADDRESSES = frozenset({"base_url", "endpoint", "url"})


@dataclass(frozen=True, slots=True)
class Lead:
    """A setting of a library that leads out of this machine, or into it, as ("llm", "base_url"), and its value."""

    path: tuple[str, ...]
    value: str

    @property
    def name(self) -> str:
        return ".".join(self.path)

    @property
    def is_key(self) -> bool:
        return self.path[-1].endswith("api_key")

    @property
    def shown(self) -> str:
        """In words for the user. Keys are not shown."""
        return f"{self.name} (a key)" if self.is_key else f"{self.name} = {redact(self.value)}"

    @property
    def receives(self) -> str:
        """What would be sent there."""
        if self.is_key:
            return "questions and passages would be counted to the account of this key"
        return {
            "llm": "receives questions, passages and the key of the model's provider",
            "paths": "receives questions, passages and the key of the model's provider",
            "compression": "receives questions, passages and the key for compression",
            "telemetry": "receives what your runs do and, with telemetry.content, questions and answers",
            "scholarly": "receives the queries of research, your e-mail address and the key of this database",
            "web": "receives questions and the key of this web engine",
            "engine": "receives the words and vectors of what you ask and add, and the key of the engine",
            "catalogue": "receives everything that you add, and decides what is in the library",
        }.get(self.path[0], "decides who may reach your server")

    def digest(self) -> str:
        told = json.dumps([self.path, self.value])
        return hashlib.sha256(told.encode()).hexdigest()


def leads_of(tree: Mapping[str, Any]) -> list[Lead]:
    """The settings in `tree`, as a library's file gives them, that need consent; in the order of their names."""
    return sorted(_leads(tree, ()), key=lambda lead: lead.name)


def _leads(tree: Mapping[str, Any], above: tuple[str, ...]) -> Iterator[Lead]:
    for name, value in tree.items():
        path = (*above, str(name))
        if isinstance(value, Mapping):
            yield from _leads(value, path)
        elif (
            name in _ADDRESSES or str(name).endswith("api_key") or (above == ("server",) and name in _SERVER)
        ) and value not in (None, "", [], ()):
            yield Lead(path, value if isinstance(value, str) else json.dumps(value, default=str))


def withheld(tree: dict[str, Any], leads: Sequence[Lead]) -> None:
    """Take these settings out of `tree`, and turn off what they belong to: where a library means to use a gateway or a
    model of its own, what is asked must not go to another one instead."""
    for lead in leads:
        *above, name = lead.path
        section = tree
        for part in above:
            section = section[part]
        del section[name]
        if lead.is_key:
            continue
        match above:
            case ["llm"] | ["paths", _]:
                tree["llm"] = {**tree.get("llm", {}), "profile": "offline"}
                tree["llm"].pop("roles", None)
            case ["compression"]:
                section["kind"] = "extractive"
            case ["scholarly", *_] | ["web", _]:
                section["enabled"] = False
            case _:
                pass


class ConsentBook:
    """What the user has agreed to, by library. `folder` is the user's own folder of settings; None keeps nothing."""

    def __init__(self, folder: Path | None) -> None:
        self._path = folder / FILE if folder else None

    def missing(self, library: Path, leads: Sequence[Lead]) -> list[Lead]:
        """Those of `leads` that were not agreed to for this library."""
        if not leads:
            return []
        agreed = self._read().get(_name(library), [])
        return [lead for lead in leads if lead.digest() not in agreed]

    def agree(self, library: Path, leads: Sequence[Lead]) -> None:
        """Raises LibraryError when there is no place to keep it."""
        book = self._read()
        book[_name(library)] = sorted({*book.get(_name(library), []), *(lead.digest() for lead in leads)})
        self._write(book)

    def revoke(self, library: Path) -> bool:
        """Whether there was anything to take back."""
        book = self._read()
        if book.pop(_name(library), None) is None:
            return False
        self._write(book)
        return True

    def _read(self) -> dict[str, list[str]]:
        try:
            raw = json.loads(self._path.read_text(encoding="utf-8")) if self._path else {}
            return {str(library): [str(one) for one in agreed] for library, agreed in raw.items()}
        except (OSError, ValueError, AttributeError, TypeError):
            return {}  # nothing that can be read was agreed to

    def _write(self, book: Mapping[str, Sequence[str]]) -> None:
        if self._path is None:
            raise LibraryError("There is no home folder to remember this in: set LITLOOP_CONFIG to a folder of yours.")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            waiting = self._path.with_suffix(f".{os.getpid()}.tmp")
            waiting.write_text(json.dumps(book, indent=1, sort_keys=True), encoding="utf-8")
            waiting.replace(self._path)
        except OSError as error:
            raise LibraryError(f"{self._path} cannot be written: {error.strerror}.") from error


def sentence(library: Path | None, leads: Sequence[Lead]) -> str:
    """What is not used, and how to allow it."""
    names = ", ".join(lead.shown for lead in leads)
    return (
        f"The library's own settings are not used where they lead out of this machine ({names}). "
        f"Look at them and allow them with: litloop trust {library or ''}".rstrip()
    )


def _name(library: Path) -> str:
    return str(library.resolve())
