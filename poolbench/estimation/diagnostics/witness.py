"""One machine as a second witness: all diagnostics as one report, and findings in sentences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from poolbench.estimation.diagnostics.circularity import TeamExcess, compute_team_excess
from poolbench.estimation.diagnostics.confusion import Confusion, compute_confusion
from poolbench.estimation.diagnostics.drift import Drift, measure_drift
from poolbench.estimation.diagnostics.excess import FEW_PAIRS, LEAST_PAIRS, share_pairs
from poolbench.estimation.diagnostics.probes import Probe, estimate_probes
from poolbench.estimation.diagnostics.ranking import RankingAgreement, compare_with_machine
from poolbench.estimation.machines import MachineInput
from poolbench.estimation.measures import FractionalMeasure
from poolbench.estimation.report import compute_estimates
from poolbench.estimation.sample import JudgedSample
from poolbench.evaluation.judgments import Floats, Ints


@dataclass(frozen=True)
class MachineReport:
    """One machine. ``coverage``: its share of the pairs of the pool; ``shared``: pairs that people
    have judged too; ``gain``: by what share it makes the errors of estimates smaller (None: all
    pairs are judged, there is nothing to gain). ``why`` nothing more is said.
    """

    machine: str
    coverage: float
    shared: int
    why: str | None = None
    confusion: Confusion | None = None
    teams: tuple[TeamExcess, ...] = ()
    probes: tuple[Probe, ...] = ()
    drift: tuple[Drift, ...] = ()
    rankings: tuple[RankingAgreement, ...] = ()
    gain: float | None = None


@dataclass(frozen=True)
class WitnessReport:
    """All machines, against people's grades of ``judged`` of the ``pairs`` of a pool."""

    topics: int = 0
    pairs: int = 0
    judged: int = 0
    machines: tuple[MachineReport, ...] = ()
    why: str | None = None


@dataclass(frozen=True, eq=False)
class WitnessInputs:
    """What is known besides grades: ``teams`` by run; ``texts`` (pairs, 2) by ``measure_texts``;
    ``order`` of judging and ``assessors`` by judged pair. What is missing is left out.
    """

    teams: Mapping[str, str]
    texts: Floats | None = None
    order: Ints | None = None
    assessors: Sequence[str] = ()


def report_witnesses(
    sample: JudgedSample,
    machines: Sequence[MachineInput],
    measures: Mapping[str, FractionalMeasure],
    seed: int,
    inputs: WitnessInputs,
) -> WitnessReport:
    frame = sample.frame
    alone = compute_estimates(sample, [], measures, seed)
    reports = []
    for machine in machines:
        report = describe_machine(sample, machine, inputs)
        if report.why is None:
            top = sample.steps.shape[1]
            rankings = compare_with_machine(frame, machine, top, measures, alone.measures, seed)
            report = replace(report, rankings=rankings)
            report = add_calibration(report, sample, machine, measures, seed, inputs)
        reports.append(report)
    return WitnessReport(len(frame.topics), len(sample.pi), len(sample.judged), tuple(reports))


def describe_machine(
    sample: JudgedSample, machine: MachineInput, inputs: WitnessInputs
) -> MachineReport:
    """What needs no estimates: confusion, teams, texts."""
    shared = share_pairs(sample, machine)
    report = MachineReport(machine.name, machine.coverage, len(shared.pairs))
    if len(shared.pairs) < LEAST_PAIRS:
        return replace(report, why=FEW_PAIRS)
    return replace(
        report,
        confusion=compute_confusion(shared),
        teams=compute_team_excess(shared, inputs.teams),
        probes=() if inputs.texts is None else estimate_probes(shared, inputs.texts),
    )


def add_calibration(
    report: MachineReport,
    sample: JudgedSample,
    machine: MachineInput,
    measures: Mapping[str, FractionalMeasure],
    seed: int,
    inputs: WitnessInputs,
) -> MachineReport:
    """Gain, and drift where the order of judging is known."""
    estimates = compute_estimates(sample, [machine], measures, seed)
    is_sample = bool(np.any(sample.chance < 1))
    drift = () if inputs.order is None else measure_drift(
        sample, estimates.chances, inputs.order, inputs.assessors
    )  # fmt: skip
    return replace(report, gain=estimates.report.gain if is_sample else None, drift=drift)
