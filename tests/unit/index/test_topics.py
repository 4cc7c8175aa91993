from __future__ import annotations

import json

import numpy as np
import pytest

from litloop.core.records import ClosestTopic
from litloop.index.analyser import Analyser
from litloop.index.embedded import EmbeddedEngine
from litloop.index.topics import (
    Topics,
    clustered_topics,
    labelled_topics,
    load_topics,
    save_topics,
    spherical_kmeans,
    topic_names,
)
from support.engines import DIMENSION, add, passage, unit

analyser = Analyser()


@pytest.fixture
def engine(tmp_path):
    return EmbeddedEngine(tmp_path, "test-embedder", DIMENSION)


def snapshot_of(engine, vectors):
    add(engine, [passage(key, f"text{key}", vector=vector) for key, vector in vectors.items()])
    return engine.snapshot(1)


def test_a_topic_is_the_unit_mean_of_its_papers(engine):
    snapshot = snapshot_of(engine, {1: unit(1), 2: unit(0, 1), 3: unit(0, 0, 1)})
    topics = labelled_topics(
        snapshot, "condition", {"a": [1], "b": [2], "c": [3]}, {"a": ["x"], "b": ["x"], "c": ["y"]}
    )
    assert (topics.names, topics.papers) == (("x", "y"), (2, 1))
    assert topics.centroids == pytest.approx(np.stack([unit(1, 1), unit(0, 0, 1)]), abs=1e-6)


def test_a_long_paper_weighs_no_more_than_a_short_one(engine):
    snapshot = snapshot_of(engine, {1: unit(1), 2: unit(0, 1), 3: unit(0, 1), 4: unit(0, 1)})
    topics = labelled_topics(snapshot, "condition", {"short": [1], "long": [2, 3, 4]}, {"short": ["x"], "long": ["x"]})
    assert topics.centroids[0] == pytest.approx(unit(1, 1), abs=1e-6)


def test_papers_without_the_label_or_without_passages_are_left_out(engine):
    snapshot = snapshot_of(engine, {1: unit(1), 2: unit(0, 1)})
    topics = labelled_topics(snapshot, "condition", {"a": [1], "b": [2], "c": []}, {"a": ["x"], "c": ["y"]})
    assert (topics.names, topics.papers) == (("x",), (1,))


def test_a_paper_on_two_topics_counts_for_both(engine):
    snapshot = snapshot_of(engine, {1: unit(1)})
    topics = labelled_topics(snapshot, "regions", {"a": [1]}, {"a": ["x", "y", "x"]})
    assert (topics.names, topics.papers) == (("x", "y"), (1, 1))


def test_the_closest_topics_come_nearest_first_and_only_above_the_threshold():
    topics = Topics(
        ("far", "near", "twin", "edge"), np.stack([unit(-1), unit(1), unit(1), unit(3, 4)]), (1, 2, 3, 4), 0, 0
    )
    found = topics.closest(unit(1), 3, 0.6 - 1e-6)
    assert [(topic.name, topic.papers) for topic in found] == [("near", 2), ("twin", 3), ("edge", 4)]
    assert found[0] == ClosestTopic("near", pytest.approx(1), 2)
    assert topics.closest(unit(1), 1, 0.0)[0].name == "near"
    assert topics.closest(unit(0, 0, 1), 3, 0.5) == []


def test_no_papers_make_no_topics(engine):
    snapshot = engine.snapshot(1)
    for topics in (labelled_topics(snapshot, "x", {}, {}), clustered_topics(snapshot, {}, lambda ids: {}, analyser)):
        assert topics.names == ()
        assert topics.closest(unit(1), 3, 0.0) == []


def test_topics_are_kept_beside_the_manifest_and_read_as_written(engine, tmp_path):
    snapshot = snapshot_of(engine, {1: unit(1, 2), 2: unit(0, 1)})
    topics = labelled_topics(snapshot, "condition", {"a": [1], "b": [2]}, {"a": ["x\ny"], "b": ["é"]})
    save_topics(engine.folder(1), topics)
    read = load_topics(engine.folder(1), "condition")
    assert (read.names, read.papers, read.seq, read.count, read.label) == (("x\ny", "é"), (1, 1), 1, 2, "condition")
    assert np.array_equal(read.centroids, topics.centroids)
    assert load_topics(engine.folder(1), "other label") is None
    assert load_topics(engine.folder(1), None) is None
    engine.drop(1)
    assert load_topics(engine.folder(1), "condition") is None


