"""What disagreement does to the ranking of the runs, all of it together."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from evaluation.core.comparison.estimate import Sampling
from evaluation.core.disagreement.panel import Panel
from evaluation.core.disagreement.rank_swaps import PairValue, pair_values, to_settle
from evaluation.core.disagreement.rankings import Ranking, Treat, rankings_of
from evaluation.core.disagreement.resampling import Drawn, bootstrap, random_swaps
from evaluation.core.disagreement.turning import Turning, turning
from evaluation.core.judged import Mask
from evaluation.core.measures.family import Measure

DRAWS = 200
SWAPS = 1000
Between = tuple[int, int] | None


@dataclass(frozen=True)
class Facts:
    """What the numbers are of: how many pairs, how many of them judged by two people or more,
    in dispute, adjudicated, and without a grade by the policy.
    """

    measure: str
    lower_is_better: bool
    policy: str
    treat: Treat
    level: int
    runs: int
    topics: int
    assessors: int
    pairs: int
    judged_by_several: int
    disputed: int
    to_settle: int
    adjudicated: int
    undecided: int


@dataclass(frozen=True)
class Report:
    """``rankings`` begins with the one that all others are compared with. ``values`` are the
    disputed pairs, the most valuable first; ``turning`` is there when two runs were named.
    """

    facts: Facts
    tags: tuple[str, ...]
    rankings: tuple[Ranking, ...]
    bootstrap: Drawn
    swaps: Drawn
    values: tuple[PairValue, ...]
    turning: Turning | None = None

    @property
    def by_policy(self) -> Ranking:
        """The ranking by the policy: the base, unless that is a reference."""
        named = (row for row in self.rankings if row.kind == "policy")
        return next(named, self.rankings[0])

    @property
    def order(self) -> list[int]:
        """The runs by rank under the policy, those without a score last."""
        ranks = self.by_policy.ranks
        places = range(len(self.tags))
        return sorted(places, key=lambda at: (ranks[at] is None, ranks[at] or 0, self.tags[at]))

    def as_dict(self, most: int | None = None) -> dict[str, Any]:
        """Plain values; at most ``most`` pairs."""
        values = self.values[:most]
        return {
            **asdict(self.facts),
            "runs": self.tags,
            "rankings": [asdict(row) for row in self.rankings],
            "bootstrap": asdict(self.bootstrap),
            "random_swaps": asdict(self.swaps),
            "pairs": [{**asdict(value), "value": value.value} for value in values],
            "between": None if self.turning is None else asdict(self.turning),
        }


def ranks_runs(measure: Measure) -> bool:
    """Whether runs can be ranked by the measure, and its figure follows from the topics."""
    family = measure.family
    return family.text is None and family.better != "neither" and measure.follows_from_topics


def report_of(
    panel: Panel,
    *,
    treat: Treat = "filled",
    draws: int = DRAWS,
    swaps: int = SWAPS,
    seed: int = 0,
    between: Between = None,
) -> Report:
    """Everything at once. ``between`` are two places in the panel's tags.

    Pairs are valued by unrounded scores, whatever the digits of the panel.
    """
    exact = replace(panel, digits=None)
    return Report(
        facts=facts_of(panel, treat),
        tags=panel.tags,
        rankings=tuple(rankings_of(panel, treat)),
        bootstrap=bootstrap(panel, Sampling(seed, draws)),
        swaps=random_swaps(panel, treat, Sampling(seed, swaps)),
        values=tuple(pair_values(exact, between)),
        turning=turning(exact, between) if between else None,
    )


def facts_of(panel: Panel, treat: Treat) -> Facts:
    ballots = panel.ballots
    judged = np.asarray((ballots.given >= 0).any(axis=1))
    undecided: Mask = (ballots.made < 0) & (ballots.counts > 0)
    return Facts(
        measure=panel.measure.name,
        lower_is_better=panel.better < 0,
        policy=ballots.policy.name,
        treat=treat,
        level=panel.options.level,
        runs=len(panel.tags),
        topics=len(ballots.topics),
        assessors=len(ballots.people),
        pairs=_count(judged),
        judged_by_several=_count(ballots.counts > 1),
        disputed=_count(ballots.disputed),
        to_settle=_count(to_settle(ballots)),
        adjudicated=_count(ballots.adjudicated),
        undecided=_count(undecided),
    )


def work_of(panel: Panel, draws: int = DRAWS) -> int:
    """About how many rows the whole report scores; ten million take a second or so."""
    ballots = panel.ballots
    ways = draws + len(ballots.assessors) + 2
    return sum(
        panel.work(at) * (ways + 2 * _count(to_settle(ballots)[ballots.rows(at)]))
        for at in range(len(panel.topics))
    )


def _count(mask: Mask) -> int:
    return int(np.count_nonzero(mask))
