"""A paper that carries a mark of retraction: the title without it, the mark kept as a label."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from litloop.core.records import LabelValue, Paper
from litloop.text.retractions import opens_as_retracted, read_title

NOTICE = "retraction notice"  # the `kind` of a notice: it takes a work back and is not itself retracted


def with_marks(
    paper: Paper,
    *,
    mark: str = "",
    notice: bool = False,
    opening: str = "",
    links: Mapping[str, LabelValue] | None = None,
) -> Paper:
    """The paper as its title, its first lines (`opening`) and what a format says outside them mark it.

    `mark` is a mark that stands elsewhere (a banner, a note), `notice` says that the format calls it a notice. A
    notice is labelled as such, with the title of the work that it takes back where that is told, and is never
    `retracted`. `links` are ids of the other of the two, as `retraction_of` or `retracted_by`.
    """
    said = read_title(paper.title)
    if notice or said.kind == "notice":
        about = {"retraction_of": said.about} if said.about else {}
        labels = {**paper.labels, "kind": NOTICE, **about, **(links or {})}
        return replace(paper, labels=labels, retracted=False)
    told = said.mark or mark or (opening and opens_as_retracted(opening) and "This article has been retracted") or ""
    if not (told or paper.retracted):
        return paper
    labels = {**paper.labels, **({"retraction_mark": told} if told else {}), **(links or {})}
    return replace(paper, title=said.title or paper.title, labels=labels, retracted=True)
