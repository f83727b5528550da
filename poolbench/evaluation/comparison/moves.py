"""What moved between two rankings: places, scores, and pairs of runs in another order."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from poolbench.evaluation.comparison.rank_correlation import score_levels
from poolbench.evaluation.comparison.rank_drop import competition_ranks
from poolbench.evaluation.comparison.registry import CORRELATIONS
from poolbench.files.faults import format_count
from poolbench.number_formats import format_signed
from poolbench.statistics.estimate import Estimate

Scores = Mapping[Any, float | None]


@dataclass(frozen=True)
class RunMove:
    """A run's score ``before`` and ``after``; its places ``first`` and ``second``, 1 being best,
    among the runs with both, where equal scores share the better; None: it lacks one of them.
    """

    run: Any
    before: float | None = None
    after: float | None = None
    first: int | None = None
    second: int | None = None

    @property
    def moved(self) -> int:
        """Places gained; negative: lost."""
        return 0 if self.first is None or self.second is None else self.first - self.second

    @property
    def difference(self) -> float | None:
        return None if self.before is None or self.after is None else self.after - self.before


@dataclass(frozen=True)
class RankingMoves:
    """``runs``: best after first, those without both scores last. Of all ``pairs`` of runs with
    both, ``turned`` have the opposite order and ``tied`` are equal in one ranking only.
    """

    runs: tuple[RunMove, ...]
    tau: Estimate
    pairs: int
    turned: int
    tied: int

    @property
    def compared(self) -> list[RunMove]:
        return [run for run in self.runs if run.first is not None]

    @property
    def mean_difference(self) -> float | None:
        differences = [run.difference or 0.0 for run in self.compared]
        return sum(differences) / len(differences) if differences else None

    def describe(self, title: str) -> str:
        """By the measure ``title``: the pairs of runs that turned, and by how much scores moved."""
        if not self.pairs:
            return f"Fewer than two runs have a {title} in both: there is no order to compare."
        runs, pairs = f"the {len(self.compared):,} runs scored in both", f"{self.pairs:,}"
        text = f"By {title}, {self.turned:,} of {pairs} pairs of {runs} changed order"
        text += f", and {self.tied:,} became or ceased to be equal" if self.tied else ""
        text += f"; scores moved by {format_signed(self.mean_difference)} on average."
        moved = [run.moved for run in self.compared]
        if not any(moved):
            return f"{text} No run gained or lost a place."
        lost = format_count(-min(moved), "place")
        return f"{text} Runs gained up to {max(moved)} and lost up to {lost}."


def compare_rankings(before: Scores, after: Scores, *, lower: bool = False) -> RankingMoves:
    """From scores by run, None for none; ``lower``: lower scores are better."""
    sign = -1.0 if lower else 1.0
    both = [run for run in after if after[run] is not None and before.get(run) is not None]
    old, new = (
        sign * np.array([scores[run] for run in both], np.float64) for scores in (before, after)
    )
    places = zip(both, competition_ranks(old), competition_ranks(new), strict=True)
    runs = [RunMove(run, before[run], after[run], *ranks) for run, *ranks in places]
    runs.sort(key=lambda run: (run.second or 0, str(run.run)))
    others = [run for run in dict.fromkeys([*after, *before]) if run not in set(both)]
    runs += [RunMove(run, before.get(run), after.get(run)) for run in others]
    one, two = np.triu_indices(len(both), 1)
    was, now = (np.sign(each[one] - each[two]) for each in (score_levels(old), score_levels(new)))
    return RankingMoves(
        tuple(runs),
        CORRELATIONS["tau-b"].of_scores(old, new),
        len(was),
        turned=int(np.count_nonzero(was * now < 0)),
        tied=int(np.count_nonzero((was == 0) != (now == 0))),
    )
