"""Look-ups over full documents of every kind: PDF, DOCX, Markdown, JATS and a MEDLINE file, asked without a model.

    python -m benchmarks.quality.documents --data ../shared/data [--work FOLDER]

`questions.jsonl` has two sets. `first`: 40 answerable and 12 unanswerable questions that were looked at while the
reader was being mended, so its figures flatter. `second`: 102 answerable and 37 unanswerable ones, written from the
documents alone, without sight of the rules that answer them. `second` is frozen: it is never tuned on, no question of
it is changed or left out for how it comes out, and a fault it shows is mended only by what holds for other questions.

Each answerable question has a regular expression and the files that tell the answer (twins: the same text in two
formats). `right`: a sentence of the answer matches and cites one of the files. `wrong`: there are sentences, and none
is right. Otherwise the status of the answer. The rank is that of the first passage from one of the files that matches.
Near questions are about what the documents speak of, and not told there; foreign ones belong to other fields.

The library is kept in FOLDER/library, and what was answered is written to FOLDER/answers.jsonl; without a folder
neither is kept. Writes `benchmarks/quality/results/documents.json`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from re import compile as expression
from typing import Any

from benchmarks.material.result_files import measured_with, page, table
from benchmarks.places import QUALITY_RESULTS, data_folder
from litloop.core.records import Answer
from litloop.evaluation.significance import bootstrap_interval
from litloop.library import Library

QUESTIONS = Path(__file__).with_name("questions.jsonl")
TARGET = QUALITY_RESULTS / "documents.json"
DEPTH = 10  # passages searched for
CUTS = (1, 3, DEPTH)
SETS = {"first": "first (looked at)", "second": "second (frozen)"}
ENDINGS = ("right", "wrong", "not_found", "out_of_scope", "passages_only")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and what came of it; `rank` is None where no passage among the first ten matches."""

    id: str
    set: str
    kind: str
    answerable: bool
    files: tuple[str, ...]
    ending: str  # right, wrong or the answer's status; of an unanswerable question: answered or the status
    rank: int | None


def material(data: Path) -> list[Path]:
    """The files of the library, by name."""
    found = [path for path in (data / "documents").rglob("*") if path.is_file()]
    return sorted([*found, data / "medline" / "sample_medline.nbib"], key=lambda path: path.name)


