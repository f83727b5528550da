"""Best, median and worst of the scores of several runs."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from poolbench.evaluation.measures.family import Better


@dataclass(frozen=True)
class BestMedianWorst:
    """Best, median and worst over all runs; None if no run has a value.

    Not ``ranked``: neither higher nor lower values of the measure are better, so ``best`` is only
    the highest value and ``worst`` the lowest.
    """

    best: float | None
    median: float | None
    worst: float | None
    ranked: bool = True

    def is_best(self, value: float | None) -> bool:
        return self.ranked and value is not None and value == self.best

    def as_dict(self) -> dict[str, float | None]:
        """Best, median and worst for output; only the median if not ``ranked``."""
        best, worst = (self.best, self.worst) if self.ranked else (None, None)
        return {"best": best, "median": self.median, "worst": worst}


def best_median_worst(values: Iterable[float | None], better: Better = "higher") -> BestMedianWorst:
    ranked = better != "neither"
    defined = [value for value in values if value is not None]
    if not defined:
        return BestMedianWorst(None, None, None, ranked)
    worst, best = min(defined), max(defined)
    if better == "lower":
        worst, best = best, worst
    return BestMedianWorst(best, float(np.median(defined)), worst, ranked)
