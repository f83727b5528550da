"""Leave-one-group-out: scores of a run without its team's unique documents."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from poolbench.cards import Card, Parameter
from poolbench.evaluation.comparison.rank_drop import RankDrop, find_largest_drop
from poolbench.evaluation.judgments import Floats, Ints
from poolbench.evaluation.measures.family import Measure
from poolbench.reliability.collection.inputs import PooledCollection
from poolbench.reliability.disagreement.rankings import (
    choose_tau_ap,
    competition_ranks_or_none,
    ranking_coefficients,
)
from poolbench.statistics.estimate import Estimate, mean_or_none, nan_to_none

By = Literal["team", "run"]

CARD = Card(
    name="leave-out",
    title="Leave-one-group-out (LOGO)",
    formula="qrels(g) = the qrels without the unique documents of g; without = score by "
    "qrels(g), for the runs of g only; change = without − score; percent = "
    "100 · change / score; rank without = 1 + runs of other groups with a higher score + runs "
    "of g with a higher score without",
    reading="How a run is scored that did not contribute to the pool: large losses mean that "
    "these judgments cannot score new systems fairly.",
    source="Zobel, SIGIR 1998, by run; by team Voorhees and Harman in TREC overviews.",
    range="change: as the measure; tau: -1 to 1",
    parameters=(Parameter("by", "The group to leave out.", "team", ("team", "run")),),
    edge_cases=(
        (
            "Prefer the result by team: the runs of a team are often variants of one another, so "
            "a document that one run would lose is contributed by another run of the team."
        ),
        (
            "By team, all runs of the team are rescored, contributing or not; the means are over "
            "contributing runs. Teams without a contributing run lose nothing and are not listed."
        ),
        "The rank is among all runs; only the runs of the group are rescored.",
        (
            "tau-b, tau_AP, rank-biased overlap and the largest drop compare the ranking by score "
            "with the ranking by score without. tau_AP is tau-ap-a, or tau-ap-b if runs are tied."
        ),
        "A topic that loses its last relevant document stays in the mean.",
    ),
    undefined="percent: the score is 0; the coefficients: see comparison.md.",
)


@dataclass(frozen=True)
class LeftOutRun:
    """One run, scored by all judgments and without the unique documents of its group."""

    run: str
    group: str
    pooled: bool
    score: float | None
    without: float | None
    change: float | None
    percent: float | None
    rank: int | None
    rank_without: int | None


@dataclass(frozen=True)
class LeaveOutResult:
    """One measure. ``runs`` by loss, largest first. The means are over contributing runs;
    ``coefficients`` and ``drop`` over all runs.
    """

    measure: str
    by: By
    runs: tuple[LeftOutRun, ...]
    mean_change: float | None
    mean_percent: float | None
    coefficients: dict[str, Estimate]
    drop: RankDrop | None


def leave_groups_out(
    collection: PooledCollection, measures: Sequence[Measure], by: By = "team"
) -> list[LeaveOutResult]:
    """One result per measure, over all runs of groups with a contributing run."""
    groups = collection.by_team if by == "team" else np.arange(len(collection.tags))
    scores = collection.score(measures)
    without = score_without_group(collection, measures, scores, groups)
    columns = zip(measures, scores.T, without.T, strict=True)
    return [_leave_out_group(collection, by, groups, *column) for column in columns]


def score_without_group(
    collection: PooledCollection, measures: Sequence[Measure], scores: Floats, groups: Ints
) -> Floats:
    """Runs × measures: each run without the unique documents of its group."""
    _, sole = collection.pool.contributors(groups)
    without = scores.copy()
    for group in np.unique(sole[sole >= 0]).tolist():
        runs = np.flatnonzero(groups == group)
        without[runs] = collection.score(measures, sole != group, runs.tolist())
    return without


def _leave_out_group(
    collection: PooledCollection,
    by: By,
    groups: Ints,
    measure: Measure,
    scores: Floats,
    without: Floats,
) -> LeaveOutResult:
    names = collection.names if by == "team" else collection.tags
    ranks, left_out = (
        competition_ranks_or_none(scores),
        dict(_ranks_left_out(scores, without, groups)),
    )
    changes = without - scores
    rows = [
        LeftOutRun(
            run=collection.tags[run],
            group=names[groups[run]],
            pooled=bool(collection.is_pooled[run]),
            score=nan_to_none(scores[run]),
            without=nan_to_none(without[run]),
            change=nan_to_none(changes[run]),
            percent=nan_to_none(100 * changes[run] / scores[run]) if scores[run] else None,
            rank=ranks[run],
            rank_without=left_out[run],
        )
        for run in np.flatnonzero(np.isin(groups, groups[collection.pool.runs])).tolist()
    ]
    pooled = [row for row in rows if row.pooled]
    return LeaveOutResult(
        measure=measure.name,
        by=by,
        runs=tuple(sorted(rows, key=lambda row: (round(row.change or 0.0, 12), row.run))),
        mean_change=mean_or_none([row.change for row in pooled]),
        mean_percent=mean_or_none([row.percent for row in pooled]),
        coefficients=ranking_coefficients(scores, without, choose_tau_ap(scores)),
        drop=find_largest_drop(collection.tags, scores, without),
    )


def _ranks_left_out(
    scores: Floats, without: Floats, groups: Ints
) -> Iterator[tuple[int, int | None]]:
    """The rank of each run when only its group is left out."""
    for group in np.unique(groups).tolist():
        mine = groups == group
        ranks = competition_ranks_or_none(np.where(mine, without, scores))
        for run in np.flatnonzero(mine).tolist():
            yield run, ranks[run]
