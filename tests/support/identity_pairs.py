"""Labelled pairs of records: same work or not, for measuring identity.

`hard_pairs.jsonl` and `kinds_of_pairs.jsonl` were written by hand. `recorded_pairs.jsonl` was written by this file run as a script, from the
recorded bodies; it holds names, hashes and labels only, so without the test data there is nothing in it:

    python tests/support/identity_pairs.py TEST_DATA > tests/data/identity/recorded_pairs.jsonl

A label comes from the ids: equal DOI or PMID is the same work, different DOIs are not. Then the ids named in `hide`
are taken out of the first record, so that title, year and author have to find what the ids had said. That is asked
only where they can: several bodies were recorded with neither year nor authors, or have no authors at all.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

from litloop.papers.titles import folded_words, title_name
from litloop.papers.works import Work
from support.recorded_works import recorded_works

HERE = Path(__file__).resolve().parent.parent / "data" / "identity"
ALL = ("doi", "pmid", "pmcid", "arxiv", "openalex", "s2")
HARD_NEGATIVES, EASY_NEGATIVES = 220, 60


@dataclass(frozen=True)
class Pair:
    one: Work
    other: Work
    same: bool
    why: str


def hard_pairs() -> list[Pair]:
    """Single cases, and pairs of each kind that once was told wrongly."""
    rows = [
        json.loads(line)
        for name in ("hard_pairs.jsonl", "kinds_of_pairs.jsonl")
        for line in (HERE / name).read_text(encoding="utf-8").splitlines()
    ]
    return [Pair(_work(row["a"], "crossref"), _work(row["b"], "openalex"), row["same"], row["why"]) for row in rows]


def recorded_pairs(test_data: Path) -> list[Pair]:
    works = recorded_works(test_data)
    pairs = []
    for line in (HERE / "recorded_pairs.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        one, other = (_checked(works, row[side]) for side in ("a", "b"))
        pairs.append(Pair(_hidden(one, row["hide"]), other, row["same"], row["why"]))
    return pairs


def _checked(works: dict[str, Work], told: dict[str, str]) -> Work:
    work = works[told["name"]]
    if _digest(work) != told["title"]:
        raise ValueError(f"{told['name']} has another title than when it was labelled: write the pairs anew.")
    return work


def _work(row: dict[str, object], provider: str) -> Work:
    fields = {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
    return Work(provider, **fields)  # type: ignore[arg-type]


def _hidden(work: Work, kinds: Sequence[str]) -> Work:
    return replace(work, ids={kind: value for kind, value in work.ids.items() if kind not in kinds})


def _digest(work: Work) -> str:
    return hashlib.sha256(title_name(work.title).key.encode()).hexdigest()[:12]


# --- Writing the pairs ---


def _same(works: dict[str, Work]) -> Iterator[tuple[str, str, str]]:
    """Pairs of one DOI or PMID from two bodies that are not copies of each other."""
    bearers: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name, work in works.items():
        for kind in ("doi", "pmid"):
            if kind in work.ids:
                bearers[kind, work.ids[kind]].append(name)
    seen = set()
    for (kind, _), names in sorted(bearers.items()):
        for one, other in combinations(sorted(names), 2):
            a, b = works[one], works[other]
            told = (a.provider, b.provider, a.title, b.title, a.year, b.year, a.authors, b.authors)
            if told not in seen and (a.provider != b.provider or (a.title, a.authors) != (b.title, b.authors)):
                seen.add(told)
                yield one, other, f"equal {kind}"


def _different(works: dict[str, Work]) -> Iterator[tuple[str, str, str]]:
    """Pairs of different DOIs: those whose titles are nearest to each other, and some at random."""
    by_doi = {work.ids["doi"]: name for name, work in sorted(works.items()) if "doi" in work.ids}
    names = sorted(by_doi.values())
    words = {name: set(folded_words(works[name].title)) for name in names}
    near = sorted(
        ((len(words[a] & words[b]) / len(words[a] | words[b]), a, b) for a, b in combinations(names, 2)),
        key=lambda told: (-told[0], told[1:]),
    )
    for _, one, other in near[:HARD_NEGATIVES]:
        yield one, other, "near titles, different DOIs"
    for _, one, other in random.Random(1).sample(near[HARD_NEGATIVES:], EASY_NEGATIVES):
        yield one, other, "different DOIs"


def _hides(same: bool, one: Work, other: Work) -> list[list[str]]:
    if not same:
        return [list(ALL)]
    return [[], list(ALL)] if _tells(one, other) else [[]]


def _tells(one: Work, other: Work) -> bool:
    """Whether title, year and first author can decide at all."""
    return bool((one.authors and other.authors) or (one.year and other.year and (one.authors or other.authors)))


def write(test_data: Path) -> Iterator[str]:
    works = recorded_works(test_data)
    for same, pairs in ((True, _same(works)), (False, _different(works))):
        for one, other, why in pairs:
            sides = {side: {"name": name, "title": _digest(works[name])} for side, name in (("a", one), ("b", other))}
            for hide in _hides(same, works[one], works[other]):
                yield json.dumps({"same": same, "why": why, "hide": hide, **sides}, ensure_ascii=False)


if __name__ == "__main__":
    print("\n".join(write(Path(sys.argv[1]))))
