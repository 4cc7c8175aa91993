"""Where retrieval confidence may stop a run: only in libraries of the kind that it was measured on."""

from __future__ import annotations

import pytest

from litloop.pipeline.run_service import highest_threshold


@pytest.mark.parametrize(
    ("papers", "passages", "highest"),
    [
        (50, 150, 1.0),
        (50, 151, 0.0),  # long documents: their look-ups have a low confidence and are answered all the same
        (5000, 300_000, 0.0),
        (49, 49, 0.15),
        (5, 15, 0.15),
        (5, 16, 0.0),
        (4, 4, 0.0),
        (0, 0, 0.0),
    ],
)
def test_the_gate_asks_for_no_more_than_was_calibrated_for_this_size(papers, passages, highest):
    assert highest_threshold(papers, passages) == highest
