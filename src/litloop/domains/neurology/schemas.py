"""Conditions, the atlas, and the brain as the page draws it: what the routes of the neurology pack answer."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

# --- Conditions and their regions ---


class _Response(BaseModel):
    """Every field is always there."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ConditionOut(_Response):
    """A topic of the collection, with what the labels of its papers say about it. `sparse`: fewer papers than an answer
    should rest on."""

    name: str
    papers: int
    sparse: bool
    rarity: str | None
    regions: list[str]
    atlas_labels: list[str]
    overlaps_with: list[str]


class ConditionList(_Response):
    collection: str
    domain: str
    conditions: list[ConditionOut]


class RegionOut(_Response):
    """A region of the atlas, with the conditions whose papers name it."""

    name: str
    conditions: list[str]
    papers: int


class AtlasOut(_Response):
    collection: str
    domain: str
    title: str
    conditions: list[ConditionOut]
    regions: list[RegionOut]


class ConditionPaper(_Response):
    paper_id: str
    title: str
    year: int | None
    url: str | None


class AtlasEntry(ConditionOut):
    collection: str
    paper_list: list[ConditionPaper]


# --- The brain in three dimensions ---


class BrainRegion(BaseModel):
    id: int = Field(examples=[100])
    name: str = Field(examples=["Pallidum"])
    side: Literal["left", "right", "both"]
    cortical: bool


class Mesh(BaseModel):
    """Base64 of little-endian arrays."""

    vertices: str = Field(description="float32, (n, 3), in mm of MNI space")
    faces: str = Field(description="uint16, (m, 3)")


class CortexMesh(Mesh):
    region: str = Field(description="int16, (n,): the region of each vertex, -1 for none")


class StructureMesh(Mesh):
    region: int


class BrainShapes(BaseModel):
    version: int
    source: str
    regions: list[BrainRegion]
    cortex: dict[Literal["left", "right"], CortexMesh]
    structures: list[StructureMesh]


class PlacedCondition(BaseModel):
    name: str = Field(examples=["Progressive supranuclear palsy"])
    papers: int
    regions: list[int] = Field(description="ids of the regions that the papers' labels name; both sides of each")
    unplaced: list[str] = Field(description="labels that name no region of the atlas")


class BrainConditions(BaseModel):
    collection: str
    conditions: list[PlacedCondition]
