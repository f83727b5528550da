"""Estimates of scores from the file of a sample and its runs."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from poolbench.estimation.frame import PoolFrame, build_pool_frame
from poolbench.estimation.machine_files import (
    MachinesLike,
    build_machine_input,
    find_top_grade,
    name_machines,
    read_machine,
)
from poolbench.estimation.machines import MachineInput
from poolbench.estimation.measures import (
    DEFAULT_MEASURES,
    FractionalMeasure,
    find_fractional_measure,
)
from poolbench.estimation.report import compute_estimates
from poolbench.estimation.results import EstimatedScores
from poolbench.estimation.sample import JudgedSample
from poolbench.evaluation.evaluate import Measures, select_measures
from poolbench.evaluation.options import ScoringOptions
from poolbench.runs.inputs import RunsLike, SampleSource, read_runs, read_sample_table
from poolbench.runs.sampled_qrels import SampledQrels

MEASURES = DEFAULT_MEASURES
MOST_ABOVE = 1.01
"""Times the sum of the probabilities, printed with few digits, that may be judged."""
NO_PROBABILITY = "the sample has no probability for {:,} of {:,} pairs"
ALL_JUDGED = "{:,} pairs are judged, but the probabilities add up to {:,.1f} drawn ones"
USE_FRAME = (
    ": use the file `frame` of the pool, which lists all pairs that could be drawn, "
    "by `poolbench pool --format frame` or from the page of the pool"
)


class NoFrameError(ValueError):
    """A sample without the pairs that were not drawn, or runs without any pair of it."""


def estimate(
    runs: RunsLike,
    sample: SampleSource,
    measures: Measures = MEASURES,
    *,
    machines: MachinesLike = None,
    teams: Mapping[str, str] | None = None,
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
    sample : path, bytes, dict, DataFrame or SampledQrels
        All pairs that could be drawn, with their probabilities, and grade -1 where there is no
        judgment: the file ``frame`` of a pool by influence; a dict
        ``{topic: {docno: (grade, probability)}}``; or a frame as ``plan_estimates(...).draw(...)``
        returns it. The probabilities add up to the pairs drawn; drawn pairs without a grade make
        the others weigh more.
    measures : str or list of str
        Those that have estimates: P@k, AP, bpref, bpref-10, nDCG, nDCG@k, RBP, RR.
    machines : optional
        Grades of an automatic assessor as in ``read_qrels``, or its chances: a file of lines
        ``topic docno p0 p1 …``, or a dict ``{topic: {docno: [p0, p1, …]}}``; or a dict of several
        by name. They sharpen the estimates; a poor one hardly harms them.
    teams : dict, optional
        The team of each run. Runs of a team that a machine favours are placed by their estimates
        alone.
    level : int, optional
        The lowest relevant grade.
    top : int, optional
        The highest grade of the scale; default: of the judgments and machines.
    gains : dict, optional
        Gain by grade for nDCG; default: the grade.
    seed : int, optional
        Decides in which of five parts of the calibration a pair is.

    Returns
    -------
    EstimatedScores
        ``to_frame()`` has a row per measure and run, ``compare()`` one per pair of runs;
        ``difference()`` has its interval.

    Raises
    ------
    NoFrameError
        For a sample without the pairs that were not drawn, and runs without any pair of it.
    NoFractionError
        For a measure that has no estimate.
    ValueError
        For a sample without any grade, or one above the scale, and a machine without any pair of
        the sample.
    InvalidFile
        With every fault of a file by line and column.

    Examples
    --------
    >>> import poolbench as pb
    >>> sample = b"1 a 1 1 1.0\\n1 b 0 1 0.5\\n1 c -1 1 0.5\\n"
    >>> found = pb.estimate({"x": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}}, sample, "P@1")
    >>> found.to_frame()[["measure", "run", "value"]]
      measure run  value
    0     P@1   x    1.0
    """
    inputs = read_estimation_inputs(
        runs, read_sample_table(sample), measures, machines, level, top, gains
    )
    arrays = compute_estimates(inputs.sample, inputs.machines, inputs.measures, seed, teams=teams)
    return EstimatedScores(arrays.report, arrays, inputs.sample.frame.runs, inputs.names)


class EstimationInputs(NamedTuple):
    """What estimates are computed from; ``names``: the spelling of each measure by its name."""

    sample: JudgedSample
    machines: Sequence[MachineInput]
    measures: Mapping[str, FractionalMeasure]
    names: Mapping[str, str]


def read_estimation_inputs(
    runs: RunsLike,
    sampled: SampledQrels,
    measures: Measures,
    machines: MachinesLike,
    level: int,
    top: int | None,
    gains: Mapping[int, float] | None,
) -> EstimationInputs:
    """Of the arguments of ``estimate``, which it checks."""
    tables = read_runs(runs)
    own = {name: read_machine(each, top) for name, each in name_machines(machines).items()}
    options = ScoringOptions(level=level, gains=gains)
    grades = [find_top_grade(sampled.qrels), *map(find_top_grade, own.values()), level]
    highest = max(grades) if top is None else top
    if grades[0] > highest:
        raise ValueError(
            f"the sample has a grade of {grades[0]}, above the scale's highest, {highest}"
        )
    named = select_measures(measures, options)
    chosen = {each.name: find_fractional_measure(each, options, highest) for each in named}
    frame = build_pool_frame(tables, sampled.qrels)
    judged = build_judged_sample(frame, sampled, highest)
    check_retrieved(frame)
    inputs = [build_machine_input(name, table, frame) for name, table in own.items()]
    names = {each.name: spelled or each.name for each, spelled in named.items()}
    return EstimationInputs(judged, inputs, chosen, names)


def build_judged_sample(frame: PoolFrame, sampled: SampledQrels, top: int) -> JudgedSample:
    """The sample of the pairs of ``sampled``, which are those of ``frame``. What is missing of the
    sum of their probabilities was drawn and has no grade.

    Raises ``NoFrameError`` where pairs lack a probability, or those not drawn are missing.
    """
    pi, pairs = sampled.frame, len(sampled.qrels)
    missing = pairs if pi is None else int(np.isnan(pi).sum())
    if pi is None or missing:
        raise NoFrameError(NO_PROBABILITY.format(missing, pairs) + USE_FRAME)
    judged, total = np.flatnonzero(sampled.qrels.grades >= 0), float(pi.sum())
    if not len(judged):
        raise ValueError("the sample has no grades: fill in those of the pairs that were drawn")
    if len(judged) > MOST_ABOVE * total + 0.5 or (len(judged) == pairs and (pi < 1).any()):
        raise NoFrameError(ALL_JUDGED.format(len(judged), total) + USE_FRAME)
    number = max(round(total), len(judged))
    steps = (sampled.qrels.grades[judged][:, None] >= np.arange(1, top + 1)).astype(float)
    weighed = pi * (len(judged) / number)
    return JudgedSample(frame, judged, steps, weighed, None, number - len(judged))


def check_retrieved(frame: PoolFrame) -> None:
    """Raise ``NoFrameError`` naming the runs that retrieve no pair of the frame."""
    counts = np.bincount(frame.segment // max(len(frame.topics), 1), minlength=len(frame.runs))
    if missing := [frame.runs[at] for at in np.flatnonzero(counts == 0).tolist()]:
        names = ", ".join(missing[:5])
        raise NoFrameError(f"runs without any pair of the sample: {names}. Are topics the same?")
