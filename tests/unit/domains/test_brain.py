"""The brain as shapes: every vertex in its region, on its side, at its place."""

from __future__ import annotations

import base64
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from litloop.domains.neurology import brain
from litloop.domains.neurology.atlas import conditions_in
from litloop.domains.neurology.brain import brain_shapes, regions_named


@pytest.fixture(scope="module")
def shapes(tmp_path_factory: pytest.TempPathFactory) -> dict:
    return dict(brain_shapes(tmp_path_factory.mktemp("cache")))


def numbers(packed: str, kind: str, columns: int = 1) -> np.ndarray:
    flat = np.frombuffer(base64.b64decode(packed), kind)
    return flat.reshape(-1, columns) if columns > 1 else flat


def test_each_hemisphere_holds_its_own_regions_on_its_own_side(shapes):
    by_id = {region["id"]: region for region in shapes["regions"]}
    for side, sign in (("left", -1), ("right", 1)):
        cortex = shapes["cortex"][side]
        vertices, faces = numbers(cortex["vertices"], "<f4", 3), numbers(cortex["faces"], "<u2", 3)
        regions = numbers(cortex["region"], "<i2")
        assert len(vertices) == len(regions) == 10_242
        assert faces.max() < len(vertices)
        assert (np.sign(vertices[:, 0]) == sign).mean() > 0.98
        named = set(regions.tolist()) - {-1}
        assert len(named) == 48
        assert all(by_id[region]["side"] == side and by_id[region]["cortical"] for region in named)
        assert 0.01 < (regions == -1).mean() < 0.15


def test_the_motor_strip_lies_before_the_sensory_strip(shapes):
    ids = {(region["name"], region["side"]): region["id"] for region in shapes["regions"]}
    for side in ("left", "right"):
        vertices = numbers(shapes["cortex"][side]["vertices"], "<f4", 3)
        regions = numbers(shapes["cortex"][side]["region"], "<i2")
        front, back = (
            vertices[regions == ids[(name, side)], 1].mean() for name in ("Precentral Gyrus", "Postcentral Gyrus")
        )
        assert front > back


def test_structures_stand_where_anatomy_has_them(shapes):
    names = {region["id"]: (region["name"], region["side"]) for region in shapes["regions"]}
    middle = {names[one["region"]]: numbers(one["vertices"], "<f4", 3).mean(axis=0) for one in shapes["structures"]}
    assert np.allclose(middle[("Pallidum", "left")], (-19, -4, -1), atol=5)
    assert np.allclose(middle[("Pallidum", "right")], (20, -4, -1), atol=5)
    assert middle[("Brain-Stem", "both")][2] < -25
    assert not any("Ventric" in name for name, _ in middle)


def test_the_shapes_are_made_once(tmp_path: Path, shapes, monkeypatch):
    kept = tmp_path / "brain-1.json"
    kept.write_text('{"version": 1, "kept": true}', encoding="utf-8")
    assert brain_shapes(tmp_path) == {"version": 1, "kept": True}


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("Pallidum (subcortical)", {"Pallidum"}),
        ("superior temporal gyrus", {"Superior Temporal Gyrus anterior division",
                                     "Superior Temporal Gyrus posterior division"}),
        ("Middle Cerebral Artery territory (Superior Parietal Lobule, Angular Gyrus)",
         {"Superior Parietal Lobule", "Angular Gyrus"}),
        ("Cingulate Gyrus (for leptomeningeal inflammation)",
         {"Cingulate Gyrus anterior division", "Cingulate Gyrus posterior division"}),
        ("nowhere in particular", set()),
        ("Gyrus", set()),
    ],
)  # fmt: skip
def test_a_label_names_its_regions_on_both_sides(shapes, label, expected):
    found = regions_named(label, shapes["regions"])
    assert {region["name"] for region in shapes["regions"] if region["id"] in found} == expected
    assert len(found) == 2 * len(expected)


def test_a_label_that_is_a_written_list_is_read_as_its_parts():
    told = conditions_in([{"condition": "PSP", "atlas_label": "['Superior Frontal Gyrus, Pallidum (subcortical)']"}])
    assert told["PSP"]["atlas_labels"] == ["Superior Frontal Gyrus", "Pallidum (subcortical)"]


def test_two_that_ask_at_once_wait_for_one_making(tmp_path: Path, shapes, monkeypatch):
    made = []

    def make(kept: Path) -> None:
        made.append(kept)
        time.sleep(0.05)
        kept.write_text("{}", encoding="utf-8")

    monkeypatch.setattr(brain, "_make_apart", make)
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(lambda _: brain_shapes(tmp_path), range(4))) == [{}] * 4
    assert len(made) == 1
