from __future__ import annotations

from litloop.domains.neurology.atlas import conditions_in


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
