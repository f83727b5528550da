"""Estimates of scores from the file of a sample and its runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poolbench.estimation.frame import PoolFrame, build_pool_frame
from poolbench.estimation.machines import NONE, MachineInput
from poolbench.estimation.measures import find_fractional_measure
from poolbench.estimation.report import EstimateReport, ScoreEstimates, compute_estimates
from poolbench.estimation.sample import build_sample
from poolbench.evaluation.judgments import Ints
from poolbench.evaluation.measures.names import parse_measures
from poolbench.evaluation.options import ScoringOptions
from poolbench.files.streams import read_bytes
from poolbench.notebooks import Frame, ResultTable, make_frame
from poolbench.runs.inputs import (
    File,
    QrelsSource,
    RunsLike,
    read_qrels_table,
    read_runs,
    source_name,
)
from poolbench.runs.pair_index import PairIndex
from poolbench.runs.sampled_qrels import SampledQrels, read_prels
from poolbench.runs.tables import QrelsTable, RunTable

if TYPE_CHECKING:
    from collections.abc import Sequence

MEASURES = ("P_10", "map", "bpref", "ndcg_cut_10")
NO_FRAME = (
    "the sample has no probability for {} of {} pairs: use the file `frame` of the pool, which "
    "lists all pairs that could be drawn"
)


class NoFrameError(ValueError):
    """A sample without the pairs that were not drawn, or runs without any pair of it."""


@dataclass(frozen=True, eq=False, repr=False)
class EstimatedScores(ResultTable):
    """Estimates of scores of runs with 95 % intervals; ``arrays`` are those behind ``report``."""

    report: EstimateReport
    arrays: ScoreEstimates

    def __repr__(self) -> str:
        names = ", ".join(own.measure for own in self.report.measures)
        judged = f"{self.report.judged:,} of {self.report.pairs:,} pairs judged"
        return f"<EstimatedScores: {names}; {judged}>"

    def to_frame(self) -> Frame:
        """A row per measure and run, by place: the value, its interval over samples, and the one
        over topics too; NaN where there is none.
        """
        rows = [
            (
                *(own.measure, run.run, run.place, run.estimate.value),
                *(run.estimate.low, run.estimate.high, run.over_topics.low, run.over_topics.high),
                run.drawn_in,
            )
            for own in self.report.measures
            for run in own.runs
        ]
        columns = [
            "measure", "run", "place", "value", "low", "high", "topics_low", "topics_high",
            "drawn_in",
        ]  # fmt: skip
        return make_frame(rows, columns=columns)


def estimate(
    runs: RunsLike,
    sample: File | SampledQrels,
    measures: str | Sequence[str] = MEASURES,
    *,
    machines: Mapping[str, QrelsSource] | None = None,
    level: int = 1,
    top: int | None = None,
    gains: Mapping[int, float] | None = None,
    seed: int = 0,
) -> EstimatedScores:
    """What full judging of a pool would give, estimated from judgments of a sample of it.

    Parameters
    ----------
    runs : dict by run tag, or iterable
        See ``read_runs``. They need not be those that were pooled.
    sample : path, bytes or SampledQrels
        The file ``frame`` of a pool by influence: all pairs that could be drawn, with their
        probabilities, and grade -1 where there is no judgment.
    measures : str or list of str
        Those that have estimates: P@k, AP, bpref, bpref-10, nDCG, nDCG@k, RBP, RR.
    machines : dict by name, optional
        Grades of automatic assessors, as in ``read_qrels``. They sharpen the estimates; a poor one
        does not bias them.
    level : int, optional
        The lowest relevant grade.
    top : int, optional
        The highest grade of the scale; default: of the judgments.
    gains : dict, optional
        Gain by grade for nDCG; default: the grade.
    seed : int, optional
        Decides in which of five parts of the calibration a pair is.

    Returns
    -------
    EstimatedScores
        ``to_frame()`` has a row per measure and run.

    Raises
    ------
    NoFrameError
        For a sample without the pairs that were not drawn, and runs without any pair of it.
    NoFractionError
        For a measure that has no estimate.
    InvalidFile
        With every fault of a file by line and column.

    Examples
    --------
    >>> import poolbench as pb
    >>> sample = b"1 a 1 1 1.0\\n1 b 0 1 0.5\\n1 c -1 1 0.5\\n"
    >>> found = pb.estimate({"x": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}}, sample, "P@1")
    >>> found.to_frame()[["measure", "run", "value"]]
      measure run  value
    0     P_1   x    1.0
    """
    tables = list(read_runs(runs))
    drawn = sample if isinstance(sample, SampledQrels) else _read_sample(sample)
    pi = check_frame(drawn)
    grades = np.maximum(drawn.qrels.grades, NONE).astype(np.int64)
    options = ScoringOptions(level=level, gains=gains)
    highest = max(int(grades.max(initial=0)), level) if top is None else top
    frame = build_pool_frame(tables, drawn.qrels)
    check_retrieved(frame, tables)
    named = parse_measures([measures] if isinstance(measures, str) else measures)
    chosen = {each.name: find_fractional_measure(each, options, highest) for each in named}
    judged = build_sample(frame, grades, np.flatnonzero(grades >= 0), pi, highest)
    inputs = [_read_machine(frame, name, own) for name, own in (machines or {}).items()]
    arrays = compute_estimates(judged, inputs, chosen, seed)
    return EstimatedScores(arrays.report, arrays)


def _read_sample(source: File) -> SampledQrels:
    return read_prels(read_bytes(source), file=source_name(source))


def check_frame(sample: SampledQrels) -> np.ndarray:
    """π of all pairs; raises ``NoFrameError`` where one is missing, or all pairs were drawn."""
    pi = sample.frame
    missing = len(sample.qrels) if pi is None else int(np.isnan(pi).sum())
    if pi is None or missing:
        raise NoFrameError(NO_FRAME.format(f"{missing:,}", f"{len(sample.qrels):,}"))
    if len(pi) and (pi < 1).any() and (sample.qrels.grades >= 0).all():
        raise NoFrameError(NO_FRAME.format("those not drawn", f"more than {len(pi):,}"))
    return pi


def check_retrieved(frame: PoolFrame, runs: Sequence[RunTable]) -> None:
    """Raise ``NoFrameError`` naming the runs that retrieve no pair of the frame."""
    counts = np.bincount(frame.segment // max(len(frame.topics), 1), minlength=len(runs))
    if missing := [run.tag for run, pairs in zip(runs, counts, strict=True) if not pairs]:
        names = ", ".join(missing[:5])
        raise NoFrameError(f"runs without any pair of the sample: {names}. Are topics the same?")


def _read_machine(frame: PoolFrame, name: str, source: QrelsSource) -> MachineInput:
    return MachineInput(name, place_machine_grades(frame, read_qrels_table(source)))


def place_machine_grades(frame: PoolFrame, table: QrelsTable) -> Ints:
    """The grade of each pair of the frame; ``NONE`` without one."""
    at = PairIndex.from_table(table).find(frame)
    grades = np.full(len(at), NONE, np.int64)
    grades[at >= 0] = np.maximum(table.grades[at[at >= 0]], NONE)
    return grades
