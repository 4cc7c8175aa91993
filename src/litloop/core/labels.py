"""Labels of one paper that its file lists several times: which values belong together.

A corpus lists a paper once for each of its topics, each row with what it says of that topic.
Merged, differing values become tuples, which is what filters look at; `ROWS` keeps beside them which value stood with
which, one JSON object a row.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from litloop.core.records import Labels, LabelValue

ROWS = "label_rows"  # never shown and never counted: it says again what the other labels say


def merged_labels(rows: Sequence[Labels]) -> dict[str, LabelValue]:
    """The labels of all rows: values that differ become tuples, each value once, in order."""
    result: dict[str, LabelValue] = {}
    for name in dict.fromkeys(name for labels in rows for name in labels if name != ROWS):
        values = [labels[name] for labels in rows if name in labels]
        if all(value == values[0] for value in values):
            result[name] = values[0]
        else:
            parts = (part for value in values for part in (value if isinstance(value, tuple) else (str(value),)))
            result[name] = tuple(dict.fromkeys(parts))
    return result


def labels_by_row(rows: Sequence[Labels]) -> dict[str, LabelValue]:
    """As `merged_labels`, with `ROWS` where more than one label differs between the rows."""
    merged = merged_labels(rows)
    each = [row for labels in rows for row in label_rows(labels)]
    differing = [name for name in merged if any(row.get(name) != each[0].get(name) for row in each)]
    if len(differing) < 2:  # one alone has nothing to be kept together with
        return merged
    told = [json.dumps({name: row[name] for name in differing if name in row}, ensure_ascii=False) for row in each]
    return {**merged, ROWS: tuple(dict.fromkeys(told))}


def label_rows(labels: Labels) -> list[Labels]:
    """The labels as the rows of the file had them; the labels themselves where there was one row."""
    plain = {name: value for name, value in labels.items() if name != ROWS}
    told = labels.get(ROWS, ())
    rows = [row for one in (told if isinstance(told, tuple) else (told,)) if (row := _row(one)) is not None]
    if not rows:
        return [plain]
    differing = {name for row in rows for name in row}
    common = {name: value for name, value in plain.items() if name not in differing}
    return [{**common, **row} for row in rows]


def label_values(label: LabelValue | None) -> tuple[str, ...]:
    """A label's values, whether it has none, one or several."""
    if label is None:
        return ()
    return label if isinstance(label, tuple) else (str(label),)


def shown_labels(labels: Labels) -> dict[str, LabelValue]:
    """The labels that a person is shown."""
    return {name: value for name, value in labels.items() if name != ROWS}


def _row(told: object) -> dict[str, LabelValue] | None:
    """A row as it was written, None where it is none: a file of others may hold anything under this name."""
    try:
        row = json.loads(told) if isinstance(told, str) else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(row, Mapping):
        return None
    return {name: value for name, raw in row.items() if (value := _value(raw)) is not None}


def _value(raw: Any) -> LabelValue | None:
    if isinstance(raw, list):
        return tuple(one for one in raw if isinstance(one, str))
    return raw if isinstance(raw, str | int | float | bool) else None
