"""What a collection may be called: one rule for the library, the command line and the server."""

from __future__ import annotations

import unicodedata

LONGEST = 100  # characters


def name_fault(name: str) -> str | None:
    """Why this is no name of a collection, in a sentence; None where it is one.

    "." and ".." would mean a folder, in the addresses of the server as much as in a path.
    """
    if not name.strip() or len(name) > LONGEST:
        return f"A collection's name is 1 to {LONGEST} characters, and not only spaces."
    if any(unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"} or char in "/\\" for char in name):
        return "A collection's name is 1 to 100 characters, without slashes or control characters."
    if not name.strip(". "):
        return f"A collection cannot be called {name!r}: a name is more than dots."
    return None
