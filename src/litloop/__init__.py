"""litloop answers a question from a literature with sentences a reader can check."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from litloop.errors import LitloopError as LitloopError
    from litloop.index.engine import Filters as Filters
    from litloop.library import Library as Library
    from litloop.records import Answer as Answer
    from litloop.records import Hit as Hit
    from litloop.records import Paper as Paper
    from litloop.records import Passage as Passage

_PUBLIC = {
    "Library": "litloop.library",
    "LitloopError": "litloop.errors",
    "Answer": "litloop.records",
    "Filters": "litloop.index.engine",
    "Hit": "litloop.records",
    "Paper": "litloop.records",
    "Passage": "litloop.records",
}
__all__ = ["Answer", "Filters", "Hit", "Library", "LitloopError", "Paper", "Passage", "__version__"]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that `import litloop` costs nothing."""
    if name not in _PUBLIC:
        raise AttributeError(f"module 'litloop' has no attribute {name!r}")
    return getattr(import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
