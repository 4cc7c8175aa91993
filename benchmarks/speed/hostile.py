"""Every function that is given a text, under texts that break what was written for ordinary ones: is its time linear?

    python -m benchmarks.speed.hostile                      # 10 KB, 40 KB, 160 KB, and 1 MB of what survived
    python -m benchmarks.speed.hostile --only "quotes" --texts "quotation" --sizes 10000 40000

Each function works in a process of its own, which is ended when one text takes longer than `--limit` seconds. Reports
the pairs whose exponent is 1.3 or more between two sizes, and those that were ended; leaves with an error if there are
any. Times are processor seconds; growth up to .1 s is not looked at.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from benchmarks.material.tests_support import LINEAR, NEGLIGIBLE, exponent, hostile_texts, seconds, text_functions

SIZES = (10_000, 40_000, 160_000, 1_000_000)
LIMIT_S = 60.0


@dataclass(frozen=True, slots=True)
class Measured:
    """One function and one hostile text. `seconds` has an entry for each size that was finished."""

    function: str
    text: str
    seconds: tuple[float, ...]
    exponent: float  # the steepest between two sizes that follow each other; 0 where all took no time to speak of
    ended: bool  # because of the limit
    error: str = ""

    @property
    def linear(self) -> bool:
        return self.exponent < LINEAR and not self.ended and not self.error


def measure(function: str, texts: Sequence[str], sizes: Sequence[int], limit_s: float) -> Iterator[Measured]:
    """One function with each text, in a process that is started anew after a text that had to be ended."""
    context = multiprocessing.get_context("spawn")
    left = list(texts)
    while left:
        ours, theirs = context.Pipe(duplex=False)
        worker = context.Process(target=_work, args=(theirs, function, left, tuple(sizes)), daemon=True)
        worker.start()
        theirs.close()
        ours.recv()  # ready: imports take longer than some limits
        took: list[float] = []
        while left:
            if not ours.poll(limit_s):
                worker.kill()
                yield _result(function, left.pop(0), took, sizes, ended=True)
                break
            told = ours.recv()
            if isinstance(told, float):
                took.append(told)
                continue
            yield _result(function, left.pop(0), took, sizes, error=told)
            took = []
        worker.join()


def _work(results: Connection, function: str, texts: Sequence[str], sizes: Sequence[int]) -> None:
    call, made = text_functions()[function], hostile_texts()
    call("The tumour was small.")  # what is loaded once is no growth
    results.send("ready")
    for name in texts:
        error = ""
        before = 0.0
        try:
            for size in sizes:
                text = made[name](size)
                now = seconds(call, text)
                if now > NEGLIGIBLE and exponent(before, now, 4) >= LINEAR:  # a busy machine? look again
                    now = seconds(call, text)
                results.send(now)
                before = now
        except Exception as fault:
            error = f"{type(fault).__name__}: {fault}"[:200]
        results.send(error)


def _result(
    function: str, text: str, took: Sequence[float], sizes: Sequence[int], *, ended: bool = False, error: str = ""
) -> Measured:
    steps = zip(took, took[1:], sizes, sizes[1:], strict=False)
    grown = [exponent(short, long, large / small) for short, long, small, large in steps if long > NEGLIGIBLE]
    return Measured(function, text, tuple(round(s, 4) for s in took), round(max(grown, default=0.0), 2), ended, error)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="functions whose name holds this")
    parser.add_argument("--after", default="", help="functions that follow this one in the table")
    parser.add_argument("--texts", default="", help="texts whose name holds this")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="characters, rising")
    parser.add_argument("--limit", type=float, default=LIMIT_S, help="seconds for one function, text and size")
    parser.add_argument("--output", type=Path, help="a JSON file for every measurement")
    options = parser.parse_args(arguments)
    texts = [name for name in hostile_texts() if options.texts in name]
    found: list[Measured] = []
    functions = list(text_functions())
    for function in functions[functions.index(options.after) + 1 if options.after else 0 :]:
        if options.only in function:
            for measured in measure(function, texts, options.sizes, options.limit):
                found.append(measured)
                if not measured.linear:
                    state = "ended" if measured.ended else measured.error or f"exponent {measured.exponent}"
                    print(f"{function} · {measured.text}: {state}, seconds {list(measured.seconds)}", flush=True)
    wrong = [measured for measured in found if not measured.linear]
    print(f"{len(found)} pairs of function and text, {len(wrong)} not linear; sizes {list(options.sizes)}.")
    if options.output:
        options.output.write_text(json.dumps([asdict(measured) for measured in found], indent=1, ensure_ascii=False))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
