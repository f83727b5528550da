"""Simulated crowds with known grades."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poolbench.judging.aggregation.base import (
    AggregatedLabels,
    AggregationOptions,
    LabelMatrix,
    build_label_matrix,
)

GRADES = 4
SHARES = (0.5, 0.25, 0.15, 0.1)
NEAR = 0.7
"""The share of errors that are one grade off."""
GOLD = 20
"""Gold pairs that each worker has answered."""
LEAST = {
    "weighted-majority": 0.0, "dawid-skene-one-coin": 0.0, "glad": 0.0, "ordinal": 0.0,
}  # fmt: skip
"""Models that gain more than this over the majority, in accuracy."""


@dataclass(frozen=True)
class SimulatedCrowd:
    matrix: LabelMatrix
    truth: NDArray[np.int64]
    spammers: tuple[str, ...]
    options: AggregationOptions

    def accuracy(self, result: AggregatedLabels) -> float:
        return float((result.grades == self.truth).mean())


def simulate_crowd(
    seed: int, items: int = 2_000, each: int = 3, workers: int = 30, spammers: int = 4
) -> SimulatedCrowd:
    """``items`` with ``each`` labels. Honest workers are right in 55 to 95 %, and err by one grade
    mostly; spammers guess evenly. All have answered gold.
    """
    random = np.random.default_rng(seed)
    truth = random.choice(GRADES, size=items, p=SHARES)
    skill = random.uniform(0.55, 0.95, workers)
    names = [f"w{at:04}" for at in range(workers)]
    labels, gold = [], {}
    for item, grade in enumerate(truth.tolist()):
        for worker in random.choice(workers, size=each, replace=False).tolist():
            label = draw_label(random, grade, None if worker < spammers else skill[worker])
            labels.append((("1", f"d{item:06}"), names[worker], label))
    for worker, name in enumerate(names):
        right = 1 / GRADES if worker < spammers else skill[worker]
        gold[name] = int(random.binomial(GOLD, right)), GOLD
    matrix = build_label_matrix(labels, range(GRADES))
    options = AggregationOptions(gold=gold)
    return SimulatedCrowd(matrix, truth.astype(np.int64), tuple(names[:spammers]), options)


def draw_label(random: np.random.Generator, grade: int, skill: float | None) -> int:
    if skill is None:
        return int(random.integers(GRADES))
    if random.random() < skill:
        return grade
    near = [other for other in (grade - 1, grade + 1) if 0 <= other < GRADES]
    far = [other for other in range(GRADES) if other != grade and other not in near]
    return int(random.choice(near if not far or random.random() < NEAR else far))
