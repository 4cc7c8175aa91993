"""litloop answers a question from a literature with sentences a reader can check."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

if TYPE_CHECKING:
    from litloop.core.errors import LitloopError as LitloopError
    from litloop.core.filters import Filters as Filters
    from litloop.core.records import Answer as Answer
    from litloop.core.records import Hit as Hit
    from litloop.core.records import Paper as Paper
    from litloop.core.records import Passage as Passage
    from litloop.library import Library as Library

_PUBLIC = {
    "Library": "litloop.library",
    "LitloopError": "litloop.core.errors",
    "Answer": "litloop.core.records",
    "Filters": "litloop.index.engine",
    "Hit": "litloop.core.records",
    "Paper": "litloop.core.records",
    "Passage": "litloop.core.records",
}
__all__ = ["Answer", "Filters", "Hit", "Library", "LitloopError", "Paper", "Passage", "__version__"]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that `import litloop` costs nothing."""
    if name not in _PUBLIC:
        raise AttributeError(f"module 'litloop' has no attribute {name!r}")
    return getattr(import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
