"""The reusability report: all diagnostics of a test collection together."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from poolbench.evaluation.evaluate import product_version
from poolbench.evaluation.measures.family import Measure
from poolbench.notebooks import Frame, ResultTable, make_frame
from poolbench.reliability.collection.condensed_lists import CondensedComparison, compare_condensed
from poolbench.reliability.collection.contributors import Contributors, count_contributions
from poolbench.reliability.collection.correction import UnpooledCorrection, correct_unpooled_scores
from poolbench.reliability.collection.depths import DepthCounts, count_new_by_depth
from poolbench.reliability.collection.extrapolation import DRAWS as TOPIC_DRAWS
from poolbench.reliability.collection.extrapolation import Extrapolation, extrapolate_depths
from poolbench.reliability.collection.inputs import PooledCollection
from poolbench.reliability.collection.leave_one_group_out import LeaveOutResult, leave_groups_out
from poolbench.reliability.collection.reduced_judgments import (
    DRAWS,
    LEVELS,
    ReducedJudgments,
    Spread,
    rank_with_fewer_judgments,
)
from poolbench.reliability.collection.stability import Stability, assess_stability
from poolbench.reliability.disagreement.report import can_rank_runs
from poolbench.statistics.draws import ResamplingOptions
from poolbench.statistics.estimate import estimates_to_dict

MEASURES: tuple[str, ...] = ("map", "P_10", "bpref", "bpref-10", "ndcg")


@dataclass(frozen=True)
class ReusabilityFacts:
    """Size of the collection, and how the scores were computed.

    ``depth_told`` is False if the depth was inferred from the judgments. ``one_run_teams``:
    every run is its own team, so the results by team equal those by run. ``titles`` name the
    measures in full. ``label`` is that of the qrels.
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
    label: str = ""


@dataclass(frozen=True, repr=False)
class ReusabilityReport(ResultTable):
    """All diagnostics of one collection; undefined is None, usually with a reason."""

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

    def __repr__(self) -> str:
        facts = self.facts
        return (
            f"<ReusabilityReport: {facts.runs} runs, {facts.topics} topics, {facts.judged:,} "
            f"judged documents, pool depth {facts.depth}>"
        )

    def to_frame(self) -> Frame:
        """What leaving out a run, and a team, changes: one row per measure, group and run."""
        results = (*self.leave_run_out, *self.leave_team_out)
        rows = [
            {"measure": result.measure, "by": result.by, **asdict(run)}
            for result in results
            for run in result.runs
        ]
        return make_frame(rows)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return estimates_to_dict(self) | {"extrapolation": self.extrapolation.as_dict()}


def can_rank_by(measure: Measure) -> bool:
    """Whether the measure ranks runs and higher is better."""
    return can_rank_runs(measure) and measure.family.better == "higher"


def build_reusability_report(
    collection: PooledCollection,
    measures: Sequence[Measure],
    *,
    seed: int = 0,
    draws: int = DRAWS,
    levels: Sequence[int] = LEVELS,
    target: int | None = None,
    spread: Spread = map,
) -> ReusabilityReport:
    """All diagnostics. ``measures`` must rank runs, see ``can_rank_by``; ``tau_to_first`` compares
    with the first. Raises ``ValueError`` for a seed below 0, a target above the pool depth and
    invalid levels or draws.
    """
    sampling = ResamplingOptions(seed, TOPIC_DRAWS)
    further = extrapolate_depths(collection, sampling, target)
    return ReusabilityReport(
        facts=collect_reusability_facts(collection, measures, seed, draws, levels),
        contributors=count_contributions(collection),
        leave_team_out=tuple(leave_groups_out(collection, measures, "team")),
        leave_run_out=tuple(leave_groups_out(collection, measures, "run")),
        by_depth=tuple(count_new_by_depth(collection)),
        extrapolation=further,
        stability=assess_stability(collection),
        reduced=tuple(
            rank_with_fewer_judgments(
                collection, measures, seed=seed, draws=draws, levels=levels, spread=spread
            )
        ),
        condensed=tuple(compare_condensed(collection, measures)),
        corrections=tuple(correct_unpooled_scores(collection, measures)),
    )


def collect_reusability_facts(
    collection: PooledCollection,
    measures: Sequence[Measure],
    seed: int,
    draws: int,
    levels: Sequence[int],
) -> ReusabilityFacts:
    pool, settings = collection.pool, collection.options.as_dict()
    place = pool.place
    unjudged = (place < 0) | ~collection.is_judged[place]
    return ReusabilityFacts(
        product=product_version(),
        qrels_sha256=collection.judged.digest,
        order=settings["order"],
        level=collection.options.level,
        gains="the grade",
        topics=len(collection.judged.topics),
        runs=len(collection.tags),
        teams=len(collection.names),
        pooled_runs=len(pool.runs),
        pooled_teams=len(np.unique(collection.by_team[pool.runs])),
        depth=pool.depth,
        depth_told=pool.depth_specified,
        one_run_teams=len(collection.names) == len(collection.tags),
        pooled_documents=len(place),
        pooled_unjudged=int(np.count_nonzero(unjudged)),
        judged=int(np.count_nonzero(collection.is_judged)),
        relevant=int(np.count_nonzero(collection.is_relevant)),
        measures=tuple(measure.name for measure in measures),
        titles=tuple(measure.title for measure in measures),
        seed=seed,
        draws=draws,
        levels=tuple(levels),
    )
