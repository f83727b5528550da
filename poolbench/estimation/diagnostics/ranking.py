"""The order of runs that a machine's grades alone would give, against that by people's."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from poolbench.estimation.estimates import MeasureEstimate
from poolbench.estimation.frame import PoolFrame
from poolbench.estimation.machines import NONE, MachineInput
from poolbench.estimation.measures import FractionalMeasure
from poolbench.evaluation.comparison.registry import CORRELATIONS
from poolbench.evaluation.judgments import Floats
from poolbench.statistics.bootstrap import percentile_estimates
from poolbench.statistics.draws import ResamplingOptions, resample_counts
from poolbench.statistics.estimate import Estimate

RESAMPLES = 400
COEFFICIENTS = ("tau-b", "tau-ap-b")


@dataclass(frozen=True)
class RunPlaces:
    """Of one run: mean ``by_machine`` alone, and ``by_people``, estimated without the machine."""

    run: str
    by_machine: float
    by_people: float


@dataclass(frozen=True)
class RankingAgreement:
    """``tau`` and ``tau_ap`` (first by people), with intervals over topics; ``lean``: how much too
    high the machine's scores are in the mean over runs.
    """

    measure: str
    tau: Estimate
    tau_ap: Estimate
    lean: float
    runs: tuple[RunPlaces, ...]


def score_by_machine(frame: PoolFrame, machine: MachineInput, measure: FractionalMeasure,
                     top: int) -> Floats:  # fmt: skip
    """(runs, topics). A pair without a grade counts as the mean of the machine's others: it is not
    taken for grade 0.
    """
    known = machine.grades != NONE
    steps = (machine.grades[:, None] >= np.arange(1, top + 1)).astype(float)
    if known.any():
        steps[~known] = steps[known].mean(axis=0)
    return measure.compute(frame, steps).values


def compare_with_machine(
    frame: PoolFrame,
    machine: MachineInput,
    top: int,
    measures: Mapping[str, FractionalMeasure],
    people: Mapping[str, MeasureEstimate],
    seed: int,
) -> tuple[RankingAgreement, ...]:
    """For each measure; ``people``: estimates without the machine. None for fewer than two runs."""
    if len(frame.runs) < 2:
        return ()
    return tuple(
        _compare(name, frame, score_by_machine(frame, machine, measure, top), people[name], seed)
        for name, measure in measures.items()
    )


def _compare(
    name: str, frame: PoolFrame, machine: Floats, people: MeasureEstimate, seed: int
) -> RankingAgreement:
    topics = len(frame.topics)
    sampling = ResamplingOptions(seed, RESAMPLES)
    counts = np.concatenate(list(resample_counts(topics, sampling))) / topics
    means = [people.topics.mean(axis=1), machine.mean(axis=1)]
    drawn = [counts @ people.topics.T, counts @ machine.T]
    taus = [[_correlate(kind, *pair) for kind in COEFFICIENTS] for pair in zip(*drawn, strict=True)]
    values = [_correlate(kind, *means) for kind in COEFFICIENTS]
    tau, tau_ap = percentile_estimates(values, np.array(taus).T, np.array([topics, topics]))
    rows = zip(frame.runs, means[1].tolist(), means[0].tolist(), strict=True)
    runs = tuple(sorted((RunPlaces(*row) for row in rows), key=lambda row: -row.by_people))
    return RankingAgreement(name, tau, tau_ap, float((means[1] - means[0]).mean()), runs)


def _correlate(kind: str, people: Floats, machine: Floats) -> float:
    value = CORRELATIONS[kind].of_scores(people, machine).value
    return np.nan if value is None else value
