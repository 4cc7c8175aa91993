"""Asking: parse → search loop → gate → dispatch → answer → verify, each step an event of one stream.

Research puts the databases and the research loop in the search loop's place.
"""

from litloop.ask.run import Asking
from litloop.core.requests import AskRequest, ResearchRequest

__all__ = ["AskRequest", "Asking", "ResearchRequest"]