def test_damaged_topics_count_as_none(tmp_path):
    for content in (b"", b"{}\n", b'{"format": 1, "label": null}\n', b"\xff\n"):
        (tmp_path / "topics-clusters.bin").write_bytes(content)
        assert load_topics(tmp_path, None) is None


def test_topics_hold_until_enough_has_changed(engine):
    snapshot = snapshot_of(engine, {key: unit(1, key) for key in range(1, 101)})
    topics = labelled_topics(snapshot, "x", {}, {})
    assert topics.fresh(snapshot)
    for _ in range(5):
        add(engine, [])
    assert topics.fresh(engine.snapshot(1))
    add(engine, [])
    assert not topics.fresh(engine.snapshot(1))


def test_clusters_find_the_groups_that_are_there():
    random = np.random.default_rng(3)
    centres = np.eye(5, DIMENSION)
    vectors = np.repeat(centres, 30, axis=0) + 0.1 * random.standard_normal((150, DIMENSION))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    found = spherical_kmeans(vectors, 5)
    assert sorted(np.argmax(found @ centres.T, axis=1).tolist()) == [0, 1, 2, 3, 4]
    assert np.array_equal(found, spherical_kmeans(vectors, 5))


def test_fewer_different_vectors_than_clusters_give_fewer_clusters():
    assert len(spherical_kmeans(np.stack([unit(1)] * 8 + [unit(0, 1)]), 4)) == 2


def test_names_are_the_words_that_set_a_topic_apart_as_people_write_them():
    names = topic_names(
        [
            ["Gliomas of patients under treatment", "Gliomas in the brain of patients", "A glioma, a brain"],
            ["Strokes of patients under treatment", "Ischaemic stroke in patients", "The stroke was ischaemic"],
        ],
        analyser,
    )
    assert names[0].startswith("gliomas · brain")
    assert names[1].startswith("stroke · ischaemic")


def test_topics_with_the_same_words_get_different_names():
    names = topic_names([["same words here"], ["same words here"], [""], [""]], analyser)
    assert len(set(names)) == 4
    assert names[2] == "unnamed"


def test_names_hold_no_function_words_of_any_language_and_prefer_the_title():
    names = topic_names(
        [
            ["Kaffeemaschine entkalken\nDie Kaffeemaschine wird mit der Säure entkalkt.",
             "Kaffeemaschine reinigen\nDie Düse wird mit der Bürste gereinigt."],
            ["Fahrradkette schmieren\nDie Kette wird mit dem Öl geschmiert.",
             "Fahrradkette wechseln\nDie Kette wird mit der Zange geöffnet."],
        ],
        analyser,
    )  # fmt: skip
    assert names[0].startswith("kaffeemaschine")
    assert names[1].startswith("fahrradkette")
    assert not {"die", "der", "wird", "mit"} & set(" · ".join(names).split(" · "))


def test_topics_of_a_script_without_spaces_are_named_too():
    names = topic_names(
        [["红烧肉\n红烧肉用五花肉五百克炖一个小时。"], ["小笼包\n小笼包的馅里加入皮冻蒸十分钟即可。"]], analyser
    )
    assert names[0].startswith("红烧肉")
    assert names[1].startswith("小笼包")


def test_labelless_papers_get_topics_named_after_themselves(engine, test_data):
    corpus = json.loads((test_data / "neulittrace" / "corpus.json").read_text(encoding="utf-8"))
    papers = (corpus if isinstance(corpus, list) else corpus["papers"])[:120]
    vocabulary: dict[str, int] = {}
    rows = []
    for paper in papers:
        row = np.zeros(DIMENSION, dtype=np.float32)
        for term in analyser.terms(paper["title"]):
            row[vocabulary.setdefault(term, len(vocabulary)) % DIMENSION] += 1
        rows.append(row / max(float(np.linalg.norm(row)), 1e-6))
    add(engine, [passage(key, f"t{key}", vector=row.astype(np.float32)) for key, row in enumerate(rows, 1)])
    keys = {str(key): [key] for key in range(1, len(papers) + 1)}
    texts = {str(key): paper["title"] for key, paper in enumerate(papers, 1)}
    made = [
        clustered_topics(engine.snapshot(1), keys, lambda ids: {one: texts[one] for one in ids}, analyser)
        for _ in range(2)
    ]
    assert made[0].names == made[1].names
    assert sum(made[0].papers) == len(papers)
    assert list(made[0].papers) == sorted(made[0].papers, reverse=True)
    assert 2 <= len(made[0].names) <= 8
    assert len(set(made[0].names)) == len(made[0].names)
