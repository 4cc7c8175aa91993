"""The brain and what lies where in it, as the page draws it."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field


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
