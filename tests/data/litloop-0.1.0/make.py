"""Wrote the files beside it, with litloop 0.1.0: `python make.py` in an empty folder that is named as in FOLDER.

Its only use now is to tell what is in them. Run with a newer litloop it would defeat their purpose.
"""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

from litloop.settings import Settings  # type: ignore[import-not-found]

import litloop

FOLDER = Path("/srv/bread")
RYE = """# Rye bread and its acidity

Rye bread is dark and sour. Sourdough lowered the pH of rye bread to 4.2 in all twelve loaves.

## Conclusion

Rye dough needs acid to rise.
"""
OATS = "Oats in porridge\n\nPorridge of oats was eaten by 31 of 40 participants. Oats hold beta-glucan.\n"
CORPUS = [
    {"id": "spelt-1", "title": "Spelt and wheat compared", "year": 2019, "venue": "Journal of Bread",
     "abstract": "Spelt had more protein than wheat (14 % against 11 %).", "authors": ["Mill, Ann", "Stone, Bo"],
     "doi": "10.1000/spelt.1", "grain": "spelt", "rarity": "rare"},
    {"id": "barley-1", "title": "Barley in winter", "abstract": "Barley survived frost in four of five fields.",
     "year": 2021, "grain": ["barley", "winter barley"], "rarity": "common"},
]  # fmt: skip
PET = [
    {"id": "psp-1", "title": "FDG-PET in progressive supranuclear palsy", "year": 2015, "rarity": "rare",
     "abstract": "Midbrain uptake was reduced in ten of twelve patients with progressive supranuclear palsy.",
     "condition": "Progressive supranuclear palsy"},
    {"id": "dlb-1", "title": "Occipital uptake in dementia with Lewy bodies", "year": 2018, "rarity": "uncommon",
     "abstract": "Occipital uptake was low in dementia with Lewy bodies.", "condition": "Dementia with Lewy bodies"},
]  # fmt: skip


def rows(records: list[dict[str, object]]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def defaults() -> str:
    """Every setting of 0.1.0 at its default, as TOML; those without a default as comments."""
    lines: list[str] = []

    def section(name: str, values: dict[str, object]) -> None:
        lines.append(f"\n[{name}]")
        inner = {key: value for key, value in values.items() if isinstance(value, dict) and value}
        for key, value in values.items():
            if key not in inner:
                lines.append(f"{key} = {json.dumps(value)}" if value not in (None, {}) else f"# {key}")
        for key, value in inner.items():
            section(f"{name}.{key}", value)  # type: ignore[arg-type]

    for name, values in Settings().model_dump(mode="json").items():
        if isinstance(values, dict):
            section(name, values)
    return "\n".join(lines).strip() + "\n"


if __name__ == "__main__":
    assert litloop.__version__ == "0.1.0"
    papers, brain, library = FOLDER / "papers", FOLDER / "brain", FOLDER / "library"
    papers.mkdir()
    brain.mkdir()
    (papers / "rye.md").write_text(RYE, encoding="utf-8")
    (papers / "oats.txt").write_text(OATS, encoding="utf-8")
    (papers / "empty.txt").write_text("", encoding="utf-8")
    (papers / "corpus.jsonl").write_text(rows(CORPUS), encoding="utf-8")
    (brain / "pet.jsonl").write_text(rows(PET), encoding="utf-8")
    with litloop.Library.open(library, embedding={"model": "hashing-256"}, llm={"profile": "offline"}) as held:
        held.add(papers)
        held.add(papers / "corpus.jsonl", collection="grains")
        held.add(brain, collection="brain", domain="neurology")
        held.ask("What is the pH of rye bread?", collection="default", trace="rye.jsonl")
        held.ask("What does FDG-PET show in progressive supranuclear palsy?", collection="brain", trace="psp.jsonl")
        exported = "".join(line + "\n" for line in held.export(collection="grains"))
    Path("export.jsonl").write_text(exported, encoding="utf-8")
    Path("litloop.toml").write_text(defaults(), encoding="utf-8")
    with tarfile.open("library.tar.xz", "w:xz") as archive:
        archive.add(library, "library")
