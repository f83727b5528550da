"""Run rankings by each assessor's own qrels, compared with the ranking by the policy."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from poolbench.evaluation.comparison.rank_correlation import has_ties, score_levels
from poolbench.evaluation.comparison.rank_drop import RankDrop, competition_ranks, find_largest_drop
from poolbench.evaluation.comparison.registry import CORRELATIONS
from poolbench.evaluation.judgments import Floats
from poolbench.judging.policies import AUTOMATIC_ONLY
from poolbench.reliability.disagreement.ballots import ABSENT, BallotTable, Grades
from poolbench.reliability.disagreement.panel import DisagreementPanel
from poolbench.statistics.estimate import Estimate, nan_to_none

Treat = Literal["filled", "own"]
TREATMENTS: dict[Treat, str] = {"filled": "own grades, else the policy's", "own": "own grades only"}
"""Qrels of an assessor: how to treat pairs that the assessor did not judge."""

Kind = Literal["base", "assessor", "machine", "policy", "union", "intersection"]


@dataclass(frozen=True)
class SystemRanking:
    """All runs by one set of qrels; ``scores`` and ``ranks`` in the order of the panel's tags.

    ``judged`` counts the pairs that the qrels grade or change themselves, in ``topics``
    topics. ``coefficients`` and ``drop`` compare with the base over the same topics.
    """

    name: str
    kind: Kind
    judged: int
    topics: int
    scores: tuple[float | None, ...]
    ranks: tuple[int | None, ...]
    coefficients: dict[str, Estimate]
    drop: RankDrop | None

    @property
    def labelled_name(self) -> str:
        """With the label of scores by automatic judgments."""
        return f"{self.name} ({AUTOMATIC_ONLY})" if self.kind == "machine" else self.name


def rankings_by_assessor(panel: DisagreementPanel, treat: Treat) -> list[SystemRanking]:
    """The base first, then each assessor, union, intersection, and the policy if the base is
    a reference. All have the same coefficients.
    """
    ballots = panel.ballots
    base = panel.by_topic(ballots.base)
    rows: list[tuple[str, Kind, int, Floats, Floats]] = [
        ("base", "base", int((ballots.base >= 0).sum()), base, base)
    ]
    for name, kind, judged, grades in iter_qrels_variants(ballots, treat):
        listed = np.ones(len(base), np.bool_)
        if treat == "own" and kind in ("assessor", "machine"):
            listed = ballots.has_any(grades != ABSENT)
        rows.append((name, kind, judged, panel.by_topic(grades, base)[listed], base[listed]))
    tau_ap = choose_tau_ap(*(panel.means(before) for *_, before in rows))
    return [rank_by_values(panel, *row, tau_ap) for row in rows]


def iter_qrels_variants(
    ballots: BallotTable, treat: Treat
) -> Iterator[tuple[str, Kind, int, Grades]]:
    """Name, kind, number of judged pairs and grades of all qrels except the base."""
    for at, name in enumerate(ballots.assessors):
        own = ballots.own(at)
        if not (own != ABSENT).any():
            continue  # Only third judgments.
        grades = own if treat == "own" else ballots.own_or_policy(at)
        kind: Kind = "machine" if name in ballots.automatic else "assessor"
        yield name, kind, int(np.count_nonzero(own >= 0)), grades
    several = int(np.count_nonzero(ballots.counts > 1))
    yield "union", "union", several, ballots.highest
    yield "intersection", "intersection", several, ballots.lowest
    if ballots.reference is not None:
        judged = int(np.count_nonzero(ballots.policy_grades >= 0))
        yield "policy", "policy", judged, ballots.policy_grades


def rank_by_values(
    panel: DisagreementPanel,
    name: str,
    kind: Kind,
    judged: int,
    scores: Floats,
    base: Floats,
    tau_ap: str,
) -> SystemRanking:
    """One ranking, from scores and base, both topics × runs of the same topics."""
    means, before = panel.means(scores), panel.means(base)
    signed = panel.better * before, panel.better * means
    return SystemRanking(
        name=name,
        kind=kind,
        judged=judged,
        topics=len(scores),
        scores=tuple(map(nan_to_none, means.tolist())),
        ranks=competition_ranks_or_none(signed[1]),
        coefficients=ranking_coefficients(*signed, tau_ap),
        drop=find_largest_drop(panel.tags, *signed),
    )


def competition_ranks_or_none(scores: Floats) -> tuple[int | None, ...]:
    """1 + the number of runs with a higher score; None for runs without a score."""
    scored = np.flatnonzero(~np.isnan(scores))
    ranks: list[int | None] = [None] * len(scores)
    for run, rank in zip(scored.tolist(), competition_ranks(scores[scored]), strict=True):
        ranks[run] = rank
    return tuple(ranks)


def ranking_coefficients(base: Floats, other: Floats, tau_ap: str) -> dict[str, Estimate]:
    """tau-b, tau_AP and rank-biased overlap of two score arrays; higher is better."""
    names = ("tau-b", tau_ap, "rbo-b")
    return {name: CORRELATIONS[name].of_scores(base, other) for name in names}


def choose_tau_ap(*bases: Floats) -> str:
    """The tau_AP that is defined with all of these as reference rankings: ``tau-ap-a``, or
    ``tau-ap-b`` if any has ties.
    """
    ties = any(has_ties(score_levels(base[~np.isnan(base)])) for base in bases)
    return "tau-ap-b" if ties else "tau-ap-a"
