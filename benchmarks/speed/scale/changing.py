"""A process that searches a grown library, and adds one file to it and takes it out again, as a user does.

    python -m benchmarks.speed.scale.changing FOLDER

Prints one JSON object: the first search after the library has grown, which finds out its topics, in seconds; medians in
milliseconds of `Library.add`, of the next search, and of `Library.remove`.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.speed.scale.opening import opened, questions, with_vectors

FILES = 5


def change(folder: Path) -> dict[str, float]:
    vectors, asked = questions(1)
    times: dict[str, list[float]] = {"add_file_ms": [], "search_after_ms": [], "remove_file_ms": []}
    with (
        tempfile.TemporaryDirectory() as papers,
        opened(folder, with_vectors(asked, vectors)) as library,
    ):
        started = time.perf_counter()
        library.search(asked[0])
        first = time.perf_counter() - started
        for number in range(FILES + 1):
            file = Path(papers) / f"{number}.md"
            file.write_text(f"# Paper {number}\n\nA few words about number {number}.\n", encoding="utf-8")
            at = [time.perf_counter()]
            added = library.add(file).papers_added
            at.append(time.perf_counter())
            library.search(asked[0])
            at.append(time.perf_counter())
            removed = library.remove([file])
            at.append(time.perf_counter())
            assert (added, removed) == (1, 1)
            for name, start, end in zip(times, at, at[1:], strict=False):
                times[name].append(1000 * (end - start))
    medians = {name: statistics.median(ms[1:]) for name, ms in times.items()}  # the first starts the reading process
    return {"first_search_s": first, **medians}


if __name__ == "__main__":
    print(json.dumps(change(Path(sys.argv[1]))))
