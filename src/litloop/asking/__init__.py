"""Asking: parse → search loop → gate → dispatch → answer → verify, each step an event of one stream."""

from litloop.asking.request import AskRequest
from litloop.asking.run import Asking

__all__ = ["AskRequest", "Asking"]
