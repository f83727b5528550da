"""What has been found so far, and how the runs stand: the sections of the report on stopping."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from poolbench.evaluation.comparison.rank_drop import competition_ranks
from poolbench.reliability.campaign_state import RankingHistory
from poolbench.reliability.collection.extrapolation import Extrapolation
from poolbench.reliability.stopping import movement, remaining_relevant
from poolbench.reliability.stopping.discoveries import RankWindow, TeamDiscoveries, TopicDiscoveries
from poolbench.reliability.stopping.movement import RankingMovement, measure_movement
from poolbench.reliability.stopping.remaining_relevant import RemainingEstimate

CARDS = (remaining_relevant.CARD, movement.CARD)
CUTS = (5, 10, 20)
TRUST = tuple(f"judged_{k}" for k in CUTS)


@dataclass(frozen=True)
class InterimPool:
    """The latest pool during judging. ``left`` estimates the relevant documents remaining in
    it; ``below`` those below its ``depth``, or is the reason why that is undefined.
    """

    version: int
    is_adaptive: bool
    documents: int
    topics: tuple[TopicDiscoveries, ...]
    windows: tuple[RankWindow, ...]
    teams: tuple[TeamDiscoveries, ...]
    left: RemainingEstimate
    below: Extrapolation | str
    depth: int | None = None


@dataclass(frozen=True)
class InterimRun:
    """A run if judging stopped now. ``place`` and ``before``, its place at the first
    checkpoint, are None without a score; ``judged`` is judged@k for each cut-off in ``CUTS``.
    """

    run: int
    tag: str
    team: str
    pooled: bool
    score: float | None
    place: int | None
    before: int | None
    judged: tuple[float | None, ...]

    @property
    def moved(self) -> int:
        """Places gained since the first checkpoint; negative: lost."""
        return 0 if self.place is None or self.before is None else self.before - self.place


@dataclass(frozen=True)
class StoppingPanel:
    """As of the row ``last`` of the log. ``judged`` and ``relevant`` count documents, by their
    first judgment; ``judgments`` all grades. The ranking is by ``measure`` under ``policy``;
    ``moves`` compares it with earlier ones, at multiples of ``step`` judgments, and ``recent``
    counts the relevant among the last ``step`` documents.
    """

    last: int
    pool: InterimPool | None
    judged: int
    relevant: int
    judgments: int
    curve: tuple[tuple[int, int], ...]
    policy: str = ""
    measure: str = ""
    step: int = 0
    recent: int = 0
    runs: tuple[InterimRun, ...] = ()
    moves: tuple[RankingMovement, ...] = ()


def rank_panel(panel: StoppingPanel, history: RankingHistory, step: int) -> StoppingPanel:
    """The panel with the ranking of ``history``, whose earlier moments are in steps of ``step``."""
    now, *past = history.means
    lower = history.sign < 0
    return replace(
        panel,
        policy=history.policy,
        measure=history.measure.name,
        step=step,
        runs=_list_runs(history, now, past[0] if past else None, lower=lower),
        moves=tuple(
            measure_movement(
                now - each, history.score_runs(each), history.score_runs(now), lower=lower
            )
            for each in past
        ),
    )


def _list_runs(
    history: RankingHistory, now: int, past: int | None, *, lower: bool
) -> tuple[InterimRun, ...]:
    """Best first; runs without a score last."""
    place = rank_scores(history.score_runs(now), lower=lower)
    before = {} if past is None else rank_scores(history.score_runs(past), lower=lower)
    rows = [
        InterimRun(
            run.run,
            run.tag,
            run.team,
            run.pooled,
            score=means[0],
            place=place.get(run.tag),
            before=before.get(run.tag),
            judged=tuple(means[1:]),
        )
        for run, means in zip(history.runs, history.means[now], strict=True)
    ]
    return tuple(sorted(rows, key=lambda row: (row.place or len(rows) + 1, row.tag)))


def rank_scores(scores: Mapping[str, float], *, lower: bool) -> dict[str, int]:
    """The place of each run with a score; 1 is best."""
    defined = {tag: score for tag, score in scores.items() if not np.isnan(score)}
    sign = -1.0 if lower else 1.0
    ranks = competition_ranks(sign * np.array([*defined.values()]))
    return dict(zip(defined, ranks, strict=True))
