"""Generated campaigns of one topic, the same on every machine and with every numpy."""

import math
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from poolbench.pooling.candidates import RunListing
from poolbench.pooling.run_listing import build_listing
from tests.poolbench.pooling.toy import run


class Campaign(NamedTuple):
    """By run: its documents, best first; and what is relevant."""

    lists: dict[str, list[str]]
    relevant: set[str]

    def listing(self, seed: int) -> RunListing:
        tables = [run(tag, {"1": docs}) for tag, docs in self.lists.items()]
        return build_listing(tables, 1_000, seed)


def generate(number: int, runs: int = 8, depth: int = 170, size: int = 2_500) -> Campaign:
    """Runs from good to bad of different depths, and two of one team that differ in the order of
    two documents.
    """
    chance = Random(number)  # noqa: S311
    merit = [-2 * math.log(-math.log(1 - chance.random())) for _ in range(size)]
    relevant = first([value + 2 * noise(chance) for value in merit], 70)
    lists = {}
    for at in range(runs):
        amount = 2.5 + 5 * chance.random()
        length = depth // 2 + int(depth / 2 * chance.random())
        lists[f"r{at:02d}"] = first([value + amount * noise(chance) for value in merit], length)
    same = list(lists["r00"])
    same[10], same[11] = same[11], same[10]
    return Campaign(lists | {"same": same}, set(relevant))  # tags ascending, as in a listing


def noise(chance: Random) -> float:
    """About normal."""
    return sum(chance.random() for _ in range(12)) - 6


def first(values: Sequence[float], number: int) -> list[str]:
    order = sorted(range(len(values)), key=values.__getitem__, reverse=True)
    return [f"d{at}" for at in order[:number]]
