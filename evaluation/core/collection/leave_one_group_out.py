"""How a run would have scored, had its team not taken part in the pool."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from campaigns.core.cards import Card, Parameter
from evaluation.core.collection.inputs import PooledCollection
from evaluation.core.comparison.estimate import ComparisonEstimate, nan_to_none
from evaluation.core.comparison.rank_drop import RankDrop, find_largest_drop
from evaluation.core.disagreement.rankings import (
    choose_tau_ap,
    competition_ranks_or_none,
    ranking_coefficients,
)
from evaluation.core.judgments import Floats, Ints
from evaluation.core.measures.family import Measure

By = Literal["team", "run"]

CARD = Card(
    name="leave-out",
    title="Leave one group out",
    formula="qrels(g) = the qrels without the documents that g alone brought; without = score "
    "by qrels(g) of the runs of g, and of no other; change = without − score; percent = "
    "100 · change / score; rank without = 1 + runs of other groups with a higher score + runs "
    "of g with a higher score without",
    reading="How a run is scored that did not help to build the pool: large losses say that new "
    "systems cannot be scored fairly with these judgments.",
    source="Zobel, SIGIR 1998, by run; by team Voorhees and Harman in TREC's overviews.",
    range="change: as the measure; tau: -1 to 1",
    parameters=(Parameter("by", "What is left out.", "team", ("team", "run")),),
    edge_cases=(
        (
            "By team is the honest one: runs of a team are often variants of one another, and "
            "what one loses by itself the next of its team has brought too."
        ),
        (
            "By team all runs of the team are scored again, pooled or not; the means are over the "
            "pooled ones. Teams without a pooled run lose nothing and are not listed."
        ),
        "The rank is one among all runs, of which only the group's own lose.",
        (
            "tau-b, tau_AP, rank-biased overlap and the largest drop compare the ranking by score "
            "with the one in which every run has its score without. tau_AP is tau-ap-a, or where "
            "runs tie tau-ap-b."
        ),
        "A topic that loses its last relevant document stays in the mean.",
    ),
    undefined="percent: the score is 0; the coefficients: see comparison.md.",
)


@dataclass(frozen=True)
class LeftOutRun:
    """One run, scored by all judgments and by those without its group's own."""

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
    """One measure. ``runs`` by what they lose, most first. The means are over those of them
    that were pooled; ``coefficients`` and ``drop`` over all runs.
    """

    measure: str
    by: By
    runs: tuple[LeftOutRun, ...]
    mean_change: float | None
    mean_percent: float | None
    coefficients: dict[str, ComparisonEstimate]
    drop: RankDrop | None


def leave_groups_out(
    found: PooledCollection, measures: Sequence[Measure], by: By = "team"
) -> list[LeaveOutResult]:
    """For each measure all runs of the groups that have a pooled run."""
    groups = found.by_team if by == "team" else np.arange(len(found.tags))
    names = found.names if by == "team" else found.tags
    scores = found.figures(measures)
    without = score_without_group(found, measures, scores, groups)
    pooled = set(groups[found.pool.runs].tolist())
    listed = [run for run in range(len(found.tags)) if int(groups[run]) in pooled]
    return [
        _leave_out_group(found, measure, by, [names[at] for at in groups], listed, columns, groups)
        for measure, *columns in zip(measures, scores.T, without.T, strict=True)
    ]


def score_without_group(
    found: PooledCollection, measures: Sequence[Measure], scores: Floats, groups: Ints
) -> Floats:
    """Runs × measures: each run without what its group alone brought."""
    _, alone = found.pool.brought_by(groups)
    without = scores.copy()
    for group in np.unique(alone[alone >= 0]).tolist():
        runs = np.flatnonzero(groups == group)
        without[runs] = found.figures(measures, alone != group, runs.tolist())
    return without


def _leave_out_group(
    found: PooledCollection,
    measure: Measure,
    by: By,
    names: Sequence[str],
    listed: Sequence[int],
    columns: Sequence[Floats],
    groups: Ints,
) -> LeaveOutResult:
    scores, without = columns
    ranks = competition_ranks_or_none(scores)
    alone = dict(_ranks_alone(scores, without, groups))
    rows = [
        _left(found, run, names[run], (scores[run], without[run]), (ranks[run], alone[run]))
        for run in listed
    ]
    pooled = [row for row in rows if row.pooled]
    before, after = (dict(zip(found.tags, c.tolist(), strict=True)) for c in (scores, without))
    return LeaveOutResult(
        measure=measure.name,
        by=by,
        runs=tuple(sorted(rows, key=lambda row: (round(row.change or 0.0, 12), row.run))),
        mean_change=_mean([row.change for row in pooled]),
        mean_percent=_mean([row.percent for row in pooled]),
        coefficients=ranking_coefficients(scores, without, choose_tau_ap(scores)),
        drop=find_largest_drop(before, after),
    )


def _ranks_alone(scores: Floats, without: Floats, groups: Ints) -> Iterator[tuple[int, int | None]]:
    """The rank of each run when its group alone has scores without."""
    for group in np.unique(groups).tolist():
        mine = groups == group
        ranks = competition_ranks_or_none(np.where(mine, without, scores))
        for run in np.flatnonzero(mine).tolist():
            yield run, ranks[run]


def _left(
    found: PooledCollection,
    run: int,
    group: str,
    scores: tuple[float, float],
    ranks: tuple[int | None, int | None],
) -> LeftOutRun:
    """``scores`` and ``ranks`` by all judgments, and without the group's own."""
    score, without = map(float, scores)
    change = without - score
    return LeftOutRun(
        run=found.tags[run],
        group=group,
        pooled=bool(found.is_pooled[run]),
        score=nan_to_none(score),
        without=nan_to_none(without),
        change=nan_to_none(change),
        percent=nan_to_none(100 * change / score) if score else None,
        rank=ranks[0],
        rank_without=ranks[1],
    )


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