def corpus_hash(files: Sequence[Path]) -> str:
    digest = hashlib.sha256()
    for path in files:
        digest.update(f"{path.name}\n{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()[:16]


def files_of_papers(library: Library) -> dict[str, str]:
    """The name of the file that each paper was read from."""
    key, catalogue = library.collection().key, library.components.catalogue
    return {
        paper: Path(source.path).name
        for source in catalogue.sources(key)
        for paper in catalogue.members_of(key, source.key)
    }


def ask(library: Library, row: dict[str, Any], came_from: dict[str, str]) -> tuple[Asked, Answer]:
    answer = library.ask(row["question"], local_only=True)
    ending: str = "answered" if answer.sentences else answer.status
    rank = None
    if row["answer"] is not None:
        matches, files = expression(row["answer"]).search, set(row["files"])
        hits = library.search(row["question"], k=DEPTH).hits
        ranks = (hit.rank for hit in hits if came_from[hit.passage.paper_id] in files and matches(hit.passage.text))
        rank = next(ranks, None)
        if answer.sentences:
            right = any(
                matches(sentence.text) and files & {came_from.get(citation.paper_id) for citation in sentence.citations}
                for sentence in answer.sentences
            )
            ending = "right" if right else "wrong"
    found = Asked(row["id"], row["set"], row["kind"], row["answer"] is not None, tuple(row["files"]), ending, rank)
    return found, answer


def share(holds: Sequence[bool]) -> str:
    """.79 [.71, .85]: the share with its bootstrap interval over questions."""
    interval = bootstrap_interval([float(one) for one in holds])
    return f"{interval.mean:.2f} [{interval.low:.2f}, {interval.high:.2f}]"


def figures(asked: Sequence[Asked]) -> dict[str, Any]:
    """Counts of one set, with shares of its answerable and unanswerable questions."""
    able = [one for one in asked if one.answerable]
    other = [one for one in asked if not one.answerable]
    return {
        "answerable": {"n": len(able), "endings": dict(Counter(one.ending for one in able)),
                       "right": share([one.ending == "right" for one in able])},
        "passage among the first": {
            str(cut): share([one.rank is not None and one.rank <= cut for one in able]) for cut in CUTS
        },
        "refused": {
            kind: {"n": len(held), "refused": share([one.ending != "answered" for one in held]),
                   "endings": dict(Counter(one.ending for one in held))}
            for kind in ("near", "foreign")
            if (held := [one for one in other if one.kind == kind])
        },
    }  # fmt: skip


def told(sets: dict[str, Any], asked: Sequence[Asked]) -> dict[str, Any]:
    names = {name: SETS[name] for name in sets}
    endings = [[names[name], one["answerable"]["n"], *(one["answerable"]["endings"].get(e, 0) for e in ENDINGS),
                one["answerable"]["right"]] for name, one in sets.items()]  # fmt: skip
    ranks = [[names[name], *one["passage among the first"].values()] for name, one in sets.items()]
    refused = [[names[name], kind, held["n"], held["refused"]]
               for name, one in sets.items() for kind, held in one["refused"].items()]  # fmt: skip
    frozen = [one for one in asked if one.set == "second" and one.answerable]
    groups = {"kind": [(one.kind, one) for one in frozen], "file": [(one.files[0], one) for one in frozen]}
    parts = []
    for pairs in groups.values():
        for name in dict.fromkeys(name for name, _ in pairs):
            held = [one for found, one in pairs if found == name]
            within = sum(one.rank is not None and one.rank <= 3 for one in held)
            parts.append([name, len(held), *(sum(one.ending == e for one in held) for e in ENDINGS), within])
    return page(
        "Look-ups over full documents",
        "Whole runs without a model over PDF, DOCX, Markdown, JATS and MEDLINE files in one library. `first` was "
        "looked at while the reader was mended; `second` never was. Intervals are 95 % bootstrap over questions.",
        table("How the answerable questions ended.", ["set", "n", *ENDINGS, "right, share"], endings),
        table("A passage that tells the answer, among the first of a search.",
              ["set", *(f"first {cut}" for cut in CUTS)], ranks),
        table("What the documents do not tell, refused.", ["set", "questions", "n", "refused"], refused),
        table("The second set by kind of question and by file.", ["", "n", *ENDINGS, "in the first three"], parts),
    )  # fmt: skip


def measure(data: Path, work: Path) -> dict[str, Any]:
    rows = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    files = material(data)
    with Library.open(work / "library") as library, (work / "answers.jsonl").open("w", encoding="utf-8") as answers:
        library.add(files)
        came_from = files_of_papers(library)
        measured = measured_with(library.components.embedder)
        asked = []
        for row in rows:
            one, answer = ask(library, row, came_from)
            asked.append(one)
            shown = {**row, "ending": one.ending, "rank": one.rank, "status": answer.status, "text": answer.text}
            answers.write(json.dumps(shown, ensure_ascii=False) + "\n")
    sets = {name: figures([one for one in asked if one.set == name]) for name in SETS}
    return {
        "measured": {**measured, "corpus": {"documents": corpus_hash(files)},
                     "questions": hashlib.sha256(QUESTIONS.read_bytes()).hexdigest()[:16]},
        "files": len(files), "files read": len(set(came_from.values())), "papers": len(came_from),
        "sets": sets,
        "page": told(sets, asked),
        "questions": [asdict(one) for one in asked],
    }  # fmt: skip


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--data", type=Path, default=data_folder())
    arguments.add_argument("--work", type=Path, help="keeps the library and the answers")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as passing:
        work = given.work or Path(passing)
        work.mkdir(parents=True, exist_ok=True)
        result = measure(given.data, work)
    TARGET.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(json.dumps(result["sets"], indent=1))
