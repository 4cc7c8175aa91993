"""A catalogue's contents as tables for people: pages of papers, counts of labels, the files behind them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from litloop.catalogue import codec
from litloop.catalogue.catalogue import Catalogue
from litloop.catalogue.rows import SourceFile
from litloop.core.records import Paper

Order = Literal["id", "title", "newest", "oldest"]

_ORDERS: Mapping[Order, str] = {
    "id": "m.paper_id",
    "title": "p.title COLLATE NOCASE, m.paper_id",
    "newest": "p.year IS NULL, p.year DESC, m.paper_id",
    "oldest": "p.year IS NULL, p.year, m.paper_id",
}
MOST_VALUES = 100  # of one label: with more it is no label to choose by, but a text


@dataclass(frozen=True, slots=True)
class PaperEntry:
    """A paper in a table, with how many passages it has and the key and path of the file it came from."""

    paper: Paper
    passages: int
    source: int | None
    path: str | None


def list_papers(
    catalogue: Catalogue, collection: int, *, words: str = "", order: Order = "id", offset: int = 0, limit: int = 50
) -> tuple[int, list[PaperEntry]]:
    """How many papers have every one of `words` in their title or id, and one page of them."""
    where, values = "m.collection = ?", [collection]  # type: tuple[str, list[Any]]
    for word in words.split():
        where += " AND (p.title LIKE ? ESCAPE '\\' OR m.paper_id LIKE ? ESCAPE '\\')"
        values += [_containing(word)] * 2
    read = catalogue.database.read()
    joined = f"FROM members m JOIN papers p ON p.key = m.paper WHERE {where}"
    total = int(read.execute(f"SELECT count(*) {joined}", values).fetchone()[0])
    rows = read.execute(
        f"""SELECT p.record, m.source, (SELECT path FROM sources s WHERE s.key = m.source) AS path,
                   (SELECT count(*) FROM passages g WHERE g.paper = m.paper) AS passages
            {joined} ORDER BY {_ORDERS[order]} LIMIT ? OFFSET ?""",  # noqa: S608
        [*values, limit, offset],
    )
    found = [PaperEntry(codec.paper_from_json(r["record"]), r["passages"], r["source"], r["path"]) for r in rows]
    return total, found


def paper_entry(catalogue: Catalogue, collection: int, paper_id: str) -> PaperEntry | None:
    row = catalogue.database.read().execute(
        """SELECT p.record, m.source, (SELECT path FROM sources s WHERE s.key = m.source) AS path,
                  (SELECT count(*) FROM passages g WHERE g.paper = m.paper) AS passages
           FROM members m JOIN papers p ON p.key = m.paper WHERE m.collection = ? AND m.paper_id = ?""",
        (collection, paper_id),
    ).fetchone()  # fmt: skip
    if row is None:
        return None
    return PaperEntry(codec.paper_from_json(row["record"]), row["passages"], row["source"], row["path"])


def source_with_key(catalogue: Catalogue, key: int) -> SourceFile | None:
    """The file of that key, in whichever collection."""
    row = catalogue.database.read().execute("SELECT collection, path FROM sources WHERE key = ?", (key,)).fetchone()
    return catalogue.source(row["collection"], row["path"]) if row else None


def label_counts(catalogue: Catalogue, collection: int) -> dict[str, list[tuple[str, int]]]:
    """label -> its values with how many papers carry each, most papers first. A paper with several values counts for
    each. Labels of more than a hundred values are left out."""
    counts: dict[str, dict[str, int]] = {}
    rows = catalogue.database.read().execute(
        """SELECT e.key AS label, e.type AS type, e.value AS value, count(*) AS papers
           FROM members m JOIN papers p ON p.key = m.paper, json_each(p.record, '$.labels') e
           WHERE m.collection = ? GROUP BY e.key, e.type, e.value""",
        (collection,),
    )
    for row in rows:
        of_label = counts.setdefault(row["label"], {})
        for value in _values(row["type"], row["value"]):
            of_label[value] = of_label.get(value, 0) + row["papers"]
    return {
        label: sorted(values.items(), key=lambda item: (-item[1], item[0]))
        for label, values in sorted(counts.items())
        if len(values) <= MOST_VALUES
    }


def _values(kind: str, value: Any) -> Sequence[str]:
    if kind == "array":
        return list(dict.fromkeys(str(item) for item in json.loads(value)))
    if kind in ("true", "false"):
        return [kind]
    return [] if value is None else [str(value)]


def _containing(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"
