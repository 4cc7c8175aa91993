"""Plots of a report, as SVG and PNG side by side. matplotlib is an extra, and imported when the first one is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from litloop.errors import MissingExtra
from litloop.evaluation.significance import Interval

FORMATS = ("svg", "png")
_SIZE = (8.0, 4.0)  # inches
Series = Mapping[str, Sequence[tuple[float, float]]]  # name -> (x, y) in order


class Plots:
    """Draws into `folder`. Names of files come back as they go into the page."""

    def __init__(self, folder: Path) -> None:
        """Raises MissingExtra without matplotlib."""
        try:
            import matplotlib
        except ImportError:
            raise MissingExtra("matplotlib", "eval") from None
        matplotlib.use("Agg")
        matplotlib.rcParams["svg.hashsalt"] = "litloop"  # the same figures give the same file
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def bars(self, name: str, title: str, figures: Mapping[str, Mapping[str, Interval]]) -> str:
        """Means with their intervals: group (a collection) -> series (a method) -> interval."""
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
                yerr=[[max(0.0, i.mean - i.low) for _, i in held], [max(0.0, i.high - i.mean) for _, i in held]],
                capsize=2,
            )
        axes.set_xticks(range(len(figures)), list(figures))
        axes.set_ylim(0, 1)
        axes.legend(ncols=min(5, max(1, len(series))), fontsize=8)
        return self._saved(figure, name)

    def lines(self, name: str, title: str, series: Series, *, x: str, y: str) -> str:
        figure, axes = self._figure(title)
        for label, points in series.items():
            axes.plot([p[0] for p in points], [p[1] for p in points], marker="o", ms=3, label=label)
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        axes.legend(fontsize=8)
        return self._saved(figure, name)

    def _figure(self, title: str) -> tuple[Any, Any]:
        from matplotlib.figure import Figure  # not pyplot: it keeps every figure alive

        figure = Figure(figsize=_SIZE, layout="constrained")
        axes = figure.subplots()
        axes.set_title(title, fontsize=10)
        axes.grid(visible=True, alpha=0.3)
        return figure, axes

    def _saved(self, figure: Any, name: str) -> str:
        for kind in FORMATS:
            metadata = {"Date": None} if kind == "svg" else {"Software": None}
            with suppress(FileNotFoundError):
                (self._folder / f"{name}.{kind}").unlink()
            figure.savefig(self._folder / f"{name}.{kind}", dpi=120, metadata=metadata)
        return f"{name}.svg"
