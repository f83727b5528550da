"""Adaptive methods worked slowly from their formulas, all of the past anew at every step."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from pooling.core.order import hash_order


@dataclass(frozen=True)
class Past:
    """What is known of one topic: ``lists`` by run, ``said`` as (document, run or None when it came
    of an earlier step, relevant), and what is ``open``.
    """

    lists: Mapping[str, str]
    said: list[tuple[str, str | None, bool]]
    open: set[str]
    topic: str = "1"
    seed: int = 0

    def rank(self, run: str, doc: str) -> float:
        return self.lists[run].index(doc) + 1 if doc in self.lists[run] else math.inf

    @property
    def documents(self) -> list[str]:
        return sorted(set("".join(self.lists.values())))

    def first(self, values: Mapping[str, float], prefix: str = "") -> str:
        """The name of the highest value; of nearly equal ones the first by hash."""
        highest = max(values.values())
        near = [n for n, v in values.items() if v == highest or math.isclose(v, highest)]
        return min(near, key=lambda name: hash_order(self.seed, self.topic, prefix + name))

    def play(self, values: Mapping[str, float]) -> str:
        """The best open document of the best run that has one."""
        left = {r: v for r, v in values.items() if self.open & set(self.lists[r])}
        run = self.first(left, " ")
        return next(doc for doc in self.lists[run] if doc in self.open)

    def counts(self, update: str, rate: float = 1) -> dict[str, tuple[float, float]]:
        """By run: relevant and judged."""
        found = {}
        for run, listed in self.lists.items():
            relevant, judged = 0.0, 0.0
            for doc, by, said in self.said:
                if (by == run) if (update == "own" and by is not None) else (doc in listed):
                    relevant, judged = relevant * rate + said, judged * rate + 1
            found[run] = relevant, judged
        return found


def maxmean(past: Past, update: str, rate: float = 1) -> str:
    counts = past.counts(update, rate)
    return past.play({run: (1 + rel) / (2 + ret) for run, (rel, ret) in counts.items()})


def ucb(past: Past, update: str) -> str:
    def bound(rel: float, ret: float) -> float:
        if ret == 0:
            return math.inf
        p, unsure = rel / ret, math.log(len(past.said)) / ret
        return p + math.sqrt(unsure * min(1 / 4, p * (1 - p) + math.sqrt(2 * unsure)))

    return past.play({run: bound(*seen) for run, seen in past.counts(update).items()})


def mtf(past: Past, scope: str) -> str:
    lost = [run for _, run, relevant in past.said if run and not relevant]
    return past.play({run: -lost.count(run) for run in past.lists})


def hedge(past: Past, beta: float) -> str:
    n = len(past.documents)

    def gain(run: str, doc: str) -> float:
        if doc in past.lists[run]:
            return math.log(n) - math.log(past.rank(run, doc))
        beyond = range(len(past.lists[run]) + 1, n + 1)
        return math.log(n) - sum(map(math.log, beyond)) / len(beyond)

    loss = {
        run: sum((-0.5 if rel else 0.5) * gain(run, doc) for doc, _, rel in past.said)
        for run in past.lists
    }
    whole = sum(beta**value for value in loss.values())
    return past.first({
        doc: sum(beta ** loss[run] / whole * gain(run, doc) for run in past.lists)
        for doc in past.open
    })  # fmt: skip


def rbp_c(past: Past, p: float) -> str:
    def weight(run: str, docs: Iterable[str]) -> float:
        return sum((1 - p) * p ** (past.rank(run, d) - 1) for d in docs if d in past.lists[run])

    judged = [doc for doc, _, _ in past.said]
    relevant = [doc for doc, _, rel in past.said if rel]
    factor = {}
    for run in past.lists:
        left = 1 - weight(run, judged)
        factor[run] = left * (weight(run, relevant) + left / 2) ** 3
    value = {d: sum(weight(run, d) * factor[run] for run in past.lists) for d in past.open}
    return past.first(value)


def shared(past: Past, run: str, i: str, j: str) -> float:
    """a_ij"""
    return 1 / max(past.rank(run, i), past.rank(run, j))


def mtc(past: Past, alpha: float) -> str:
    relevant = {doc for doc, _, rel in past.said if rel}
    possible = set(past.documents) - {doc for doc, _, rel in past.said if not rel}

    def weight(i: str, others: set[str]) -> float:
        total = 0.0
        for r, s in combinations(past.lists, 2):
            c = {j: shared(past, r, i, j) - shared(past, s, i, j) for j in others | {i}}
            total += sum(c.values()) ** 2
        return math.sqrt(total)

    return past.first({i: max(weight(i, relevant), weight(i, possible)) for i in past.open})


TWINS: dict[str, Callable[..., str]] = {
    "maxmean": maxmean, "mmns": maxmean, "ucb": ucb, "mtf": mtf, "hedge": hedge, "rbp_c": rbp_c,
    "mtc": mtc,
}  # fmt: skip
CASES: list[tuple[str, dict[str, Any]]] = [
    ("maxmean", {"update": "all"}),
    ("maxmean", {"update": "own"}),
    ("mmns", {"update": "all", "rate": 0.0}),
    ("mmns", {"update": "own", "rate": 0.5}),
    ("ucb", {"update": "all"}),
    ("ucb", {"update": "own"}),
    ("mtf", {"scope": "local"}),
    ("hedge", {"beta": 0.1}),
    ("hedge", {"beta": 0.9}),
    ("rbp_c", {"p": 0.8}),
    ("mtc", {"alpha": 0.0}),
]
