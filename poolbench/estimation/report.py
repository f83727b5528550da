"""All estimates from a sample: one report for page, command, API and releases."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from poolbench.estimation.calibration import FOLDS, PairFeatures, build_rank_features, fit_chances
from poolbench.estimation.estimates import MeasureEstimate, estimate_measure
from poolbench.estimation.machines import MachineInput, build_machine_features
from poolbench.estimation.measures import FractionalMeasure
from poolbench.estimation.raking import rake_chances
from poolbench.estimation.refusals import explain_no_interval
from poolbench.estimation.remarks import (
    Remark,
    SampleWeights,
    compute_framed_shares,
    list_remarks,
    weigh_sample,
)
from poolbench.estimation.run_order import DrawnOrder, choose_drawn_runs, draw_in
from poolbench.estimation.sample import JudgedSample
from poolbench.estimation.text_scores import TextScores
from poolbench.evaluation.judgments import Floats
from poolbench.statistics.estimate import Estimate
from poolbench.statistics.least_topics import TOO_FEW_TOPICS

LEVEL = 0.95
QUANTILE = 1.96
TEXT = "text classifier"


@dataclass(frozen=True)
class RunEstimate:
    """One run: ``estimate`` of its mean over these topics, with the interval of the sample;
    ``over_topics``, the same with the error of the topics too; ``place``, and ``drawn_in``, the
    value that the place is by (None: it is by the estimate); ``framed``, the share of its first ten
    documents in the frame.
    """

    run: str
    estimate: Estimate
    over_topics: Estimate
    place: int
    drawn_in: float | None = None
    framed: float = 1.0


@dataclass(frozen=True)
class MeasureReport:
    """The runs of one measure by place; ``why`` they have no intervals."""

    measure: str
    runs: tuple[RunEstimate, ...]
    why: str | None = None


@dataclass(frozen=True)
class EstimateReport:
    """``pairs`` of the frame, ``judged`` of them in the sample, besides ``skipped``; ``machines``
    by name, and their ``gain``: by what share they make errors smaller.
    """

    topics: int
    pairs: int
    judged: int
    machines: tuple[str, ...]
    measures: tuple[MeasureReport, ...]
    skipped: int = 0
    gain: float | None = None
    weights: SampleWeights | None = None
    remarks: tuple[Remark, ...] = ()


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
    drawn_for: Collection[str] | None = None,
    *,
    teams: Mapping[str, str] | None = None,
    texts: TextScores | None = None,
) -> ScoreEstimates:
    """Estimates of all ``measures``, by name, for all runs of the frame.

    ``drawn_for``: those that the sample was drawn for, where that is known. ``teams``: the team of
    each run, as far as known: runs of teams that a machine favours are placed by their estimates
    alone, and all runs where machines bring too little. ``texts``: the text classifier,
    one more machine.
    """
    chances, alone, by_machine = _fit(sample, machines, seed, texts)
    estimates = {name: estimate_measure(sample, chances, own) for name, own in measures.items()}
    gain = None if alone is None else compute_gain(sample, alone, measures, estimates)
    rule = None if gain is None else choose_drawn_runs(sample, machines, gain, teams or {})
    reports = tuple(
        report_measure(
            sample,
            name,
            estimate,
            _draw_in(sample, estimate, measures[name], by_machine, rule),
            explain_no_interval(sample, measures[name]),
        )
        for name, estimate in estimates.items()
    )
    report = EstimateReport(
        topics=len(sample.frame.topics),
        pairs=len(sample.pi),
        judged=len(sample.judged),
        machines=(*(machine.name for machine in machines), *([TEXT] if texts else [])),
        measures=reports,
        skipped=sample.skipped,
        gain=gain,
        weights=weigh_sample(sample),
        remarks=(
            *list_remarks(sample, machines, estimates, drawn_for),
            *([rule.remark] if rule and rule.remark else []),
        ),
    )
    return ScoreEstimates(report, estimates, chances)


def _fit(
    sample: JudgedSample, machines: Sequence[MachineInput], seed: int, texts: TextScores | None
) -> tuple[Floats, Floats | None, Floats | None]:
    """The chances of all pairs; those by ranks alone, and by machines alone, raked: None without
    machines.
    """
    frame = sample.frame
    fold = frame.hash_pairs(seed, "fold") % FOLDS

    def fit(features: PairFeatures, learned: Sequence[PairFeatures] | None = None) -> Floats:
        topics, count = frame.topic_index, len(frame.topics)
        return fit_chances(features, topics, sample.steps, sample.judged, fold, count, learned)

    ranks, own = build_rank_features(frame), build_machine_features(machines)
    if texts is not None:
        own = texts.features if own is None else own.join(texts.features)
    if own is None:
        return fit(ranks), None, None
    learned = None if texts is None else texts.learn(sample.judged, sample.steps, fold)
    by_machine = rake_chances(sample, fit(own, learned))
    return fit(own.join(ranks), learned), fit(ranks), by_machine


def compute_gain(
    sample: JudgedSample,
    alone: Floats,
    measures: Mapping[str, FractionalMeasure],
    estimates: Mapping[str, MeasureEstimate],
) -> float:
    """By how much the machines narrow the errors of this sample, in the mean over measures.
    ``alone``: the chances without machines.
    """
    gains = [0.0]
    for name, measure in measures.items():
        without = np.diag(estimate_measure(sample, alone, measure).covariance)
        own = np.diag(estimates[name].covariance)
        if without.any():
            gains.append(1 - float(np.sqrt(own).mean() / np.sqrt(without).mean()))
    return sum(gains) / max(len(gains) - 1, 1)


def _draw_in(
    sample: JudgedSample,
    estimate: MeasureEstimate,
    measure: FractionalMeasure,
    by_machine: Floats | None,
    rule: DrawnOrder | None,
) -> Floats:
    """By run, the estimate drawn in; NaN where a run is placed by its estimate alone."""
    if by_machine is None or rule is None:
        return np.full(len(estimate.means), np.nan)
    expected = measure.compute(sample.frame, sample.fill(by_machine)).values.mean(axis=1)
    allowed = np.outer(estimate.allowance, estimate.allowance)
    values = draw_in(estimate.means, expected, estimate.covariance + allowed)
    return np.where(rule.is_drawn, values, np.nan)


def report_measure(
    sample: JudgedSample, name: str, estimate: MeasureEstimate, ordering: Floats, why: str | None
) -> MeasureReport:
    """The runs by ``ordering``, NaN: by their estimates; without intervals if ``why`` says why."""
    order = np.argsort(-np.where(np.isnan(ordering), estimate.means, ordering), kind="stable")
    judged, topics = len(sample.judged), len(sample.frame.topics)
    low, high = estimate.limits(QUANTILE)
    wide, framed = estimate.over_topics(), compute_framed_shares(sample.frame)

    def state(at: int, n: int, ends: tuple[float, float] | tuple[None, None]) -> Estimate:
        value = float(estimate.means[at])
        if why is not None:
            return Estimate(value, n, why=why)
        if ends[0] is None:
            return Estimate(value, n, why=TOO_FEW_TOPICS)
        return Estimate(value, n, *ends, LEVEL)

    rows = tuple(
        RunEstimate(
            run=sample.frame.runs[at],
            estimate=state(at, judged, (float(low[at]), float(high[at]))),
            over_topics=state(at, topics, wide[at]),
            place=place,
            drawn_in=None if np.isnan(ordering[at]) else float(ordering[at]),
            framed=float(framed[at]),
        )
        for place, at in enumerate(order.tolist(), 1)
    )
    return MeasureReport(name, rows, why)
