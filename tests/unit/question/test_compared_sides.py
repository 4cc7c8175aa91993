"""The things that a comparison names."""

from __future__ import annotations

import pytest

from litloop.question import compared_sides


@pytest.mark.parametrize(("question", "sides"), [
    ("Compare sourdough and rye bread.", ("sourdough", "rye bread")),
    ("Please compare PET with MRI in the diagnosis of dementia.", ("pet", "mri")),
    ("What is the difference between leases and licences?", ("leases", "licences")),
    ("How does glass compare to plastic?", ("glass", "plastic")),
    ("How do statins and fibrates differ?", ("statins", "fibrates")),
    ("Which is cheaper, the motor policy or the home policy?", ("the motor policy", "the home policy")),
    ("Is PET more sensitive than CT?", ("pet", "ct")),
    ("MRI vs. CT for stroke", ("mri", "ct")),
])  # fmt: skip
def test_both_sides_are_found_without_the_aspect_they_are_compared_in(question, sides):
    assert compared_sides(question) == sides


@pytest.mark.parametrize("question", ["What differs?", "Has it changed since 2020?", "Compare them.", ""])
def test_where_no_two_things_are_named_there_are_no_sides(question):
    assert compared_sides(question) is None
