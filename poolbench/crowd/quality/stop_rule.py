"""When a worker is stopped for the answers on gold: never after two of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from poolbench.cards import Card
from poolbench.crowd.quality.wilson import compute_wilson_interval
from poolbench.statistics.estimate import Estimate

FEWEST = 3
"""Gold answers before any worker can be stopped, whatever the settings of a study."""

STOP_RULE = Card(
    name="stop-rule",
    title="Stop rule",
    formula=(
        "stopped when n ≥ max(3, stop after)\nand the upper Wilson bound of right / n < stop below"
    ),
    reading=(
        "A worker is stopped only when even the upper bound of the accuracy on gold is too low: "
        "few answers give a wide interval, so few mistakes stop no worker."
    ),
    source=(
        "The interval of Wilson (1927), checked after every answer. The chance to be stopped at "
        "some time is computed exactly, by dynamic programming over (n, right); see the table."
    ),
    range="stopped or not",
    edge_cases=(
        "Settings below 3 gold answers count as 3.",
        "Gold answers from all units of the study count, those of trials do not.",
        "After an organizer has undone an exclusion, only gold answers given later count.",
    ),
    example="Stop after 8, below .6. 2 right of 8: upper bound .5907 < .6, stopped. "
    "3 right of 8: upper bound .6943, not stopped.",
)


@dataclass(frozen=True)
class StopRule:
    """``after`` gold answers at least; ``below`` is compared with the upper bound."""

    after: int
    below: float

    @property
    def fewest(self) -> int:
        return max(FEWEST, self.after)

    def is_met(self, gold: Estimate) -> bool:
        """Whether a worker with these answers is stopped."""
        return gold.n >= self.fewest and (gold.high or 0.0) < self.below

    def stops_at(self, right: int, n: int) -> bool:
        return self.is_met(compute_wilson_interval(right, n))


def is_stop_reason(reason: str) -> bool:
    """Whether ``reason`` is one of ``format_stop_reason``."""
    return reason.startswith("Stop rule: ")


def format_stop_reason(rule: StopRule, gold: Estimate) -> str:
    """The figures behind a stop, for the log and the organizer."""
    return (
        f"Stop rule: {gold.successes} of {gold.n} gold documents right; upper bound "
        f"{gold.high:.2f}, below {rule.below:g}."
    )


def stop_rule_probabilities(rule: StopRule, accuracy: float, most: int) -> list[float]:
    """The probability to be stopped at gold answer 1, 2, … ``most``: exact.

    Each answer is right with probability ``accuracy``, independently. The entry at ``n - 1`` is
    that of being stopped at the n-th answer and not before; together with the probability of
    never being stopped they add up to 1.
    """
    alive, stopped = [1.0], []
    for n in range(1, most + 1):
        following = [0.0] * (n + 1)
        for right, mass in enumerate(alive):
            following[right] += mass * (1 - accuracy)
            following[right + 1] += mass * accuracy
        ended = [rule.stops_at(right, n) for right in range(n + 1)]
        stopped.append(sum(mass for mass, end in zip(following, ended, strict=True) if end))
        alive = [0.0 if end else mass for mass, end in zip(following, ended, strict=True)]
    return stopped


def estimate_gold_answers(probabilities: Sequence[float]) -> float:
    """The expected number of gold answers until the stop, of those who are stopped."""
    total = sum(probabilities)
    if not total:
        return float("nan")
    return sum(n * mass for n, mass in enumerate(probabilities, 1)) / total
