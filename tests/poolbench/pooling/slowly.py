"""The formulas of the static methods once more: exact, slow, and without numpy."""

import math
import statistics
from collections.abc import Callable, Collection
from fractions import Fraction
from typing import Any

from poolbench.runs.hash_order import hash_order

# One topic: by run, the score of each document.
Small = dict[str, dict[str, int]]
Ranks = dict[str, dict[str, int]]


def cut(runs: Small, cutoff: int) -> Small:
    """The first of each run in trec_eval's order; runs without any are left out."""
    ordered = {
        tag: sorted(scores, key=lambda d: (scores[d], d), reverse=True)[:cutoff]
        for tag, scores in runs.items()
    }
    return {tag: {d: runs[tag][d] for d in docnos} for tag, docnos in ordered.items() if docnos}


def ranked(runs: Small) -> Ranks:
    return {tag: {d: at for at, d in enumerate(scores, 1)} for tag, scores in runs.items()}


def best_rank(runs: Small, d: str) -> int:
    return min(rank[d] for rank in ranked(runs).values() if d in rank)


def over_runs(weight: Callable[[int], Any]) -> Callable[[Small, str], Any]:
    return lambda runs, d: sum(weight(rank[d]) for rank in ranked(runs).values() if d in rank)


def slow_borda(runs: Small, d: str) -> Fraction:
    n = len(set().union(*runs.values()))
    left = {tag: list(range(len(rank) + 1, n + 1)) for tag, rank in ranked(runs).items()}
    return -sum(
        Fraction(rank[d]) if d in rank else Fraction(sum(left[tag]), len(left[tag]))
        for tag, rank in ranked(runs).items()
    )


def slow_condorcet(runs: Small, d: str) -> int:
    beaten = 0
    for other in set().union(*runs.values()) - {d}:
        votes = [(r.get(d, math.inf), r.get(other, math.inf)) for r in ranked(runs).values()]
        beaten += sum(mine < its for mine, its in votes) > sum(its < mine for mine, its in votes)
    return beaten


def values_of(runs: Small, d: str) -> list[Fraction]:
    """The normalised score of ``d`` in each run that answers."""
    found = []
    for scores in runs.values():
        low, high = min(scores.values()), max(scores.values())
        if d not in scores:
            found.append(Fraction(0))
        elif low == high:
            found.append(Fraction(scores[d]))
        else:
            found.append(Fraction(scores[d] - low, high - low))
    return found


def combined(how: Callable[[list[Fraction]], Any]) -> Callable[[Small, str], Any]:
    return lambda runs, d: how(values_of(runs, d))


def count(values: list[Fraction]) -> int:
    return sum(value != 0 for value in values)


def slow_ntcir(k: int) -> Callable[[Small, str], tuple[int, int] | None]:
    def score(runs: Small, d: str) -> tuple[int, int] | None:
        within = [rank[d] for rank in ranked(runs).values() if rank.get(d, k + 1) <= k]
        return (len(within), -sum(within)) if within else None

    return score


SLOW: list[tuple[str, dict[str, Any], Callable[[Small, str], Any]]] = [
    ("pp", {}, over_runs(lambda _rank: 1)),
    ("dcg", {}, over_runs(lambda rank: math.log(2) / math.log(rank + 1))),
    ("rrf", {"k": 60}, over_runs(lambda rank: Fraction(1, 60 + rank))),
    ("rrf", {"k": 1}, over_runs(lambda rank: Fraction(1, 1 + rank))),
    ("rbp_a", {"p": 0.8}, over_runs(lambda rank: Fraction(1, 5) * Fraction(4, 5) ** (rank - 1))),
    ("rbp_a", {"p": 0.5}, over_runs(lambda rank: Fraction(1, 2**rank))),
    ("rbp_a", {"p": 0}, over_runs(lambda rank: int(rank == 1))),
    ("rbp_a", {"p": 1}, over_runs(lambda _rank: 1)),
    ("rbp_b", {"p": 1}, over_runs(lambda _rank: 1)), ("borda", {}, slow_borda),
    ("condorcet", {}, slow_condorcet), ("combsum", {}, combined(sum)),
    ("combmnz", {}, combined(lambda v: sum(v) * count(v))),
    ("combanz", {}, combined(lambda v: sum(v) / count(v) if count(v) else 0)),
    ("combmax", {}, combined(max)), ("combmed", {}, combined(statistics.median)),
    ("combmin", {}, combined(min)), ("ntcir", {"k": 1}, slow_ntcir(1)),
    ("ntcir", {"k": 3}, slow_ntcir(3)),
]  # fmt: skip


def slow_rbp_b(
    runs: Small, p: Fraction, seed: int, pooled: Collection[str] = ()
) -> dict[str, Fraction]:
    """The documents that are not ``pooled`` as they are taken, each with its score then."""
    weights = {
        tag: {d: (1 - p) * p ** (rank - 1) for d, rank in ranks.items()}
        for tag, ranks in ranked(runs).items()
    }
    every = set().union(*runs.values())
    left = sorted(every - set(pooled), key=lambda d: hash_order(seed, "1", d))
    taken: dict[str, Fraction] = {}
    while left:
        known = [*pooled, *taken]
        residual = {t: 1 - sum(w.get(d, 0) for d in known) for t, w in weights.items()}
        scores = [
            sum((w.get(d, 0) * residual[t] for t, w in weights.items()), Fraction(0)) for d in left
        ]
        taken[left.pop(scores.index(max(scores)))] = max(scores)
    return taken
