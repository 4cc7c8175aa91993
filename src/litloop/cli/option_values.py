"""What is wrong with the value of an option, in words for whoever typed it."""

from __future__ import annotations

import re

# What typer says (in pydantic's words since 0.29, in click's before), and what is said instead.
_SAID = (
    (r"input should be a valid integer\b.*|.* is not a valid int(?:eger)?", "it must be a whole number"),
    (r"input should be a valid number\b.*|.* is not a valid float", "it must be a number"),
    (r"input should be a valid boolean\b.*|.* is not a valid boolean", "it must be true or false"),
    (r"input should be greater than or equal to (.+)", r"it must be at least \1"),
    (r"input should be less than or equal to (.+)", r"it must be at most \1"),
    (r"input should be greater than (.+)", r"it must be more than \1"),
    (r"input should be less than (.+)", r"it must be less than \1"),
    (r".* is not in the range (\S+?)<=x<=(\S+)", r"it must be between \1 and \2"),
    (r".* is not in the range x>=(\S+)", r"it must be at least \1"),
    (r".* is not in the range x<=(\S+)", r"it must be at most \1"),
)


def plain_fault(message: str) -> str:
    """What typer says of a value, in plain words. A message that is not known stays as it is."""
    clause = message.strip().removesuffix(".")
    for pattern, said in _SAID:
        found = re.fullmatch(pattern, clause, re.DOTALL | re.IGNORECASE)
        if found:
            return f"{found.expand(said)}."
    return message
