"""Everything that the judgments, the pool and the runs tell of how far they can be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from evaluation.core.collection.by_depth import Depth, new_by_depth
from evaluation.core.collection.condensed import Condensed, condensed
from evaluation.core.collection.contributors import Contributors, contributors_of
from evaluation.core.collection.correction import Correction, corrections
from evaluation.core.collection.extrapolation import DRAWS as TOPIC_DRAWS
from evaluation.core.collection.extrapolation import Extrapolation, extrapolated
from evaluation.core.collection.laid import Collection
from evaluation.core.collection.leave_out import LeftOut, left_out
from evaluation.core.collection.reduced import DRAWS, LEVELS, Reduced, Spread, reduced
from evaluation.core.collection.stability import Stability, stability_of
from evaluation.core.comparison.estimate import Sampling
from evaluation.core.disagreement.report import ranks_runs
from evaluation.core.evaluate import product
from evaluation.core.measures.family import Measure

MEASURES = ("map", "P_10", "bpref", "bpref-10", "ndcg")


@dataclass(frozen=True)
class Facts:
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
class Report:
    """All diagnostics of one collection; undefined is None, mostly with a reason."""

    facts: Facts
    contributors: Contributors
    leave_team_out: tuple[LeftOut, ...]
    leave_run_out: tuple[LeftOut, ...]
    by_depth: tuple[Depth, ...]
    extrapolation: Extrapolation
    stability: Stability
    reduced: tuple[Reduced, ...]
    condensed: tuple[Condensed, ...]
    corrections: tuple[Correction, ...]

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


def ranks(measure: Measure) -> bool:
    """Whether runs are ranked by the measure, higher being better."""
    return ranks_runs(measure) and measure.family.better == "higher"


def report_of(
    found: Collection,
    measures: Sequence[Measure],
    *,
    seed: int = 0,
    draws: int = DRAWS,
    levels: Sequence[int] = LEVELS,
    target: int | None = None,
    spread: Spread = map,
) -> Report:
    """Everything at once. ``measures`` must be ones that runs are ranked by, see ``ranks``;
    the first is what ``tau_to_first`` compares with. Raises ``ValueError`` for a seed below
    0, a target above the depth of the pool, and levels or draws that are none.
    """
    sampling = Sampling(seed, TOPIC_DRAWS)
    further = extrapolated(found, sampling, target)
    return Report(
        facts=facts_of(found, measures, seed, draws, levels),
        contributors=contributors_of(found),
        leave_team_out=tuple(left_out(found, measures, "team")),
        leave_run_out=tuple(left_out(found, measures, "run")),
        by_depth=tuple(new_by_depth(found)),
        extrapolation=further,
        stability=stability_of(found),
        reduced=tuple(
            reduced(found, measures, seed=seed, draws=draws, levels=levels, spread=spread)
        ),
        condensed=tuple(condensed(found, measures)),
        corrections=tuple(corrections(found, measures)),
    )


def facts_of(
    found: Collection, measures: Sequence[Measure], seed: int, draws: int, levels: Sequence[int]
) -> Facts:
    pool, told = found.pool, found.options.as_dict()
    place = pool.place
    unjudged = (place < 0) | ~found.is_judged[place]
    return Facts(
        product=product(),
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
