"""What the tests have and benchmarks use too: a local language model, and labelled pairs of records.

It lies in `tests/support`, which is no package: tests find it on their path, and so does this module.
"""

from __future__ import annotations

import sys

from benchmarks.places import ROOT

sys.path.insert(0, str(ROOT / "tests"))

from support.identity_pairs import Pair, hard_pairs, recorded_pairs
from support.local_model import local_model

__all__ = ["Pair", "hard_pairs", "local_model", "recorded_pairs"]
