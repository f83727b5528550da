"""The ranking of the runs by each assessor's own qrels, beside the one by the policy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from evaluation.core.comparison.estimate import ComparisonEstimate, nan_to_none
from evaluation.core.comparison.rank_correlation import has_ties, score_levels
from evaluation.core.comparison.rank_drop import RankDrop, competition_ranks, find_largest_drop
from evaluation.core.comparison.registry import CORRELATIONS
from evaluation.core.disagreement.ballots import ABSENT, BallotTable, Grades
from evaluation.core.disagreement.panel import DisagreementPanel
from evaluation.core.judgments import Floats

Treat = Literal["filled", "own"]
TREATMENTS: dict[Treat, str] = {
    "filled": "own, else the policy's",
    "own": "own only",
}
"""What is done with pairs that an assessor did not judge."""

Kind = Literal["base", "assessor", "machine", "policy", "union", "intersection"]
NOBODY = "the assessor judged no pair of these topics"
NO_RUNS = "there is no run to rank"


@dataclass(frozen=True)
class SystemRanking:
    """All runs by one set of qrels; ``scores`` and ``ranks`` in the order of the panel's tags.

    ``judged`` pairs are those that the qrels change or state themselves, of ``topics``
    topics. ``coefficients`` and ``drop`` compare it with the base over the same topics.
    """

    name: str
    kind: Kind
    judged: int
    topics: int
    scores: tuple[float | None, ...]
    ranks: tuple[int | None, ...]
    coefficients: dict[str, ComparisonEstimate]
    drop: RankDrop | None


def rankings_by_assessor(panel: DisagreementPanel, treat: Treat) -> list[SystemRanking]:
    """The base first, then each assessor, union and intersection, and the policy if other
    grades are the base. All have the same coefficients.
    """
    ballots = panel.ballots
    base = panel.by_topic(ballots.base)
    rows: list[tuple[tuple[str, Kind], int, Floats, Floats]] = [
        (("base", "base"), int((ballots.base >= 0).sum()), base, base)
    ]
    for name, kind, judged, grades in iter_qrels_variants(ballots, treat):
        listed = np.ones(len(base), np.bool_)
        if treat == "own" and kind in ("assessor", "machine"):
            listed = has_graded_pair(ballots, grades)
        rows.append(((name, kind), judged, panel.by_topic(grades)[listed], base[listed]))
    tau_ap = choose_tau_ap(*(panel.means(before) for _, _, _, before in rows))
    return [rank_by_values(panel, *row, tau_ap) for row in rows]


def iter_qrels_variants(
    ballots: BallotTable, treat: Treat
) -> Iterator[tuple[str, Kind, int, Grades]]:
    """Name, kind, pairs judged and grades of all qrels to rank by but the base."""
    for at, name in enumerate(ballots.assessors):
        own = ballots.own(at)
        grades = own if treat == "own" else ballots.own_else(at)
        kind: Kind = "machine" if name in ballots.machines else "assessor"
        yield name, kind, int(np.count_nonzero(own >= 0)), grades
    several = int(np.count_nonzero(ballots.counts > 1))
    yield "union", "union", several, ballots.highest
    yield "intersection", "intersection", several, ballots.lowest
    if ballots.reference is not None:
        yield "policy", "policy", int(np.count_nonzero(ballots.made >= 0)), ballots.made


def has_graded_pair(
    ballots: BallotTable, grades: Grades
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which topics have a pair in ``grades``."""
    return np.array(
        [bool((grades[ballots.rows(at)] != ABSENT).any()) for at in range(len(ballots.topics))],
        np.bool_,
    )


def rank_by_values(
    panel: DisagreementPanel,
    called: tuple[str, Kind],
    judged: int,
    scores: Floats,
    base: Floats,
    tau_ap: str,
) -> SystemRanking:
    """One row of the table, from values topics × runs of the same topics."""
    means, before = panel.means(scores), panel.means(base)
    turned = panel.better * before, panel.better * means
    return SystemRanking(
        name=called[0],
        kind=called[1],
        judged=judged,
        topics=len(scores),
        scores=tuple(map(nan_to_none, means.tolist())),
        ranks=competition_ranks_or_none(turned[1]),
        coefficients=ranking_coefficients(*turned, tau_ap),
        drop=drop_from_base(panel, before, means),
    )


def competition_ranks_or_none(scores: Floats) -> tuple[int | None, ...]:
    """1 + the number of runs with a higher score; None for runs without one."""
    known = np.flatnonzero(~np.isnan(scores))
    found: list[int | None] = [None] * len(scores)
    for run, rank in zip(known.tolist(), competition_ranks(scores[known]), strict=True):
        found[run] = rank
    return tuple(found)


def ranking_coefficients(base: Floats, other: Floats, tau_ap: str) -> dict[str, ComparisonEstimate]:
    """tau-b, tau_AP and rank-biased overlap of two arrays of scores, higher being better."""
    names = ("tau-b", tau_ap, "rbo-b")
    return {name: CORRELATIONS[name].of_scores(base, other) for name in names}


def choose_tau_ap(*bases: Floats) -> str:
    """The tau_AP that is defined with all of these as the first ranking: ``tau-ap-a``, which
    takes it for the truth, or where any has ties ``tau-ap-b``.
    """
    ties = any(has_ties(score_levels(base[~np.isnan(base)])) for base in bases)
    return "tau-ap-b" if ties else "tau-ap-a"


def drop_from_base(panel: DisagreementPanel, before: Floats, after: Floats) -> RankDrop | None:
    """The run that falls furthest from the base."""
    first, second = (
        dict(zip(panel.tags, (panel.better * scores).tolist(), strict=True))
        for scores in (before, after)
    )
    return find_largest_drop(first, second) if panel.tags else None
