"""What every engine must do, embedded or server. A new engine joins by one line in `support.engines.FACTORIES`."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from litloop.core.filters import Filters
from litloop.index.engine import Engine, IndexBatch
from support.engines import (
    DIMENSION,
    FACTORIES,
    NO_FILTER,
    Model,
    add,
    found_by_vector,
    found_by_words,
    passage,
    remove,
    same_as,
    unit,
    vector_of,
    words,
)


@pytest.fixture(params=sorted(FACTORIES))
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    made = FACTORIES[request.param](tmp_path)
    yield made
    made.close()


# --- What is held -------------------------------------------------------------------------------------------


def test_a_collection_never_indexed_answers_with_nothing(engine):
    snapshot = engine.snapshot(7)
    assert (engine.applied(7), snapshot.seq, snapshot.count, len(engine.keys(7))) == (0, 0, 0, 0)
    assert len(snapshot.sparse({"word": 1.0}, 10, NO_FILTER)) == 0
    assert len(snapshot.dense(unit(1), 10, NO_FILTER)) == 0
    assert snapshot.document_frequency(["word"]) == {"word": 0}
    assert snapshot.vectors([]).shape == (0, DIMENSION)


def test_what_was_applied_is_held_up_to_its_sequence_number(engine):
    engine.apply(IndexBatch(1, 5, [passage(12), passage(11)], []))
    assert engine.applied(1) == 5
    assert engine.keys(1).tolist() == [11, 12]
    assert engine.snapshot(1).seq == 5
    assert engine.snapshot(1).count == 2


def test_a_batch_applied_twice_changes_nothing(engine):
    batch = IndexBatch(1, 3, [passage(1, "alpha"), passage(2, "alpha beta")], [])
    engine.apply(batch)
    engine.apply(batch)
    assert found_by_words(engine, "alpha") == [1, 2]
    assert engine.snapshot(1).count == 2


def test_a_batch_older_than_what_is_held_is_skipped(engine):
    engine.apply(IndexBatch(1, 9, [passage(1)], []))
    engine.apply(IndexBatch(1, 8, [passage(2)], [1]))
    assert engine.keys(1).tolist() == [1]
    assert engine.applied(1) == 9


def test_parts_of_a_rebuild_claim_nothing_until_the_last(engine):
    engine.apply(IndexBatch(1, 0, [passage(1)], []))
    engine.apply(IndexBatch(1, 0, [passage(2)], []))
    assert engine.applied(1) == 0
    engine.apply(IndexBatch(1, 40, [passage(3)], []))
    assert engine.applied(1) == 40
    assert engine.keys(1).tolist() == [1, 2, 3]


def test_a_batch_without_changes_moves_the_sequence_number_on(engine):
    add(engine, [passage(1)])
    engine.apply(IndexBatch(1, 50, [], []))
    assert engine.applied(1) == 50
    assert engine.keys(1).tolist() == [1]


def test_a_removed_passage_is_found_by_neither_leg(engine):
    add(engine, [passage(1, "alpha", vector=unit(1)), passage(2, "alpha", vector=unit(1, 1))])
    remove(engine, [1])
    assert found_by_words(engine, "alpha") == [2]
    assert found_by_vector(engine, unit(1)) == [2]
    assert engine.keys(1).tolist() == [2]


def test_removing_what_is_not_there_is_harmless(engine):
    add(engine, [passage(1)])
    remove(engine, [99])
    assert engine.keys(1).tolist() == [1]


def test_a_key_added_and_removed_in_one_batch_ends_removed(engine):
    engine.apply(IndexBatch(1, 1, [passage(1, "alpha"), passage(2, "alpha")], [1]))
    assert found_by_words(engine, "alpha") == [2]


def test_adding_a_key_again_replaces_words_vector_and_labels(engine):
    add(engine, [passage(1, "old words", vector=unit(1), condition="glioma"), passage(2)])
    add(engine, [passage(1, "new words", vector=unit(0, 1), condition="stroke")])
    assert found_by_words(engine, "old") == []
    assert found_by_words(engine, "new") == [1]
    assert engine.snapshot(1).vectors([1])[0].tolist() == unit(0, 1).tolist()
    assert found_by_vector(engine, unit(0, 1), 1, Filters(labels={"condition": ("stroke",)})) == [1]
    assert found_by_vector(engine, unit(0, 1), 5, Filters(labels={"condition": ("glioma",)})) == []


def test_collections_do_not_see_each_other(engine):
    add(engine, [passage(1, "alpha")], collection=1)
    add(engine, [passage(1, "beta"), passage(2, "alpha alpha")], collection=2)
    assert found_by_words(engine, "alpha", collection=1) == [1]
    assert found_by_words(engine, "alpha", collection=2) == [2]
    assert engine.snapshot(1).document_frequency(["alpha", "beta"]) == {"alpha": 1, "beta": 0}


def test_a_dropped_collection_is_gone_and_can_be_built_again(engine):
    add(engine, [passage(1, "alpha")], collection=1)
    add(engine, [passage(1, "alpha")], collection=2)
    engine.drop(1)
    assert engine.applied(1) == 0
    assert engine.snapshot(1).count == 0
    assert found_by_words(engine, "alpha", collection=2) == [1]
    add(engine, [passage(3, "beta")], collection=1)
    assert engine.keys(1).tolist() == [3]
    assert found_by_words(engine, "alpha", collection=1) == []


def test_dropping_what_was_never_there_is_harmless(engine):
    engine.drop(4)
    assert engine.applied(4) == 0


# --- Words --------------------------------------------------------------------------------------------------


def test_a_rarer_word_counts_more_than_a_common_one(engine):
    common = [passage(key, "common filler") for key in range(10, 30)]
    add(engine, [passage(1, "rare filler"), passage(2, "common filler"), *common])
    assert found_by_words(engine, "common rare", 1) == [1]


def test_the_weight_of_a_word_decides_between_equal_words(engine):
    add(engine, [passage(1, "left filler"), passage(2, "right filler")])
    snapshot = engine.snapshot(1)
    assert snapshot.sparse({"left": 2.0, "right": 1.0}, 1, NO_FILTER).keys.tolist() == [1]
    assert snapshot.sparse({"left": 1.0, "right": 2.0}, 1, NO_FILTER).keys.tolist() == [2]


def test_words_that_weigh_nothing_find_nothing(engine):
    add(engine, [passage(1, "alpha beta")])
    snapshot = engine.snapshot(1)
    assert len(snapshot.sparse({"alpha": 0.0, "beta": -1.0}, 5, NO_FILTER)) == 0
    assert len(snapshot.sparse({"alpha": float("nan")}, 5, NO_FILTER)) == 0
    assert len(snapshot.sparse({}, 5, NO_FILTER)) == 0


def test_scores_fall_and_belong_to_the_word_leg(engine):
    add(engine, [passage(1, "alpha"), passage(2, "alpha beta gamma delta"), passage(3, "beta")])
    ranking = engine.snapshot(1).sparse({"alpha": 1.0}, 5, NO_FILTER)
    assert ranking.keys.tolist() == [1, 2]
    assert ranking.scores[0] > ranking.scores[1] > 0
    assert (ranking.keys.dtype, ranking.scores.dtype) == (np.int64, np.float32)


@pytest.mark.parametrize(
    "text", ["AND", "alpha:beta", '"alpha', "al*", "(alpha", "-alpha", "+", "\\", "[1 TO 2]", "~2"]
)
def test_no_word_is_read_as_query_syntax(engine, text):
    add(engine, [passage(1, "alpha beta"), passage(2, f"{text.replace(' ', '_')} gamma")])
    assert engine.snapshot(1).sparse({text.replace(" ", "_"): 1.0}, 5, NO_FILTER).keys.tolist() == [2]


def test_words_of_any_script_are_found(engine):
    add(engine, [passage(1, "肺癌 αντίσταση"), passage(2, "المرض болезнь")])
    assert found_by_words(engine, "肺癌") == [1]
    assert found_by_words(engine, "болезнь") == [2]


def test_equal_word_scores_come_in_key_order_even_at_the_edge(engine):
    add(engine, [passage(key, "same words", vector=unit(1)) for key in range(60, 0, -1)])
    remove(engine, [2])
    assert found_by_words(engine, "same", 5) == [1, 3, 4, 5, 6]
    assert found_by_words(engine, "same", 100) == [1, *range(3, 61)]


def test_document_frequency_counts_passages_not_occurrences(engine):
    add(engine, [passage(1, "alpha alpha"), passage(2, "alpha beta")])
    assert engine.snapshot(1).document_frequency(["alpha", "beta", "gamma"]) == {"alpha": 2, "beta": 1, "gamma": 0}


# --- Vectors ------------------------------------------------------------------------------------------------


def test_dense_scores_are_cosines_and_fall(engine):
    add(engine, [passage(1, vector=unit(1)), passage(2, vector=unit(1, 1)), passage(3, vector=unit(-1))])
    ranking = engine.snapshot(1).dense(unit(1), 3, NO_FILTER)
    assert ranking.keys.tolist() == [1, 2, 3]
    assert ranking.scores.tolist() == pytest.approx([1, 2**-0.5, -1], abs=1e-6)
    assert (ranking.keys.dtype, ranking.scores.dtype) == (np.int64, np.float32)


def test_equal_cosines_come_in_key_order_even_at_the_edge(engine):
    add(engine, [passage(key, f"text{key}", vector=unit(1, 2, 3)) for key in range(50, 0, -1)])
    assert found_by_vector(engine, unit(1, 2, 3), 5) == [1, 2, 3, 4, 5]


def test_fewer_hits_than_asked_for_when_the_collection_is_small(engine):
    add(engine, [passage(1), passage(2)])
    assert len(found_by_vector(engine, unit(1), 100)) == 2


def test_asking_for_no_hits_gives_none(engine):
    add(engine, [passage(1, "alpha")])
    assert found_by_words(engine, "alpha", 0) == []
    assert found_by_vector(engine, unit(1), 0) == []


@pytest.mark.parametrize("query", [np.ones(DIMENSION + 1, np.float32), np.full(DIMENSION, np.nan, np.float32)])
def test_a_query_vector_that_cannot_be_is_refused(engine, query):
    add(engine, [passage(1)])
    with pytest.raises(ValueError, match="query vector"):
        engine.snapshot(1).dense(query, 5, NO_FILTER)


def test_a_double_precision_query_ranks_as_its_single_precision_self(engine):
    add(engine, [passage(key) for key in range(1, 40)])
    query = vector_of("question")
    assert found_by_vector(engine, query.astype(np.float64)) == found_by_vector(engine, query)


def test_vectors_come_in_the_order_asked_for(engine):
    add(engine, [passage(1, vector=unit(1)), passage(2, vector=unit(0, 1)), passage(3, vector=unit(0, 0, 1))])
    vectors = engine.snapshot(1).vectors([3, 1, 3])
    assert vectors.tolist() == [unit(0, 0, 1).tolist(), unit(1).tolist(), unit(0, 0, 1).tolist()]
    assert vectors.dtype == np.float32


def test_the_values_of_a_label_are_those_of_passages_that_are_there(engine):
    add(engine, [passage(1, year=2000, condition="psp"), passage(2, condition=("msa", "psp")), passage(3, rare="yes")])
    remove(engine, [1, 3])
    values = engine.snapshot(1).values_of("condition")
    assert values is None or list(values) == ["msa", "psp"]
    assert not engine.snapshot(1).values_of("rare")
    assert not engine.snapshot(7).values_of("condition")


def test_the_vector_of_an_unknown_passage_is_an_error(engine):
    add(engine, [passage(1)])
    with pytest.raises(KeyError):
        engine.snapshot(1).vectors([1, 2])


# --- Filters ------------------------------------------------------------------------------------------------

FILTERED = [
    passage(1, "word", vector=unit(1), year=1999, condition="glioma", rare=True, regions=("frontal", "temporal")),
    passage(2, "word", vector=unit(1, 1), year=2005, condition="glioma", rare=False, regions=("frontal",)),
    passage(3, "word", vector=unit(1, 2), year=2005, condition="stroke", rare=True, score=3),
    passage(4, "word", vector=unit(1, 3), year=None, condition="stroke, acute", regions=()),
    passage(5, "word", vector=unit(1, 4), year=2020),
]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(), [1, 2, 3, 4, 5]),
        (Filters(year_from=2005), [2, 3, 5]),
        (Filters(year_to=2005), [1, 2, 3]),
        (Filters(year_from=2005, year_to=2005), [2, 3]),
        (Filters(year_from=2006, year_to=2005), []),
        (Filters(labels={"condition": ("glioma",)}), [1, 2]),
        (Filters(labels={"condition": ("glioma", "stroke")}), [1, 2, 3]),
        (Filters(labels={"condition": ("glioma",), "rare": ("true",)}), [1]),
        (Filters(labels={"rare": ("false",)}), [2]),
        (Filters(labels={"score": ("3",)}), [3]),
        (Filters(labels={"regions": ("temporal",)}), [1]),
        (Filters(labels={"regions": ("frontal", "nowhere")}), [1, 2]),
        (Filters(labels={"condition": ("stroke, acute",)}), [4]),
        (Filters(labels={"condition": ("Glioma",)}), []),
        (Filters(labels={"nothing": ("glioma",)}), []),
        (Filters(labels={"condition": ()}), []),
        (Filters(year_from=2000, labels={"condition": ("glioma", "stroke"), "rare": ("true",)}), [3]),
    ],
)
def test_both_legs_honour_a_filter_exactly(engine, filters, expected):
    add(engine, FILTERED)
    assert sorted(found_by_words(engine, "word", 10, filters)) == expected
    assert sorted(found_by_vector(engine, unit(1), 10, filters)) == expected
    assert engine.snapshot(1).passing(filters) == len(expected)


def test_names_and_values_of_labels_do_not_run_into_each_other(engine):
    tricky = {"a=b": "c", "ü": "x" * 2000}
    add(engine, [passage(1, "word", **tricky), passage(2, "word", a="b=c")])
    assert found_by_words(engine, "word", 5, Filters(labels={"a": ("b=c",)})) == [2]
    assert found_by_words(engine, "word", 5, Filters(labels={"a=b": ("c",)})) == [1]
    assert found_by_words(engine, "word", 5, Filters(labels={"ü": ("x" * 2000,)})) == [1]
    assert found_by_words(engine, "word", 5, Filters(labels={"ü": ("x" * 1999 + "y",)})) == []


def test_a_filter_does_not_change_word_scores(engine):
    add(engine, FILTERED)
    snapshot = engine.snapshot(1)
    free = snapshot.sparse({"word": 1.0}, 10, NO_FILTER)
    bound = snapshot.sparse({"word": 1.0}, 10, Filters(year_from=2005, labels={"condition": ("glioma",)}))
    assert bound.scores[0] == pytest.approx(free.scores[free.keys.tolist().index(2)], abs=1e-6)


def test_a_narrow_filter_still_fills_the_ranking(engine):
    many = [
        passage(key, f"word text{key}", condition="wanted" if key % 100 == 0 else "other") for key in range(1, 1001)
    ]
    add(engine, many)
    wanted = Filters(labels={"condition": ("wanted",)})
    assert len(found_by_words(engine, "word", 10, wanted)) == 10
    assert len(found_by_vector(engine, unit(1), 10, wanted)) == 10


LABEL = st.one_of(
    st.sampled_from(["glioma", "stroke", "true", "1", ""]),
    st.booleans(),
    st.integers(0, 2),
    st.lists(st.sampled_from(["glioma", "stroke", "a b"]), max_size=2).map(tuple),
)
LABELS = st.dictionaries(st.sampled_from(["condition", "rare"]), LABEL, max_size=2)
YEARS = st.one_of(st.none(), st.integers(1998, 2003), st.just(-(2**40)), st.just(2**40))
VALUES = st.lists(st.sampled_from(["glioma", "stroke", "true", "1", "", "a b", "never"]), max_size=3).map(tuple)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    held=st.lists(st.tuples(st.one_of(st.none(), st.integers(1998, 2003)), LABELS), min_size=1, max_size=12),
    asked=st.lists(
        st.builds(
            Filters, YEARS, YEARS, st.dictionaries(st.sampled_from(["condition", "rare", "none"]), VALUES, max_size=2)
        ),
        min_size=1,
        max_size=6,
    ),
)
@pytest.mark.parametrize("name", sorted(FACTORIES))
def test_filters_mean_the_same_to_both_legs_as_to_the_definition(name, tmp_path_factory, held, asked):
    engine = FACTORIES[name](tmp_path_factory.mktemp("engine"))
    model = Model()
    batch = IndexBatch(1, 1, [passage(key, f"word t{key}", year=y, **ls) for key, (y, ls) in enumerate(held, 1)], [])
    model.apply(batch)
    engine.apply(batch)
    for filters in asked:
        assert sorted(found_by_words(engine, "word", 20, filters)) == model.passing(filters)
        assert found_by_vector(engine, unit(1, 2), 20, filters) == model.nearest(unit(1, 2), 20, filters)
    engine.close()


# --- Many at once, many times -------------------------------------------------------------------------------


def test_questions_asked_at_once_get_the_answers_they_get_alone(engine):
    add(engine, [passage(key, f"word{key % 7} word{key % 11} common") for key in range(1, 400)])
    snapshot = engine.snapshot(1)
    asked = [(words(f"word{n % 11} common"), vector_of(f"question {n}")) for n in range(40)]

    def answers(question):
        terms, vector = question
        year = Filters(labels={}) if vector[0] > 0 else NO_FILTER
        return snapshot.sparse(terms, 20, year).keys.tolist(), snapshot.dense(vector, 20, year).keys.tolist()

    alone = [answers(one) for one in asked]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(answers, asked * 3)) == alone * 3


KEYS = st.integers(1, 30)
TEXTS = st.lists(st.sampled_from(["alpha", "beta", "gamma", "delta"]), min_size=1, max_size=4).map(" ".join)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("apply"), st.lists(st.tuples(KEYS, TEXTS), max_size=6), st.lists(KEYS, max_size=4)),
        st.tuples(st.just("again")),
        st.tuples(st.just("reopen")),
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=STEPS)
@pytest.mark.parametrize("name", sorted(FACTORIES))
def test_any_history_of_adding_removing_and_reapplying_gives_what_a_dictionary_gives(name, tmp_path_factory, steps):
    root = tmp_path_factory.mktemp("engine")
    engine, model = FACTORIES[name](root), Model()
    batches: list[IndexBatch] = []
    for step, *what in steps:
        if step == "apply":
            adding, removing = what
            batches.append(IndexBatch(1, len(batches) + 1, [passage(key, text) for key, text in adding], removing))
            engine.apply(batches[-1])
            model.apply(batches[-1])
        elif step == "again":
            for batch in batches:
                engine.apply(batch)
        else:
            engine.close()
            engine = FACTORIES[name](root)
    same_as(engine, model, asked=["alpha", "beta", "gamma"])
    engine.close()
