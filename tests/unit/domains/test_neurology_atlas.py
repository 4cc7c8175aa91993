from __future__ import annotations

import json
from pathlib import Path

import pytest

from litloop.core.labels import label_rows
from litloop.domains.neurology.atlas import conditions_in
from litloop.reading import iter_corpus


def test_what_several_papers_say_of_a_condition_is_joined_in_order():
    found = conditions_in(
        [
            {"condition": "PSP", "region_literature": "Midbrain; frontal lobe", "atlas_label": "Brain-Stem"},
            {"condition": "PSP", "rarity": "rare", "region_literature": "midbrain, and globus pallidus",
             "atlas_label": ("Brain-Stem", "Pallidum"), "overlaps_with": ("CBS",)},
            {"condition": ("CBS", "PSP")},
            {"year": "1999"},
        ]
    )  # fmt: skip
    assert found["PSP"] == {
        "rarity": "rare",
        "regions": ["Midbrain", "frontal lobe", "globus pallidus"],
        "atlas_labels": ["Brain-Stem", "Pallidum"],
        "overlaps_with": ["CBS"],
    }
    assert found["CBS"]["regions"] == []


def test_a_comma_in_parentheses_belongs_to_its_region():
    found = conditions_in([{"condition": "x", "region_literature": "Temporal lobe (left, anterior), insula"}])
    assert found["x"]["regions"] == ["Temporal lobe (left, anterior)", "insula"]


@pytest.mark.parametrize(
    ("written", "regions"),
    [
        ("Frontal, temporal, and parietal regions (MCA territory)",
         ["Frontal, temporal, and parietal regions (MCA territory)"]),
        ("Frontal, temporal and occipital lobes; insula", ["Frontal, temporal and occipital lobes", "insula"]),
        ("Mesial temporal, lateral parietal cortex", ["Mesial temporal, lateral parietal cortex"]),
        ("Insula, amygdala, and hippocampus", ["Insula", "amygdala", "hippocampus"]),
        ("Superior Frontal Gyrus, Superior Parietal Lobule", ["Superior Frontal Gyrus", "Superior Parietal Lobule"]),
        ("Thalamus, frontal and parietal regions", ["Thalamus", "frontal and parietal regions"]),
    ],
)  # fmt: skip
def test_adjectives_that_share_their_noun_are_one_region(written: str, regions: list[str]):
    assert conditions_in([{"condition": "x", "region_literature": written}])["x"]["regions"] == regions


def test_every_condition_of_the_neulittrace_corpus_keeps_its_own_regions_rarity_and_overlaps(test_data: Path):
    path = test_data / "neulittrace" / "corpus.json"
    rows = json.loads(path.read_text(encoding="utf-8"))
    documents = list(iter_corpus(path))
    assert sum(len(label_rows(document.paper.labels)) > 1 for document in documents) == 15  # listed more than once
    found = conditions_in(document.paper.labels for document in documents)
    assert len(found) == 14
    for condition, entry in found.items():
        told = [row for row in rows if row["condition"] == condition]
        assert entry["rarity"] == told[0]["rarity"], condition
        assert entry["overlaps_with"] == told[0]["overlaps_with"], condition
        assert "; ".join(entry["regions"]) == told[0]["region_literature"], condition
        assert ", ".join(entry["atlas_labels"]) == told[0]["atlas_label"].replace(";", ","), condition
