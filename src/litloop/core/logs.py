"""Structured logs with every key taken out.

The lines go to the standard logger `litloop`, so an application that embeds the library decides where they end. The
server calls `set_up`, which writes them to stderr from WARNING upward; the command line calls `speak_plainly`, which
says each in one sentence. structlog takes half a second to import on a busy machine, so it is loaded by the first
structured line that is really written.
"""

from __future__ import annotations

import logging
import re
import sys
import threading
from collections.abc import Iterable, Mapping, MutableMapping
from typing import Any, Literal, TextIO

from pydantic import BaseModel, SecretStr

Level = Literal["DEBUG", "INFO", "WARNING", "ERROR"]
Style = Literal["text", "json", "plain"]

HIDDEN = "[hidden]"
_SHORTEST_SECRET = 6  # characters; a shorter one would black out ordinary words

# Keys are recognised by shape as well as by value: a provider may echo one that no setting holds.
_SHAPES = re.compile(
    r"""(?P<name>\b(?:authorization|proxy-authorization)["']?\s*[:=]\s*["']?(?:bearer|basic)\s+)[^\s"',;]+
      | (?P<bearer>\bbearer\s+)[A-Za-z0-9._~+/=-]{6,}
      | (?P<field>\b(?:x-)?(?:api[-_]?key|apikey|access[-_]?token|secret|password)["']?\s*[:=]\s*["']?)[^\s"',;&]{6,}
      | (?P<query>[?&](?:key|token|api_key|apikey)=)[^&\s"']+
      | (?P<login>://)[^/\s:@]+:[^/\s@]+(?=@)
      | \b(?:sk|gsk|tvly|pk|rk|xai|hf|ghp|or)[-_][A-Za-z0-9*_-]{8,}
      | \bAIza[A-Za-z0-9_-]{10,}
    """,
    re.VERBOSE | re.IGNORECASE,
)

_lock = threading.Lock()
_secrets: set[str] = set()


def hide(secrets: Iterable[str]) -> None:
    """From now on no log line and no reported reason shows any of these values."""
    with _lock:
        _secrets.update(secret for secret in secrets if len(secret) >= _SHORTEST_SECRET)


def secrets_of(settings: BaseModel) -> list[str]:
    """The values of every SecretStr in a settings tree."""
    found: list[str] = []
    for name in type(settings).model_fields:
        value = getattr(settings, name)
        if isinstance(value, SecretStr):
            found.append(value.get_secret_value())
        else:
            inner = value.values() if isinstance(value, Mapping) else (value,)
            found.extend(secret for one in inner if isinstance(one, BaseModel) for secret in secrets_of(one))
    return found


def redact(text: str) -> str:
    """`text` without keys: registered values, and anything of the shape of a key."""
    # Shapes first, or a secret within a longer one would leave its rest in sight.
    return without_secrets(_SHAPES.sub(_hide_shape, text))


def without_secrets(text: str) -> str:
    """`text` without the values registered with `hide`. For what others wrote and is used further (a model's reply):
    there the mere shape of a key may be a word of a paper."""
    with _lock:
        known = sorted(_secrets, key=len, reverse=True)
    for secret in known:
        text = text.replace(secret, HIDDEN)
    return text


def _hide_shape(match: re.Match[str]) -> str:
    kept = next((part for part in match.groups() if part), "")
    return kept + HIDDEN


class Log:
    """A named log. Each method takes an event in a few words and the facts as keywords."""

    def __init__(self, name: str) -> None:
        self._logger = logging.getLogger(f"litloop.{name}")

    def debug(self, event: str, **facts: Any) -> None:
        self._write(logging.DEBUG, event, facts)

    def info(self, event: str, **facts: Any) -> None:
        self._write(logging.INFO, event, facts)

    def warning(self, event: str, **facts: Any) -> None:
        self._write(logging.WARNING, event, facts)

    def error(self, event: str, **facts: Any) -> None:
        self._write(logging.ERROR, event, facts)

    def _write(self, level: int, event: str, facts: Mapping[str, Any]) -> None:
        if not self._logger.isEnabledFor(level):
            return
        if _style == "plain":
            self._logger.log(level, "%s", _sentence(event, facts))
        else:
            _structured(self._logger).log(level, event, **facts)


def set_up(level: Level = "WARNING", *, json: bool = False, stream: TextIO | None = None) -> None:
    """Write litloop's log lines to `stream` (stderr), one line each, as text or as JSON. Calling again replaces."""
    _write_to(stream or sys.stderr, level, "json" if json else "text")


def speak_plainly(stream: TextIO | None = None) -> None:
    """Say what goes wrong to the people at a terminal: one sentence each, without times and names of fields."""
    _write_to(stream or sys.stderr, "WARNING", "plain")


def _write_to(stream: TextIO, level: Level, style: Style) -> None:
    global _style
    _style = style
    root = logging.getLogger("litloop")
    for handler in [handler for handler in root.handlers if isinstance(handler, _LineHandler)]:
        root.removeHandler(handler)
    handler = _LineHandler(stream)
    handler.setFormatter(logging.Formatter("%(message)s"))
    root.addHandler(handler)
    root.setLevel(level)
    root.propagate = False


class _LineHandler(logging.StreamHandler[TextIO]):
    """Marks the handler that is ours to replace."""


_style: Style = "text"


def _sentence(event: str, facts: Mapping[str, Any]) -> str:
    """ "Model call retried (relevance): groq did not answer within 15 s." """
    about = f" ({facts['task']})" if facts.get("task") else ""
    why = facts.get("reason") or facts.get("error") or facts.get("endpoint") or ""
    told = f"{event[:1].upper()}{event[1:]}{about}{f': {why}' if why else ''}"
    return redact(" ".join(told.split())).rstrip(".") + "."


def _structured(logger: logging.Logger) -> Any:
    import structlog

    renderer = (
        structlog.processors.JSONRenderer(ensure_ascii=False)
        if _style == "json"
        else structlog.processors.KeyValueRenderer(key_order=["timestamp", "level", "event"])
    )
    return structlog.wrap_logger(
        logger,
        wrapper_class=structlog.stdlib.BoundLogger,
        processors=[
            structlog.stdlib.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _redact_facts,
            renderer,
        ],
    )


def _redact_facts(_logger: Any, _method: str, facts: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    return {name: _redacted(value) for name, value in facts.items()}


def _redacted(value: Any) -> Any:
    if isinstance(value, bool | int | float) or value is None:
        return value
    if isinstance(value, Mapping):
        return {str(name): _redacted(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_redacted(item) for item in value]
    return redact(str(value))
