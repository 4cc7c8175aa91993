"""What a run of adding says while it goes on and when it is done."""

from __future__ import annotations

from dataclasses import dataclass, field

from litloop.catalogue import SourceFile
from litloop.core.notebook import MOST_ROWS, counted, div, html_table, paragraph, shortened
from litloop.reading import Problem


@dataclass(frozen=True, slots=True)
class AddProgress:
    """How far a run has come. `files_total` is known from the start; `papers` and `passages` grow."""

    files_done: int
    files_total: int
    papers: int
    passages: int
    current: str  # the name of the file being read


@dataclass
class AddReport:
    """What a run did. Quarantined files are listed with the sentence that says why."""

    collection: str
    indexed: int = 0  # files read
    unchanged: int = 0  # files skipped by their hash
    papers_added: int = 0  # new or changed
    papers_joined: int = 0  # records of papers that another record gives too
    papers_unchanged: int = 0  # read again and found equal
    papers_removed: int = 0  # no longer in their file
    passages: int = 0  # stored anew
    embedded: int = 0  # passages whose vector had to be computed
    quarantined: list[SourceFile] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)  # paths that gave nothing to read
    vanished: list[SourceFile] = field(default_factory=list)  # known files that are gone from the folders given
    stale: list[SourceFile] = field(default_factory=list)  # files that cannot be read now but could before
    warnings: list[str] = field(default_factory=list)  # from files that were read all the same
    seconds: float = 0.0

    @property
    def complete(self) -> bool:
        return not (self.quarantined or self.problems)

    def __repr__(self) -> str:
        done = [counted(self.indexed, "file") + " read", counted(self.papers_added, "paper") + " added"]
        done += [counted(self.unchanged, "file") + " unchanged"] if self.unchanged else []
        done += [counted(len(self._skipped()), "file") + " skipped"] if self._skipped() else []
        return f"<AddReport {shortened(self.collection, 60)}: {', '.join(done)}>"

    def _repr_html_(self) -> str:
        counts = [
            (name.replace("_", " "), str(getattr(self, name)))
            for name in ("indexed", "unchanged", "papers_added", "papers_removed", "passages", "embedded")
        ]
        told = [paragraph(f"Added to {self.collection} in {self.seconds:.1f} s."), html_table(("", ""), counts)]
        if skipped := self._skipped():
            told.append(html_table(("Skipped", "Why"), skipped))
        return div(*told, *map(paragraph, self.warnings[:MOST_ROWS]))

    def _skipped(self) -> list[tuple[str, str]]:
        """Each file that was not read, and why."""
        return [(file.path, file.reason or file.kind or "") for file in self.quarantined] + [
            (problem.path, problem.message) for problem in self.problems
        ]
