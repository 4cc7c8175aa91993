"""Library: open, add, search, ask. The command line, the server and the page are thin wrappers around it."""

from litloop.library.library import Library
from litloop.library.opened import DEFAULT_COLLECTION

__all__ = ["DEFAULT_COLLECTION", "Library"]
