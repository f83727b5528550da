"""Estimated scores of non-contributing runs, had they contributed to the pool."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poolbench.cards import Card
from poolbench.evaluation.judgments import Floats
from poolbench.evaluation.measures.family import Measure
from poolbench.reliability.collection.inputs import PooledCollection
from poolbench.reliability.collection.leave_one_group_out import score_without_group
from poolbench.statistics.estimate import nan_to_none

FEW_POOLED = "fewer than two runs contributed to the pool"
ALL_POOLED = "all runs contributed to the pool"

CARD = Card(
    name="correction",
    title="Corrected scores of non-contributing runs",
    formula="bias = mean over contributing runs r of (score of r − score of r by the qrels without "
    "its unique documents); corrected = score + bias, for non-contributing runs",
    reading="Estimates the score of the run if its own documents had been judged too. It is "
    "reported next to the score and never replaces it.",
    source="Webber and Park, SIGIR 2009, as cited by others: one constant for all runs.",
    range="as the measure, or slightly above",
    edge_cases=(
        (
            "One run at a time is left out. If a team has variants of a run in the pool, the "
            "bias is underestimated; the leave-one-group-out table by team shows by how much."
        ),
        "The same number is added to each of these runs: their order does not change.",
        "If the losses of the contributing runs vary widely, the estimate is unreliable.",
        "Do not report a corrected score as a result.",
    ),
    undefined="fewer than two runs contributed, or all did.",
)


@dataclass(frozen=True)
class CorrectedScore:
    run: str
    score: float | None
    corrected: float | None


@dataclass(frozen=True)
class UnpooledCorrection:
    """One measure: ``bias`` is the mean loss of the contributing runs, ``sd`` the standard
    deviation of their losses, ``most`` the largest. ``runs`` are the others, best first.
    """

    measure: str
    bias: float | None
    sd: float | None
    most: float | None
    runs: tuple[CorrectedScore, ...]
    reason: str | None = None


def correct_unpooled_scores(
    collection: PooledCollection, measures: Sequence[Measure]
) -> list[UnpooledCorrection]:
    """One correction per measure."""
    if collection.is_pooled.all() or len(collection.pool.runs) < 2:
        reason = ALL_POOLED if len(collection.pool.runs) > 1 else FEW_POOLED
        return [
            UnpooledCorrection(measure.name, None, None, None, (), reason) for measure in measures
        ]
    scores = collection.score(measures)
    reduced = score_without_group(collection, measures, scores, np.arange(len(collection.tags)))
    columns = zip(measures, scores.T, (scores - reduced).T, strict=True)
    return [_correction(collection, measure, *both) for measure, *both in columns]


def _correction(
    collection: PooledCollection, measure: Measure, scores: Floats, lost: Floats
) -> UnpooledCorrection:
    losses = lost[collection.pool.runs]
    losses = losses[~np.isnan(losses)]
    bias = float(losses.mean()) if len(losses) else np.nan
    rows = [
        CorrectedScore(
            collection.tags[run], nan_to_none(scores[run]), nan_to_none(scores[run] + bias)
        )
        for run in np.flatnonzero(~collection.is_pooled).tolist()
    ]
    return UnpooledCorrection(
        measure=measure.name,
        bias=nan_to_none(bias),
        sd=float(losses.std(ddof=1)) if len(losses) > 1 else None,
        most=float(losses.max()) if len(losses) else None,
        runs=tuple(sorted(rows, key=lambda row: (-round(row.score or 0.0, 12), row.run))),
    )
