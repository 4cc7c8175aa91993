"""What the tests have and benchmarks use too: a local language model, labelled pairs of records, hostile texts.

It lies in `tests/support`, which is no package: tests find it on their path, and so does this module.
"""

from __future__ import annotations

import sys

from benchmarks.places import ROOT

sys.path.insert(0, str(ROOT / "tests"))

from support.growth import LINEAR, NEGLIGIBLE, exponent, seconds
from support.hostile_texts import hostile_texts
from support.identity_pairs import Pair, hard_pairs, recorded_pairs
from support.local_model import local_model
from support.text_functions import text_functions

__all__ = [
    "LINEAR",
    "NEGLIGIBLE",
    "Pair",
    "exponent",
    "hard_pairs",
    "hostile_texts",
    "local_model",
    "recorded_pairs",
    "seconds",
    "text_functions",
]
