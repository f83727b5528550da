"""How far the ranking of the runs still moves as judgments come in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from campaigns.core.cards import Card
from evaluation.core.comparison.estimate import ComparisonEstimate
from evaluation.core.comparison.rank_drop import RankDrop, find_largest_drop
from evaluation.core.comparison.registry import CORRELATIONS
from evaluation.core.disagreement.rankings import choose_tau_ap

CARD = Card(
    name="movement",
    title="How far the ranking still moves",
    formula="tau-b and tau_AP of the ranking by the judgments so far with that without the "
    "last m of them; drop = the most places that any run has fallen in between",
    reading="Whether more judgments still change who stands where: where the last tenth of them "
    "moved nothing, the next tenth is not likely to.",
    source="Ours; tau_AP: Yilmaz, Aslam and Robertson, SIGIR 2008.",
    range="coefficients: −1 to 1; drop: 0 to the number of runs − 1",
    edge_cases=(
        "The ranking of now is the reference of tau_AP: its form a where no runs are tied, else b.",
        "Each ranking is a mean over the topics judged by then: new topics move it too.",
        "Judgments are grades in the order of the log, changed ones counted again.",
        "A ranking can stand still and be unfair: it says nothing of runs that nobody pooled.",
    ),
    undefined="fewer than two runs have a score at both moments, or all are tied.",
)


@dataclass(frozen=True)
class RankingMovement:
    """The ranking ``ago`` judgments before, against that of now. ``tau_ap`` takes the ranking of
    now for the truth; ``drop`` is the run that has fallen most since.
    """

    ago: int
    tau_b: ComparisonEstimate
    tau_ap_name: str
    tau_ap: ComparisonEstimate
    drop: RankDrop | None


def measure_movement(
    ago: int, before: Mapping[str, float], now: Mapping[str, float], *, lower: bool = False
) -> RankingMovement:
    """From scores by tag, NaN for none; ``lower``: the lower the better."""
    sign = -1.0 if lower else 1.0
    tags = [tag for tag in now if tag in before]
    old, new = (np.array([sign * scores[tag] for tag in tags]) for scores in (before, now))
    name = choose_tau_ap(new)
    tau_b, tau_ap = (CORRELATIONS[each].of_scores(new, old) for each in ("tau-b", name))
    fallen = find_largest_drop(dict(zip(tags, old, strict=True)), dict(zip(tags, new, strict=True)))
    return RankingMovement(ago, tau_b, name, tau_ap, fallen)


def choose_checkpoints(judgments: int, step: int, most: int = 4) -> list[int]:
    """After how many judgments to look back at the ranking, the latest first: at whole multiples
    of ``step``, so that they stay the same for a while, one step ago at least.
    """
    steps = judgments // step
    return [step * number for number in range(steps - 1, max(steps - 1 - most, 0), -1)]


def default_step(judgments: int) -> int:
    """About a tenth of ``judgments``, as a round number: 1, 2 or 5 and noughts; 10 at least."""
    tenth = max(judgments / 10, 10)
    ten = 10 ** int(np.floor(np.log10(tenth)))
    return int(max(ten * digit for digit in (1, 2, 5) if ten * digit <= tenth))
