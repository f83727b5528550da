"""What to know about estimates before they are believed: heavy weights, late runs, rough measures.

Remarks warn; they take no interval away. What does: ``refusals.py``.
"""

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
READINGS = {
    "machine-incomplete": "Automatic assessors without a grade for more than 5\u00a0% of the "
    "pairs: {count}. A missing grade does not count as grade 0.",
    "unpooled": "Runs with less than 95\u00a0% of their first 10 documents in the pool: {count}. "
    "Documents outside it count as not relevant, and no interval allows for that.",
    "skipped": "Some sampled pairs have no grade. The others weigh as much more.",
    "other-measure": "The sample was not drawn for this measure: its intervals may be too narrow.",
    "nothing-relevant": "Topics in which hardly a relevant document is expected: {count}. Each "
    "counts as 0, as a topic without relevant documents does.",
    "rough": "Runs whose score depends more on how many relevant documents are still unknown than "
    "on the choice of the pairs: {count}. Judge more before you rely on their values.",
    "heavy": "{count} judged pairs cause more than half of the uncertainty. Have their grades "
    "checked.",
}
"""By the code of a remark: its sentence, without the name of any run."""


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
            remarks.append(build_remark("other-measure", measure=name))
        remarks += _remark_estimate(sample, name, estimate)
    return tuple(remarks)


def describe_remark(code: str, count: int) -> str:
    """The sentence of a remark that has ``count`` names."""
    return READINGS[code].format(count=count)


def build_remark(
    code: str, names: tuple[str, ...] = (), measure: str | None = None, detail: str = ""
) -> Remark:
    """``detail`` follows the sentence, for those who may see names."""
    text = describe_remark(code, len(names))
    return Remark(code, f"{text} {detail}" if detail else text, measure, names)


def _remark_machines(machines: Sequence[MachineInput]) -> Iterable[Remark]:
    lacking = [own for own in machines if 1 - own.coverage > MOST_UNGRADED]
    if lacking:
        shares = ", ".join(f"{own.name} has {own.coverage:.1%} of the pairs" for own in lacking)
        names = tuple(own.name for own in lacking)
        yield build_remark("machine-incomplete", names, detail=f"{shares}.")


def _remark_runs(frame: PoolFrame) -> Iterable[Remark]:
    shares = compute_framed_shares(frame)
    late = [at for at in np.argsort(shares, kind="stable").tolist() if shares[at] < LEAST_FRAMED]
    if late:
        names = tuple(frame.runs[at] for at in late)
        detail = f"The least: {names[0]}, {shares[late[0]]:.0%}."
        yield build_remark("unpooled", names, detail=detail)


def _remark_skipped(sample: JudgedSample) -> Iterable[Remark]:
    if sample.skipped:
        yield build_remark("skipped", detail=f"Without a grade: {sample.skipped}.")


def _remark_estimate(
    sample: JudgedSample, name: str, estimate: MeasureEstimate
) -> Iterable[Remark]:
    frame = sample.frame
    if estimate.empty.any():
        topics = tuple(frame.topics[at] for at in np.flatnonzero(estimate.empty).tolist())
        yield build_remark("nothing-relevant", topics, name)
    rough = np.flatnonzero(estimate.allowance > np.sqrt(np.diag(estimate.covariance)))
    if len(rough):
        yield build_remark("rough", tuple(frame.runs[at] for at in rough.tolist()), name)
    heaviest = np.argsort(-estimate.by_pair, kind="stable")[:HEAVIEST]
    total = estimate.by_pair.sum()
    share = float(estimate.by_pair[heaviest].sum() / total) if total > 0 else 0.0
    if share > MOST_BY_HEAVIEST:
        pairs = tuple(_name_pair(frame, int(at)) for at in sample.judged[heaviest])
        yield build_remark("heavy", pairs, name, f"They have {share:.0%} of the variance.")


def _name_pair(frame: PoolFrame, pair: int) -> str:
    return f"{frame.topics[frame.topic_index[pair]]} {frame.docnos[pair]}"
