"""Effect of assessor disagreement on the run ranking: the whole report."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from poolbench.evaluation.judgments import Mask
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.measures.names import parse_measures
from poolbench.notebooks import Frame, ResultTable, make_frame
from poolbench.reliability.disagreement.panel import DisagreementPanel
from poolbench.reliability.disagreement.rank_swaps import (
    RankSwapValue,
    rank_swap_values,
    select_unresolved_pairs,
)
from poolbench.reliability.disagreement.rankings import SystemRanking, Treat, rankings_by_assessor
from poolbench.reliability.disagreement.resampling import (
    RankBand,
    ResampledRankings,
    bootstrap_assessors,
    swap_assessors_at_random,
)
from poolbench.reliability.disagreement.turning_point import TurningPoint, find_turning_point
from poolbench.reliability.progress import Progress, ignore_progress
from poolbench.statistics.draws import ResamplingOptions
from poolbench.statistics.estimate import estimates_to_dict

DRAWS = 200
SWAPS = 1000
Between = tuple[int, int] | None
Keep = Callable[[tuple[object, ...], Callable[[], Any]], Any]


@dataclass(frozen=True)
class DisagreementFacts:
    """Size of the data: judged pairs, those judged by at least two assessors, disagreements,
    adjudicated and undecided pairs. ``label`` is that of the policy.
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
    label: str = ""


@dataclass(frozen=True, repr=False)
class DisagreementReport(ResultTable):
    """``rankings`` begins with the reference of all comparisons. ``values`` are the
    disagreements, highest value first; ``turning`` is present if two runs were selected.
    """

    facts: DisagreementFacts
    tags: tuple[str, ...]
    rankings: tuple[SystemRanking, ...]
    bootstrap: ResampledRankings
    swaps: ResampledRankings
    values: tuple[RankSwapValue, ...]
    turning: TurningPoint | None = None

    def __repr__(self) -> str:
        facts = self.facts
        return (
            f"<DisagreementReport: {facts.assessors} assessors, {facts.runs} runs by "
            f"{facts.measure}, {facts.disputed:,} disagreements>"
        )

    def to_frame(self) -> Frame:
        """Runs × rankings: the score of each run by the qrels of each; NaN where undefined."""
        scores = {ranking.name: ranking.scores for ranking in self.rankings}
        return make_frame(scores, index=list(self.tags), dtype="float64")

    @property
    def by_policy(self) -> SystemRanking:
        """The ranking by the policy: the base, unless the base is a reference."""
        policies = (row for row in self.rankings if row.kind == "policy")
        return next(policies, self.rankings[0])

    @property
    def order(self) -> list[int]:
        """Run indices by rank under the policy, those without a score last."""
        ranks = self.by_policy.ranks
        places = range(len(self.tags))
        return sorted(places, key=lambda at: (ranks[at] is None, ranks[at] or 0, self.tags[at]))

    def find_band(self, at: int) -> RankBand:
        """Of the run at that index."""
        return self.bootstrap.bands[at] if self.bootstrap.bands else RankBand()

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            **asdict(self.facts),
            "runs": self.tags,
            "rankings": [estimates_to_dict(row) for row in self.rankings],
            "bootstrap": asdict(self.bootstrap),
            "random_swaps": asdict(self.swaps),
            "pairs": [{**asdict(value), "value": value.value} for value in self.values],
            "between": None if self.turning is None else asdict(self.turning),
        }


def can_rank_runs(measure: Measure) -> bool:
    """Whether the measure ranks runs and its score follows from the topics."""
    family = measure.family
    return family.text is None and family.better != "neither" and measure.follows_from_topics


def parse_ranking_measures(
    names: Sequence[str], can_rank: Callable[[Measure], bool] = can_rank_runs
) -> tuple[Measure, ...]:
    """The named measures. Raises ``ValueError`` for an unknown one or one that ranks no runs."""
    measures = parse_measures(names)
    if unranked := [measure.name for measure in measures if not can_rank(measure)]:
        raise ValueError(
            f"Measures that do not rank runs: {', '.join(unranked)}. "
            "Use measures for which higher is better."
        )
    return measures


def build_disagreement_report(
    panel: DisagreementPanel,
    *,
    treat: Treat = "filled",
    draws: int = DRAWS,
    swaps: int = SWAPS,
    seed: int = 0,
    between: Between = None,
    progress: Progress = ignore_progress,
    keep: Keep = lambda _part, compute: compute(),
) -> DisagreementReport:
    """All parts. ``between`` are two indices of the panel's tags.

    Rank-swap values use unrounded scores, whatever the digits of the panel. ``keep`` gives a part
    by its name and the choices that it depends on, computed by the function if it has to be.
    """
    exact = replace(panel, digits=None)
    resampled, swapped = ResamplingOptions(seed, draws), ResamplingOptions(seed, swaps)
    parts: dict[tuple[object, ...], Callable[[], Any]] = {
        ("rankings", treat): lambda: tuple(rankings_by_assessor(panel, treat)),
        ("bootstrap",): lambda: bootstrap_assessors(panel, resampled),
        ("swaps", treat): lambda: swap_assessors_at_random(panel, treat, swapped),
        ("values", between): lambda: tuple(rank_swap_values(exact, between)),
        ("turning", between): lambda: find_turning_point(exact, between) if between else None,
    }
    computed: dict[str, Any] = {}
    for done, (part, compute) in enumerate(parts.items(), start=1):
        name = str(part[0])
        computed[name] = keep(part, compute)
        progress(name, done, len(parts))
    return DisagreementReport(
        facts=collect_disagreement_facts(panel, treat), tags=panel.tags, **computed
    )


def collect_disagreement_facts(panel: DisagreementPanel, treat: Treat) -> DisagreementFacts:
    ballots = panel.ballots
    judged = np.asarray((ballots.judgments >= 0).any(axis=1))
    undecided: Mask = (ballots.policy_grades < 0) & (ballots.counts > 0)
    return DisagreementFacts(
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
        disputed=_count(ballots.disagreements),
        to_settle=_count(select_unresolved_pairs(ballots)),
        adjudicated=_count(ballots.adjudicated),
        undecided=_count(undecided),
        label=ballots.policy.label,
    )


def estimate_scoring_work(panel: DisagreementPanel, draws: int = DRAWS) -> int:
    """Most rows that the report scores; those of topics in which no grade differs are saved."""
    ballots = panel.ballots
    ways = draws + len(ballots.assessors) + 2
    return sum(
        panel.work(at) * (ways + 2 * _count(select_unresolved_pairs(ballots)[ballots.rows(at)]))
        for at in range(len(panel.topics))
    )


def _count(mask: Mask) -> int:
    return int(np.count_nonzero(mask))
