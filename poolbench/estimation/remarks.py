"""What to know about estimates before they are believed: heavy weights, late runs, rough measures.

Remarks warn; they take no interval away. What does: ``refusals.py``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from poolbench.estimation.estimates import MeasureEstimate
from poolbench.estimation.frame import PoolFrame
from poolbench.estimation.machines import MachineInput
from poolbench.estimation.sample import JudgedSample
from poolbench.evaluation.judgments import Floats

FIRST, LEAST_FRAMED = 10, 0.95
HEAVIEST, MOST_BY_HEAVIEST = 5, 0.5
MOST_UNGRADED = 0.05


@dataclass(frozen=True)
class Remark:
    """``code`` names the kind; ``measure`` is None where it is of all. ``names`` lists what the
    text counts: topics, runs, or pairs as "topic docno".
    """

    code: str
    text: str
    measure: str | None = None
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class SampleWeights:
    """``largest`` weight 1 / π of a judged pair, and the ``effective`` number of judged pairs,
    (Σ 1/π)² / Σ 1/π²: so many with equal weights would tell as much of a total.
    """

    largest: float
    effective: float


def weigh_sample(sample: JudgedSample) -> SampleWeights:
    weight = 1 / sample.chance
    if not len(weight):
        return SampleWeights(0.0, 0.0)
    return SampleWeights(float(weight.max()), float(weight.sum() ** 2 / (weight**2).sum()))


def compute_framed_shares(frame: PoolFrame) -> Floats:
    """By run: the share of the first ten places of all topics with a document of the frame."""
    own = frame.sum_segments((frame.rank <= FIRST).astype(float))
    shares: Floats = own.sum(axis=1) / (FIRST * len(frame.topics))
    return shares


def list_remarks(
    sample: JudgedSample,
    machines: Sequence[MachineInput],
    estimates: Mapping[str, MeasureEstimate],
    drawn_for: Collection[str] | None,
) -> tuple[Remark, ...]:
    """All remarks. ``drawn_for``: the measures that the sample was drawn for, None: not known."""
    remarks = [*_remark_machines(machines), *_remark_runs(sample.frame), *_remark_skipped(sample)]
    for name, estimate in estimates.items():
        if drawn_for is not None and name not in drawn_for:
            text = "The sample was not drawn for this measure: its interval may be too narrow."
            remarks.append(Remark("other-measure", text, name))
        remarks += _remark_estimate(sample, name, estimate)
    return tuple(remarks)


def _remark_machines(machines: Sequence[MachineInput]) -> Iterable[Remark]:
    for machine in machines:
        missing = 1 - machine.coverage
        if missing > MOST_UNGRADED:
            text = f"{machine.name} has no grade for {missing:.1%} of the pairs; none is not 0."
            yield Remark("machine-incomplete", text, None, (machine.name,))


def _remark_runs(frame: PoolFrame) -> Iterable[Remark]:
    shares = compute_framed_shares(frame)
    late = [at for at in np.argsort(shares, kind="stable").tolist() if shares[at] < LEAST_FRAMED]
    if late:
        names = tuple(frame.runs[at] for at in late)
        text = (
            f"Runs with less than {LEAST_FRAMED:.0%} of their first {FIRST} documents in the pool: "
            f"{len(late)} (least: {names[0]}, {shares[late[0]]:.0%}). Documents outside it count "
            "as not relevant, which no interval allows for."
        )
        yield Remark("unpooled", text, None, names)


def _remark_skipped(sample: JudgedSample) -> Iterable[Remark]:
    if sample.skipped:
        text = f"Sampled pairs without a grade: {sample.skipped}. The others weigh as much more."
        yield Remark("skipped", text)


def _remark_estimate(
    sample: JudgedSample, name: str, estimate: MeasureEstimate
) -> Iterable[Remark]:
    frame = sample.frame
    if estimate.empty.any():
        topics = tuple(frame.topics[at] for at in np.flatnonzero(estimate.empty).tolist())
        text = f"Topics that count 0, with less than half a relevant pair expected: {len(topics)}."
        yield Remark("nothing-relevant", text, name, topics)
    rough = np.flatnonzero(estimate.allowance > np.sqrt(np.diag(estimate.covariance)))
    if len(rough):
        runs = tuple(frame.runs[at] for at in rough.tolist())
        text = (
            "Runs for which unknown counts of relevant pairs leave more open than the sample: "
            f"{len(runs)}. Judge more before you rely on their values."
        )
        yield Remark("rough", text, name, runs)
    heaviest = np.argsort(-estimate.by_pair, kind="stable")[:HEAVIEST]
    total = estimate.by_pair.sum()
    share = float(estimate.by_pair[heaviest].sum() / total) if total > 0 else 0.0
    if share > MOST_BY_HEAVIEST:
        pairs = tuple(_name_pair(frame, int(at)) for at in sample.judged[heaviest])
        text = f"Due to {len(pairs)} judged pairs: {share:.0%} of the variance. Check their grades."
        yield Remark("heavy", text, name, pairs)


def _name_pair(frame: PoolFrame, pair: int) -> str:
    return f"{frame.topics[frame.topic_index[pair]]} {frame.docnos[pair]}"
