"""Ranking stability: how much the run ranking changes as judgments come in."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from poolbench.cards import Card
from poolbench.evaluation.comparison.rank_drop import RankDrop, find_largest_drop
from poolbench.evaluation.comparison.registry import CORRELATIONS
from poolbench.reliability.disagreement.rankings import choose_tau_ap
from poolbench.statistics.estimate import Estimate

CARD = Card(
    name="movement",
    title="Ranking stability",
    formula="tau-b and tau_AP between the ranking by all judgments so far and the ranking without "
    "the last m judgments; drop = the most ranks that any run has lost in between",
    reading="Whether more judgments would still change the ranking: if the last tenth of them "
    "changed nothing, the next tenth is unlikely to.",
    source="Ours; tau_AP: Yilmaz, Aslam and Robertson, SIGIR 2008.",
    range="coefficients: −1 to 1; drop: 0 to the number of runs − 1",
    edge_cases=(
        "The current ranking is the reference of tau_AP: tau-ap-a without ties, else tau-ap-b.",
        "Each ranking uses the means over the topics judged by then: new topics change it too.",
        "Judgments are counted in log order; a changed judgment counts again.",
        "A stable ranking can still be unfair to runs that did not contribute to the pool.",
    ),
    undefined="fewer than two runs have a score at both times, or all are tied.",
)


@dataclass(frozen=True)
class RankingMovement:
    """The ranking ``ago`` judgments earlier, compared with the current one, the reference of
    ``tau_ap``; ``drop`` is the run that has lost the most ranks since.
    """

    ago: int
    tau_b: Estimate
    tau_ap_name: str
    tau_ap: Estimate
    drop: RankDrop | None


def measure_movement(
    ago: int, before: Mapping[str, float], now: Mapping[str, float], *, lower: bool = False
) -> RankingMovement:
    """From scores by tag, NaN for none; ``lower``: lower scores are better."""
    sign = -1.0 if lower else 1.0
    tags = [tag for tag in now if tag in before]
    old, new = (np.array([sign * scores[tag] for tag in tags]) for scores in (before, now))
    name = choose_tau_ap(new)
    tau_b, tau_ap = (CORRELATIONS[each].of_scores(new, old) for each in ("tau-b", name))
    return RankingMovement(ago, tau_b, name, tau_ap, find_largest_drop(tags, old, new))


def choose_checkpoints(judgments: int, step: int) -> list[int]:
    """Numbers of judgments at which to compare the ranking, the latest four first: multiples
    of ``step``, so that they stay the same for a while, at least one step ago.
    """
    steps = judgments // step
    return [step * number for number in range(steps - 1, max(steps - 5, 0), -1)]


def default_step(judgments: int) -> int:
    """About a tenth of ``judgments``, rounded to 1, 2 or 5 times a power of ten, at least 10."""
    tenth = max(judgments / 10, 10)
    ten = 10 ** int(np.floor(np.log10(tenth)))
    return int(max(ten * digit for digit in (1, 2, 5) if ten * digit <= tenth))
