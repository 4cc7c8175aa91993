"""Asking: parse → search loop → gate → dispatch → answer → verify, each step an event of one stream.

Research puts the databases and the research loop in the search loop's place.
"""

from litloop.asking.request import AskRequest, ResearchRequest
from litloop.asking.run import Asking

__all__ = ["AskRequest", "Asking", "ResearchRequest"]
