from __future__ import annotations

import pytest

from litloop.core.filters import Filters
from litloop.index.embedded import EmbeddedEngine
from litloop.index.filters import filter_key, filter_values
from support.engines import DIMENSION, add, found_by_words, passage


@pytest.fixture
def passes(tmp_path):
    """Whether one passage of a year and labels passes a filter of the engine."""

    def through(filters, year, labels):
        engine = EmbeddedEngine(tmp_path / str(len(list(tmp_path.iterdir()))), "test-embedder", DIMENSION)
        add(engine, [passage(1, "tremor", year=year, **labels)])
        return found_by_words(engine, "tremor", 10, filters) == [1]

    return through


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        ("glioma", ("glioma",)),
        (True, ("true",)),
        (False, ("false",)),
        (3, ("3",)),
        (0.5, ("0.5",)),
        (("a", "b"), ("a", "b")),
        ((), ()),
    ],
)
def test_every_label_value_can_be_typed(value, texts):
    assert filter_values(value) == texts


def test_no_filter_passes_everything(passes):
    assert passes(Filters(), None, {})


def test_year_bounds_are_inclusive_and_need_a_year(passes):
    nineties = Filters(year_from=1990, year_to=1999)
    assert [year for year in (1989, 1990, 1999, 2000, None) if passes(nineties, year, {})] == [1990, 1999]


def test_values_of_one_label_are_alternatives_and_labels_add_up(passes):
    wanted = Filters(labels={"condition": ("glioma", "stroke"), "rare": ("true",)})
    assert passes(wanted, None, {"condition": "stroke", "rare": True})
    assert not passes(wanted, None, {"condition": "stroke", "rare": False})
    assert not passes(wanted, None, {"condition": "stroke"})


def test_one_of_several_values_of_a_label_is_enough(passes):
    assert passes(Filters(labels={"regions": ("b",)}), None, {"regions": ("a", "b")})


def test_filters_that_mean_the_same_share_a_key():
    one = Filters(labels={"a": ("x", "y"), "b": ("z",)})
    assert filter_key(one) == filter_key(Filters(labels={"b": ("z",), "a": ("y", "x", "x")}))
    assert filter_key(one) != filter_key(Filters(year_from=2000, labels=one.labels))
