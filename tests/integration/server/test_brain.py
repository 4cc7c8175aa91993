"""The brain over HTTP: its shapes, and the conditions of a collection in their regions."""

from __future__ import annotations

from litloop.domains.neurology.schemas import BrainConditions, BrainShapes


def test_the_shapes_come_with_every_region(client):
    answer = client.get("/brain", params={"collection": "neurology"}, timeout=120)
    assert answer.status_code == 200, answer.text
    shapes = BrainShapes.model_validate_json(answer.content)
    assert set(shapes.cortex) == {"left", "right"}
    assert {structure.region for structure in shapes.structures} < {region.id for region in shapes.regions}
    assert "max-age" in answer.headers["cache-control"]


def test_a_condition_lies_in_the_regions_that_its_papers_name(client):
    answer = client.get("/brain/conditions", params={"collection": "neurology"}, timeout=120)
    placed = {one.name: one for one in BrainConditions.model_validate_json(answer.content).conditions}
    regions = BrainShapes.model_validate_json(client.get("/brain").content).regions
    names = {region.name for region in regions if region.id in placed["PSP"].regions}
    assert names == {"Brain-Stem", "Frontal Pole"}
    assert placed["DLB"].regions == []


def test_a_collection_without_a_brain_says_so(client, library):
    library.create_collection("plain")
    try:
        answer = client.get("/brain", params={"collection": "plain"})
        assert answer.status_code == 404
        assert "no place in the brain" in answer.json()["detail"]
    finally:
        library.delete_collection("plain")
