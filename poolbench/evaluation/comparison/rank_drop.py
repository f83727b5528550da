"""The run with the largest rank drop between two rankings."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poolbench.evaluation.comparison.rank_correlation import Levels, score_levels
from poolbench.statistics.draws import Floats


@dataclass(frozen=True)
class RankDrop:
    """A run's rank before and after, 1 being best; tied runs share their best rank."""

    tag: str
    before: int
    after: int

    @property
    def places(self) -> int:
        """Number of ranks lost; negative if the run rises."""
        return self.after - self.before


def format_rank_drop(drop: RankDrop) -> str:
    """The run and its ranks before and after."""
    return f"{drop.tag} {drop.before} to {drop.after}"


def find_largest_drop(tags: Sequence[str], before: Floats, after: Floats) -> RankDrop | None:
    """The run with the largest rank drop from the scores ``before`` to ``after``.

    Runs without a score in either (NaN) are left out of both rankings. Of runs with the same
    drop, the one ranked highest before. None if no run falls.
    """
    scored = np.flatnonzero(~np.isnan(before) & ~np.isnan(after))
    first, second = competition_ranks(before[scored]), competition_ranks(after[scored])
    named = [tags[at] for at in scored.tolist()]
    drops = [RankDrop(*drop) for drop in zip(named, first, second, strict=True)]
    furthest = max(drops, key=lambda drop: (drop.places, -drop.before), default=None)
    return furthest if furthest is not None and furthest.places > 0 else None


def competition_ranks(scores: Floats) -> list[int]:
    """1 + the number of runs with a higher score, for each run."""
    levels: Levels = score_levels(scores)
    higher: list[int] = (levels[None, :] > levels[:, None]).sum(axis=1).tolist()
    return [1 + number for number in higher]
