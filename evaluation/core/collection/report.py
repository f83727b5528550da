"""Everything that the judgments, the pool and the runs tell of how far they can be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from evaluation.core.collection.condensed_lists import CondensedComparison, compare_condensed
from evaluation.core.collection.contributors import Contributors, count_contributions
from evaluation.core.collection.correction import UnpooledCorrection, correct_unpooled_scores
from evaluation.core.collection.depths import DepthCounts, count_new_by_depth
from evaluation.core.collection.extrapolation import DRAWS as TOPIC_DRAWS
from evaluation.core.collection.extrapolation import Extrapolation, extrapolate_depths
from evaluation.core.collection.inputs import PooledCollection
from evaluation.core.collection.leave_one_group_out import LeaveOutResult, leave_groups_out
from evaluation.core.collection.reduced_judgments import (
    DRAWS,
    LEVELS,
    ReducedJudgments,
    Spread,
    rank_with_fewer_judgments,
)
from evaluation.core.collection.stability import Stability, assess_stability
from evaluation.core.comparison.estimate import ResamplingOptions
from evaluation.core.disagreement.report import can_rank_runs
from evaluation.core.evaluate import product_version
from evaluation.core.measures.family import Measure

MEASURES = ("map", "P_10", "bpref", "bpref-10", "ndcg")


@dataclass(frozen=True)
class ReusabilityFacts:
    """What the numbers are of, and the conditions that they hold under.

    ``depth_told`` is False where the depth was found in the judgments. ``one_run_teams``:
    every run is a team of its own, so that what is told by team is told by run. ``titles``
    are the measures in words that leave nothing open.
    """

    product: str
    qrels_sha256: str
    order: str
    level: int
    gains: str
    topics: int
    runs: int
    teams: int
    pooled_runs: int
    pooled_teams: int
    depth: int
    depth_told: bool
    one_run_teams: bool
    pooled_documents: int
    pooled_unjudged: int
    judged: int
    relevant: int
    measures: tuple[str, ...]
    titles: tuple[str, ...]
    seed: int
    draws: int
    levels: tuple[int, ...]


@dataclass(frozen=True)
class ReusabilityReport:
    """All diagnostics of one collection; undefined is None, mostly with a reason."""

    facts: ReusabilityFacts
    contributors: Contributors
    leave_team_out: tuple[LeaveOutResult, ...]
    leave_run_out: tuple[LeaveOutResult, ...]
    by_depth: tuple[DepthCounts, ...]
    extrapolation: Extrapolation
    stability: Stability
    reduced: tuple[ReducedJudgments, ...]
    condensed: tuple[CondensedComparison, ...]
    corrections: tuple[UnpooledCorrection, ...]

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


def can_rank_by(measure: Measure) -> bool:
    """Whether runs are ranked by the measure, higher being better."""
    return can_rank_runs(measure) and measure.family.better == "higher"


def build_reusability_report(
    found: PooledCollection,
    measures: Sequence[Measure],
    *,
    seed: int = 0,
    draws: int = DRAWS,
    levels: Sequence[int] = LEVELS,
    target: int | None = None,
    spread: Spread = map,
) -> ReusabilityReport:
    """Everything at once. ``measures`` must be ones that runs are ranked by, see ``ranks``;
    the first is what ``tau_to_first`` compares with. Raises ``ValueError`` for a seed below
    0, a target above the depth of the pool, and levels or draws that are none.
    """
    sampling = ResamplingOptions(seed, TOPIC_DRAWS)
    further = extrapolate_depths(found, sampling, target)
    return ReusabilityReport(
        facts=collect_reusability_facts(found, measures, seed, draws, levels),
        contributors=count_contributions(found),
        leave_team_out=tuple(leave_groups_out(found, measures, "team")),
        leave_run_out=tuple(leave_groups_out(found, measures, "run")),
        by_depth=tuple(count_new_by_depth(found)),
        extrapolation=further,
        stability=assess_stability(found),
        reduced=tuple(
            rank_with_fewer_judgments(
                found, measures, seed=seed, draws=draws, levels=levels, spread=spread
            )
        ),
        condensed=tuple(compare_condensed(found, measures)),
        corrections=tuple(correct_unpooled_scores(found, measures)),
    )


def collect_reusability_facts(
    found: PooledCollection,
    measures: Sequence[Measure],
    seed: int,
    draws: int,
    levels: Sequence[int],
) -> ReusabilityFacts:
    pool, told = found.pool, found.options.as_dict()
    place = pool.place
    unjudged = (place < 0) | ~found.is_judged[place]
    return ReusabilityFacts(
        product=product_version(),
        qrels_sha256=found.judged.digest,
        order=told["order"],
        level=found.options.level,
        gains="the grade",
        topics=len(found.judged.topics),
        runs=len(found.tags),
        teams=len(found.names),
        pooled_runs=len(pool.runs),
        pooled_teams=len(np.unique(found.by_team[pool.runs])),
        depth=pool.depth,
        depth_told=pool.told,
        one_run_teams=len(found.names) == len(found.tags),
        pooled_documents=len(place),
        pooled_unjudged=int(np.count_nonzero(unjudged)),
        judged=int(np.count_nonzero(found.is_judged)),
        relevant=int(np.count_nonzero(found.is_relevant)),
        measures=tuple(measure.name for measure in measures),
        titles=tuple(measure.title for measure in measures),
        seed=seed,
        draws=draws,
        levels=tuple(levels),
    )
