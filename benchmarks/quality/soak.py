"""Soak: kill -9 at random moments of an ingest; whatever was killed, the end must equal an undisturbed run.

    python -m benchmarks.quality.soak --kills 200

Makes a folder of mixed files from the demo corpus and a library of it. Then the folder changes: files vanish, others
are written anew, one of several hundred pages and a second record of a known paper come. `add --sync` follows it once
undisturbed, then again and again from the first library with a killed process each time: after every kill the library
is verified, and the same command resumes. When a library is complete it is compared with the undisturbed one and a
new one is begun.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any

from benchmarks.places import LITLOOP
from litloop.library import Library

EMBEDDER = "hashing-256"  # needs no model, so that 200 processes start quickly
LONG_SECTIONS = 700  # more passages than one step of embedding takes
QUESTIONS = ("midbrain hypometabolism", "scalp angiosarcoma PET", "seizure onset zone", "amyloid and tau tracers")


@dataclass
class Outcome:
    """`failures` says after which kill what was wrong; empty is what we want."""

    kills: int = 0
    libraries: int = 0
    failures: list[str] = field(default_factory=list)
    seconds: float = 0.0


def make_files(folder: Path, papers: int = 60) -> None:
    """Mixed files: corpus JSONL, Markdown, text, HTML, DOCX, PDF, and three that cannot be read."""
    from docx import Document
    from fpdf import FPDF

    corpus = LITLOOP / "domains" / "neurology" / "corpus.jsonl"
    rows = [json.loads(line) for line in corpus.read_text(encoding="utf-8").split("\n")[:papers]]
    folder.mkdir(parents=True)
    half = len(rows) // 2
    (folder / "corpus.jsonl").write_text("\n".join(json.dumps(row) for row in rows[:half]), encoding="utf-8")
    for number, row in enumerate(rows[half:]):
        title, text = row["title"], row["summary"]
        name = f"{number:03d}"
        if number % 5 == 0:
            (folder / f"{name}.md").write_text(f"# {title}\n\n{text}\n", encoding="utf-8")
        elif number % 5 == 1:
            (folder / f"{name}.txt").write_text(f"{title}\n\n{text}\n", encoding="utf-8")
        elif number % 5 == 2:
            (folder / f"{name}.html").write_text(f"<h1>{title}</h1><p>{text}</p>", encoding="utf-8")
        elif number % 5 == 3:
            document = Document()
            document.add_heading(title, 1)
            document.add_paragraph(text)
            document.save(str(folder / f"{name}.docx"))
        else:
            pdf = FPDF()
            pdf.add_page()
            pdf.set_font("helvetica", size=11)
            pdf.multi_cell(0, 6, f"{title}\n\n{text}".encode("latin-1", "replace").decode("latin-1"))
            pdf.output(str(folder / f"{name}.pdf"))
    (folder / "empty.pdf").write_bytes(b"")
    (folder / "broken.docx").write_bytes(b"PK\x03\x04 not really")
    (folder / "truncated.pdf").write_bytes(b"%PDF-1.7\n1 0 obj\n<<")


def change_files(folder: Path, sections: int = LONG_SECTIONS) -> None:
    """What comes, goes and changes in the folder that `make_files` has made, once a library has it."""
    for name in ("001.txt", "007.html", "013.docx"):
        (folder / name).unlink()
    for name in ("000.md", "006.txt"):
        known = (folder / name).read_text(encoding="utf-8")
        (folder / name).write_text(f"{known}\nA second reading changed nothing.\n", encoding="utf-8")
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.md"))]
    long = "\n\n".join(f"## Section {at}\n\n{text}" for at, text in zip(range(sections), cycle(texts), strict=False))
    (folder / "long.md").write_text(f"# A handbook\n\n{long}\n", encoding="utf-8")
    row = json.loads((folder / "corpus.jsonl").read_text(encoding="utf-8").partition("\n")[0])
    record = f"TY  - JOUR\nTI  - {row['title']}\nAN  - {row['pmid']}\nDB  - PubMed\nJO  - Archives of Soak\nER  - \n"
    (folder / "again.ris").write_text(record, encoding="utf-8")


def soak(kills: int, seed: int, work: Path) -> Outcome:
    started, rng, outcome = time.perf_counter(), random.Random(seed), Outcome()
    files, first, calm = work / "files", work / "first", work / "calm"
    make_files(files)
    _add(first, files).wait()
    shutil.copytree(first, calm)
    change_files(files)
    took = _timed(lambda: _add(calm, files).wait())
    wanted = snapshot(calm)
    while outcome.kills < kills:
        library = work / f"library-{outcome.libraries}"
        shutil.copytree(first, library)
        while True:
            process = _add(library, files)
            try:
                process.wait(rng.uniform(0.0, took * 1.1))
                break
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            outcome.kills += 1
            outcome.failures += [f"kill {outcome.kills}: {fault}" for fault in faults(library)]
            if outcome.kills >= kills:
                _add(library, files).wait()
                break
        outcome.libraries += 1
        if (found := snapshot(library)) != wanted:
            outcome.failures.append(f"library {outcome.libraries} differs: {_difference(wanted, found)}")
        shutil.rmtree(library)
    outcome.seconds = time.perf_counter() - started
    return outcome


def faults(library: Path) -> list[str]:
    """What `verify` finds after a kill. A library that was never made has none."""
    if not (library / "catalogue.db").is_file():
        return []
    with Library.open(library, embedding={"model": EMBEDDER}) as held:
        reports, _ = held.verify()
        return [f"{report}" for report in reports if not report.sound]


def snapshot(library: Path) -> dict[str, Any]:
    """What two equal libraries share: papers, passages, files and their states, rankings."""
    with Library.open(library, embedding={"model": EMBEDDER}) as held:
        status = held.status().collections[0]
        key = held.collection().key
        passages = sorted(
            (stored.passage.id, stored.passage.text)
            for paper in held.components.catalogue.papers(key)
            for stored in held.components.catalogue.passages_of(key, paper.id)
        )
        rankings = {
            question: [(hit.passage.id, round(hit.score, 4)) for hit in held.search(question, k=5, mode=mode).hits]
            for question in QUESTIONS
            for mode in ("dense", "hybrid")
        }
        return {
            "papers": list(held.export()),
            "passages": passages,
            "indexed": status.indexed,
            "set aside": [(source.path, source.kind, source.reason) for source in status.quarantined],
            "unfinished": [source.path for source in status.unfinished],
            "rankings": rankings,
        }


def _add(library: Path, files: Path) -> subprocess.Popen[bytes]:
    environ = {**os.environ, "LITLOOP_EMBEDDING__MODEL": EMBEDDER}
    command = [sys.executable, "-m", "litloop", "add", "--sync", str(files), "--library", str(library), "--json"]
    return subprocess.Popen(
        command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )


def _timed(call: Any) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def _difference(wanted: dict[str, Any], found: dict[str, Any]) -> str:
    return ", ".join(name for name in wanted if wanted[name] != found[name])


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--kills", type=int, default=200)
    arguments.add_argument("--seed", type=int, default=20261129)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as work:
        outcome = soak(given.kills, given.seed, Path(work))
    print(f"{outcome.kills} kills, {outcome.libraries} libraries, {outcome.seconds:.0f} s")
    for failure in outcome.failures:
        print(failure)
    print("Every library ended as the undisturbed one." if not outcome.failures else "FAILED")
    return 1 if outcome.failures else 0


if __name__ == "__main__":
    sys.exit(main())
