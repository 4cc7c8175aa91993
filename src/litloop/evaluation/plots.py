"""Plots of a report, as SVG and PNG side by side. matplotlib is an extra, and imported when the first one is drawn."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from litloop.core.errors import MissingExtra
from litloop.evaluation.baselines import made_folder
from litloop.evaluation.significance import Interval, wilson_interval

FORMATS = ("svg", "png")
# Okabe and Ito's colours, told apart by most colour-blind readers.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#000000", "#999999")
_SIZE = (9.0, 4.2)  # inches
_PANEL = 3.0  # inches a side
Point = tuple[float, float]
Series = Mapping[str, Sequence[Point]]  # name -> (x, y) in order
Bins = Mapping[str, Sequence[tuple[float, float, int]]]  # name -> (predicted, observed, cases)


class Plots:
    """Draws into `folder`. What comes back names a file as the page beside the folder links it."""

    def __init__(self, folder: Path) -> None:
        """Raises MissingExtra without matplotlib, UsageError when the folder cannot be made."""
        try:
            import matplotlib
        except ImportError:
            raise MissingExtra("matplotlib", "eval") from None
        matplotlib.use("Agg")
        matplotlib.rcParams["svg.hashsalt"] = "litloop"  # the same figures give the same file
        self._folder = folder
        self.drawn: list[str] = []  # as the page links them
        made_folder(folder)

    def bars(
        self, name: str, title: str, figures: Mapping[str, Mapping[str, Interval]], *, unit: str | None = None
    ) -> str:
        """Values with their intervals: group (a collection) -> series (a method) -> interval. Shares from 0 to 1, or
        of a `unit` on a logarithmic scale."""
        figure, axes = self._figure(title)
        series = list(dict.fromkeys(one for group in figures.values() for one in group))
        width = 0.8 / max(1, len(series))
        for place, one in enumerate(series):
            held = [(at, group[one]) for at, group in enumerate(figures.values()) if one in group]
            axes.bar(
                [at + (place - (len(series) - 1) / 2) * width for at, _ in held],
                [interval.mean for _, interval in held],
                width,
                label=one,
                color=COLOURS[place % len(COLOURS)],
                yerr=[[max(0.0, i.mean - i.low) for _, i in held], [max(0.0, i.high - i.mean) for _, i in held]],
                error_kw={"elinewidth": 1, "ecolor": "#444444"},
                capsize=2,
            )
        axes.set_xticks(range(len(figures)), [group.replace(" (", "\n(") for group in figures], fontsize=9)
        axes.grid(visible=False, axis="x")
        if unit:
            axes.set_yscale("log")
            axes.set_ylabel(unit)
            axes.yaxis.set_major_formatter("{x:g}")
            axes.yaxis.set_minor_formatter("")
        else:
            axes.set_ylim(0, 1)
        figure.legend(loc="outside lower center", ncols=min(8, max(1, len(series))), fontsize=8, frameon=False)
        return self._saved(figure, name)

    def lines(
        self, name: str, title: str, series: Series, *, x: str, y: str, marked: Mapping[str, Point] | None = None
    ) -> str:
        """`marked` points are drawn with their names."""
        figure, axes = self._figure(title)
        for place, (label, points) in enumerate(series.items()):
            colour = COLOURS[place % len(COLOURS)]
            axes.plot([p[0] for p in points], [p[1] for p in points], marker="o", ms=3, label=label, color=colour)
        for label, point in (marked or {}).items():
            axes.plot(*point, marker="D", ms=8, mfc="none", color="black")
            axes.annotate(label, point, xytext=(10, -12), textcoords="offset points", fontsize=8)
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        axes.legend(fontsize=8)
        return self._saved(figure, name)

    def reliability(self, name: str, title: str, bins: Bins, *, marked: Sequence[float] = ()) -> str:
        """One reliability diagram a series: what was said against what came true, with Wilson intervals. `marked`
        probabilities (thresholds) are drawn as upright lines."""
        from matplotlib.figure import Figure

        columns = min(3, len(bins))
        rows = math.ceil(len(bins) / columns)
        figure = Figure(figsize=(_PANEL * columns, _PANEL * rows + 0.4), layout="constrained")
        figure.suptitle(title, fontsize=10)
        end = _axis_end([point for points in bins.values() for point in points])
        panels = figure.subplots(rows, columns, squeeze=False).ravel()
        for panel, (label, points) in zip(panels, bins.items(), strict=False):
            spans = [wilson_interval(observed, n) for _, observed, n in points]
            errors = [[max(0.0, i.mean - i.low) for i in spans], [max(0.0, i.high - i.mean) for i in spans]]
            panel.plot([0, end], [0, end], ls="--", lw=1, color="#888888")
            for at in marked:
                panel.axvline(at, ls=":", lw=1, color=COLOURS[4])
            panel.errorbar([p[0] for p in points], [p[1] for p in points], yerr=errors, marker="o", ms=4, lw=1,
                           elinewidth=1, capsize=2, color=COLOURS[0])  # fmt: skip
            panel.set_title(label, fontsize=8)
            panel.set_xlim(0, end)
            panel.set_ylim(0, end)
            panel.set_aspect("equal")
            panel.tick_params(labelsize=7)
            panel.grid(visible=True, alpha=0.3)
        for panel in panels[len(bins) :]:
            panel.set_visible(False)
        figure.supxlabel("probability said", fontsize=8)
        figure.supylabel("share that came true", fontsize=8)
        return self._saved(figure, name)

    def _figure(self, title: str) -> tuple[Any, Any]:
        from matplotlib.figure import Figure  # not pyplot: it keeps every figure alive

        figure = Figure(figsize=_SIZE, layout="constrained")
        axes = figure.subplots()
        axes.set_title(title, fontsize=10)
        axes.grid(visible=True, alpha=0.3)
        axes.set_axisbelow(True)
        return figure, axes

    def _saved(self, figure: Any, name: str) -> str:
        for kind in FORMATS:
            metadata = {"Date": None} if kind == "svg" else {"Software": None}
            with suppress(FileNotFoundError):
                (self._folder / f"{name}.{kind}").unlink()
            figure.savefig(self._folder / f"{name}.{kind}", dpi=120, metadata=metadata)
            self.drawn.append(f"{self._folder.name}/{name}.{kind}")
        return f"{self._folder.name}/{name}.svg"


def _axis_end(points: Sequence[tuple[float, float, int]]) -> float:
    """As far as the points go, by tenths: probabilities of rare things would else crowd in a corner."""
    return min(1.0, math.ceil(10 * max(max(said, true) for said, true, _ in points) + 0.5) / 10)
