"""What a run of adding says while it goes on and when it is done."""

from __future__ import annotations

from dataclasses import dataclass, field

from litloop.catalogue import SourceFile
from litloop.core.notebook import MOST_ROWS, counted, div, html_table, paragraph, shortened
from litloop.reading import Problem

MOST_ENDINGS = 12  # named in one sentence


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
    unchanged: int = 0  # files that were read before and have not changed since
    papers_added: int = 0  # new or changed
    papers_joined: int = 0  # records of papers that another record gives too
    papers_unchanged: int = 0  # read again and found equal
    papers_removed: int = 0  # no longer in their file
    passages: int = 0  # stored anew
    embedded: int = 0  # passages whose vector had to be computed
    quarantined: list[SourceFile] = field(default_factory=list)  # now, or before and not changed since
    problems: list[Problem] = field(default_factory=list)  # paths that gave nothing to read
    vanished: list[SourceFile] = field(default_factory=list)  # known files that are gone from the folders given
    stale: list[SourceFile] = field(default_factory=list)  # files that cannot be read now but could before
    passed_over: dict[str, int] = field(default_factory=dict)  # files of other endings met in folders, by ending
    libraries: list[str] = field(default_factory=list)  # folders passed over: litloop's own
    conversions: dict[str, str] = field(default_factory=dict)  # what would make those readable, by ending
    warnings: list[str] = field(default_factory=list)  # from files that were read all the same
    seconds: float = 0.0

    @property
    def complete(self) -> bool:
        return not (self.quarantined or self.problems)

    @property
    def skipped(self) -> list[tuple[str, str]]:
        """Each path that gave nothing, and why: files that cannot be read, and paths with nothing to read."""
        return [(file.path, file.reason or file.kind or "") for file in self.quarantined] + [
            (problem.path, problem.message) for problem in self.problems
        ]

    def passed_over_sentence(self) -> str:
        """How many files of which endings the folders held that are not read; empty where there were none."""
        if not self.passed_over:
            return ""
        most = sorted(self.passed_over.items(), key=lambda one: (-one[1], one[0]))
        told = [f"{number} {shortened(ending, 30)}" for ending, number in most[:MOST_ENDINGS]]
        told += [f"{len(most) - MOST_ENDINGS} more endings"] if len(most) > MOST_ENDINGS else []
        return f"{counted(sum(self.passed_over.values()), 'file')} of other kinds passed over: {', '.join(told)}."

    def conversion_sentences(self) -> list[str]:
        """What would make files that were passed over readable: ".doc, .odt: save as DOCX or PDF"."""
        endings: dict[str, list[str]] = {}
        for ending, advice in self.conversions.items():
            endings.setdefault(advice, []).append(ending)
        return [f"{', '.join(sorted(same))}: {advice}" for advice, same in endings.items()]

    def __repr__(self) -> str:
        done = [counted(self.indexed, "file") + " read", counted(self.papers_added, "paper") + " added"]
        done += [counted(self.unchanged, "file") + " unchanged"] if self.unchanged else []
        done += [counted(len(self.skipped), "file") + " skipped"] if self.skipped else []
        return f"<AddReport {shortened(self.collection, 60)}: {', '.join(done)}>"

    def _repr_html_(self) -> str:
        counts = [
            (name.replace("_", " "), str(getattr(self, name)))
            for name in ("indexed", "unchanged", "papers_added", "papers_removed", "passages", "embedded")
        ]
        told = [paragraph(f"Added to {self.collection} in {self.seconds:.1f} s."), html_table(("", ""), counts)]
        if skipped := self.skipped:
            told.append(html_table(("Skipped", "Why"), skipped))
        told += map(paragraph, filter(None, [self.passed_over_sentence(), *self.conversion_sentences()]))
        return div(*told, *map(paragraph, self.warnings[:MOST_ROWS]))
