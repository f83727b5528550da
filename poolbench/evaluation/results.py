"""Results on several runs or measures: tables, and charts of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from poolbench.evaluation.bounds_formats import RunBounds, iter_bounds_rows
from poolbench.evaluation.comparison.compare import Comparisons
from poolbench.evaluation.comparison.pair_rows import PairRow
from poolbench.evaluation.curves import ELEVEN
from poolbench.evaluation.evaluate import ScoredRun
from poolbench.evaluation.measures.family import Measure
from poolbench.files.name_lists import choose_named
from poolbench.notebooks import Frame, ResultTable, make_frame

if TYPE_CHECKING:
    from poolbench.charts.chart import Chart

MOST_NAMES = 6


@dataclass(frozen=True)
class ScoredRuns(ResultTable):
    """Several runs scored against the same qrels."""

    runs: tuple[ScoredRun, ...]

    def __repr__(self) -> str:
        names = ", ".join(self.runs[0].columns) if self.runs else "no measure"
        return f"<ScoredRuns: {len(self.runs)} runs, {names}>"

    def __len__(self) -> int:
        return len(self.runs)

    def __iter__(self) -> Iterator[ScoredRun]:
        return iter(self.runs)

    def __getitem__(self, tag: str) -> ScoredRun:
        """The run with this tag."""
        return choose_named({run.tag: run for run in self.runs}, tag, "run")

    def to_frame(self) -> Frame:
        """Runs × measures: the mean over topics (the sum for counts); NaN where undefined."""
        return make_frame(
            [run.overall for run in self.runs],
            index=[run.tag for run in self.runs],
            columns=list(self.runs[0].columns) if self.runs else [],
            dtype="float64",
        )

    def chart(self, measure: str = "", *, by_topic: bool = False, run: str = "") -> Chart:
        """Mean and interval of each run by ``measure`` (default: the first), best run first; or
        ``by_topic`` box plots of all runs, with one ``run`` marked (default: the first)."""
        from poolbench.evaluation.charts.scores import build_run_intervals, build_topic_boxes

        if by_topic:
            return build_topic_boxes(self.runs, measure, run)
        return build_run_intervals(self.runs, measure)


@dataclass(frozen=True)
class ScoreBounds(ResultTable):
    """Scores of runs with their bounds from unjudged retrieved documents."""

    runs: tuple[RunBounds, ...]

    def __repr__(self) -> str:
        names = ", ".join(self.runs[0].scores.columns) if self.runs else "no measure"
        return f"<ScoreBounds: {len(self.runs)} runs, {names}>"

    def __getitem__(self, tag: str) -> RunBounds:
        """The ``scores`` and ``bounds`` of the run with this tag."""
        return choose_named({run.scores.tag: run for run in self.runs}, tag, "run")

    def to_frame(self, *, by_topic: bool = False) -> Frame:
        """A row per run and measure, or by topic: value, low, high, exact; NaN where undefined."""
        rows = []
        for run in self.runs:
            spelled = dict(zip(run.scores.names, run.scores.columns, strict=True))
            for row in iter_bounds_rows(run, by_topic=by_topic, summary=not by_topic):
                place = (run.scores.tag, spelled[row.measure.name], row.topic)
                rows.append((*place, row.value, row.low, row.high, row.bounds.exact))
        columns = ["run", "measure", "topic", "value", "low", "high", "exact"]
        return make_frame(rows, columns=columns)


@dataclass(frozen=True)
class MeasureComparisons(ResultTable):
    """All pairs of runs, compared by each of several measures; corrected by measure."""

    by_measure: dict[str, Comparisons]

    def __repr__(self) -> str:
        return f"<MeasureComparisons by {', '.join(self.by_measure)}>"

    def __getitem__(self, measure: str) -> Comparisons:
        """The comparisons by this measure, as requested."""
        return choose_named(self.by_measure, measure, "measure")

    def to_frame(self) -> Frame:
        """A row per measure and run pair."""
        rows = [(name, *row) for name, each in self.by_measure.items() for row in each.rows]
        return make_frame(rows, columns=["measure", *PairRow._fields])


class MeasureList(tuple[Measure, ...], ResultTable):
    """Measures, with a short text in print."""

    __slots__ = ()

    def __repr__(self) -> str:
        names = [measure.name for measure in self]
        more = f", … ({len(names)} measures)" if len(names) > MOST_NAMES else ""
        return f"<MeasureList: {', '.join(names[:MOST_NAMES])}{more}>"

    def to_frame(self) -> Frame:
        """A row per measure: name, title, range, whether higher or lower is better."""
        rows = [(m.name, m.title, m.family.range, m.family.better) for m in self]
        return make_frame(rows, columns=["name", "title", "range", "better"])


@dataclass(frozen=True)
class RecallCurves(ResultTable):
    """Interpolated precision at eleven levels of recall, mean over topics, by run tag."""

    runs: dict[str, tuple[float, ...]]

    def __repr__(self) -> str:
        return f"<RecallCurves: {len(self.runs)} runs>"

    def to_frame(self) -> Frame:
        """Levels of recall × runs."""
        return make_frame(self.runs, index=list(ELEVEN))

    def chart(self) -> Chart:
        """A line per run."""
        from poolbench.evaluation.charts.runs import build_recall_chart

        return build_recall_chart(self.runs.items())
