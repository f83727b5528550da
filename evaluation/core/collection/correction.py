"""What a run that was not pooled might score, had it been."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from campaigns.core.cards import Card
from evaluation.core.collection.inputs import PooledCollection
from evaluation.core.collection.leave_one_group_out import score_without_group
from evaluation.core.comparison.estimate import nan_to_none
from evaluation.core.judgments import Floats
from evaluation.core.measures.family import Measure

FEW_POOLED = "fewer than two runs were pooled"
ALL_POOLED = "all runs were pooled"

CARD = Card(
    name="correction",
    title="Scores of runs that were not pooled, corrected",
    formula="bias = mean over pooled runs r of (score of r − score of r by the qrels without "
    "what r alone brought); corrected = score + bias, for runs that were not pooled",
    reading="About what the run might have scored, had its own documents been judged too. It "
    "stands beside the score and never instead of it.",
    source="Webber and Park, SIGIR 2009, as others describe it: the same amount for every run.",
    range="as the measure, and a little above",
    edge_cases=(
        (
            "One run at a time is left out. Where a team has variants of a run in the pool the "
            "bias is too small; the table of leave-out by team tells what it might be."
        ),
        "The same number is added to every run: the order of those not pooled stays.",
        "The spread of the pooled runs' losses is told: where it is wide, the number is a guess.",
        "It is no score to report as a result.",
    ),
    undefined="fewer than two runs were pooled, or all were.",
)


@dataclass(frozen=True)
class CorrectedScore:
    run: str
    score: float | None
    corrected: float | None


@dataclass(frozen=True)
class UnpooledCorrection:
    """One measure: ``bias`` is the mean loss of the pooled runs, ``sd`` the standard deviation
    of their losses, ``most`` the largest. ``runs`` are those not pooled, best first.
    """

    measure: str
    bias: float | None
    sd: float | None
    most: float | None
    runs: tuple[CorrectedScore, ...]
    reason: str | None = None


def correct_unpooled_scores(
    found: PooledCollection, measures: Sequence[Measure]
) -> list[UnpooledCorrection]:
    """For each measure."""
    if found.is_pooled.all() or len(found.pool.runs) < 2:
        reason = ALL_POOLED if len(found.pool.runs) > 1 else FEW_POOLED
        return [
            UnpooledCorrection(measure.name, None, None, None, (), reason) for measure in measures
        ]
    scores = found.figures(measures)
    without = score_without_group(found, measures, scores, np.arange(len(found.tags)))
    columns = zip(measures, scores.T, (scores - without).T, strict=True)
    return [_correction(found, measure, *both) for measure, *both in columns]


def _correction(
    found: PooledCollection, measure: Measure, scores: Floats, lost: Floats
) -> UnpooledCorrection:
    known = lost[found.pool.runs]
    known = known[~np.isnan(known)]
    bias = float(known.mean()) if len(known) else np.nan
    rows = [
        CorrectedScore(found.tags[run], nan_to_none(scores[run]), nan_to_none(scores[run] + bias))
        for run in np.flatnonzero(~found.is_pooled).tolist()
    ]
    return UnpooledCorrection(
        measure=measure.name,
        bias=nan_to_none(bias),
        sd=float(known.std(ddof=1)) if len(known) > 1 else None,
        most=float(known.max()) if len(known) else None,
        runs=tuple(sorted(rows, key=lambda row: (-round(row.score or 0.0, 12), row.run))),
    )
