"""All estimates from a sample: one report for page, command, API and releases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from poolbench.estimation.calibration import FOLDS, PairFeatures, build_rank_features, fit_chances
from poolbench.estimation.estimates import MeasureEstimate, estimate_measure
from poolbench.estimation.machines import MachineInput, build_machine_features
from poolbench.estimation.measures import FractionalMeasure
from poolbench.estimation.raking import rake_chances
from poolbench.estimation.run_order import draw_in
from poolbench.estimation.sample import JudgedSample
from poolbench.evaluation.judgments import Floats
from poolbench.statistics.estimate import Estimate

LEVEL = 0.95
QUANTILE = 1.96


@dataclass(frozen=True)
class RunEstimate:
    """One run: ``estimate`` of its mean over these topics, with the interval of the sample;
    ``over_topics``, the same with the error of the topics too; ``place``, and ``drawn_in``, the
    value that the place is by (None: it is by the estimate).
    """

    run: str
    estimate: Estimate
    over_topics: Estimate
    place: int
    drawn_in: float | None = None


@dataclass(frozen=True)
class MeasureReport:
    """The runs of one measure by place."""

    measure: str
    runs: tuple[RunEstimate, ...]


@dataclass(frozen=True)
class EstimateReport:
    """``pairs`` of the frame, ``judged`` of them in the sample; ``machines`` by name."""

    topics: int
    pairs: int
    judged: int
    machines: tuple[str, ...]
    measures: tuple[MeasureReport, ...]


@dataclass(frozen=True, eq=False)
class ScoreEstimates:
    """The report with the arrays behind it, by name of the measure, and the chances of each step
    of all pairs, ``chances``.
    """

    report: EstimateReport
    measures: Mapping[str, MeasureEstimate]
    chances: Floats


def compute_estimates(
    sample: JudgedSample,
    machines: Sequence[MachineInput],
    measures: Mapping[str, FractionalMeasure],
    seed: int,
) -> ScoreEstimates:
    """Estimates of all ``measures``, by name, for all runs of the frame."""
    frame = sample.frame
    fold = frame.hash_pairs(seed, "fold") % FOLDS
    machine_features = build_machine_features(machines)
    ranks = build_rank_features(frame)

    def fit(features: PairFeatures) -> Floats:
        return fit_chances(
            features, frame.topic_index, sample.steps, sample.judged, fold, len(frame.topics)
        )

    chances = fit(ranks if machine_features is None else machine_features.join(ranks))
    by_machine = None if machine_features is None else rake_chances(sample, fit(machine_features))
    estimates = {name: estimate_measure(sample, chances, own) for name, own in measures.items()}
    reports = tuple(
        report_measure(
            sample, name, estimate, _draw_in(sample, estimate, measures[name], by_machine)
        )
        for name, estimate in estimates.items()
    )
    names = tuple(machine.name for machine in machines)
    pairs = len(frame.topic_index)
    report = EstimateReport(len(frame.topics), pairs, len(sample.judged), names, reports)
    return ScoreEstimates(report, estimates, chances)


def _draw_in(
    sample: JudgedSample,
    estimate: MeasureEstimate,
    measure: FractionalMeasure,
    by_machine: Floats | None,
) -> Floats | None:
    if by_machine is None:
        return None
    expected = measure.compute(sample.frame, sample.fill(by_machine)).values.mean(axis=1)
    allowed = np.outer(estimate.allowance, estimate.allowance)
    return draw_in(estimate.means, expected, estimate.covariance + allowed)


def report_measure(
    sample: JudgedSample, name: str, estimate: MeasureEstimate, ordering: Floats | None
) -> MeasureReport:
    order = np.argsort(-(estimate.means if ordering is None else ordering), kind="stable")
    judged, topics = len(sample.judged), len(sample.frame.topics)
    low, high = estimate.limits(QUANTILE)
    wide = estimate.over_topics()
    rows = tuple(
        RunEstimate(
            sample.frame.runs[at],
            Estimate(float(estimate.means[at]), judged, float(low[at]), float(high[at]), LEVEL),
            Estimate(float(estimate.means[at]), topics, wide[at][0], wide[at][1], LEVEL),
            place,
            None if ordering is None else float(ordering[at]),
        )
        for place, at in enumerate(order.tolist(), 1)
    )
    return MeasureReport(name, rows)
