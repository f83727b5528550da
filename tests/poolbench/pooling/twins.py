"""Adaptive methods worked slowly from their formulas, all of the past anew at every step. CAL, its
tf-idf and logistic regression in plain Python, is for texts of a few words.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from poolbench.runs.hash_order import hash_order
from tests.poolbench.pooling.toy import QUERIES, TEXTS


@dataclass(frozen=True)
class Turn:
    """What is judged next, the run that plays it, and what was gone by: of runs or documents."""

    doc: str
    run: str | None
    values: Mapping[str, float]


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

    def first(self, values: Mapping[str, float], hashed: str = "{}") -> str:
        """The name of the highest value; of nearly equal ones the first by hash."""
        highest = max(values.values())
        near = [n for n, v in values.items() if v == highest or math.isclose(v, highest)]
        return min(near, key=lambda n: hash_order(self.seed, self.topic, hashed.format(n)))

    def play(self, values: Mapping[str, float], anew: bool = True) -> Turn:
        """The best open document of the best run that has one; ties are drawn ``anew`` at this
        step, or go by one order for the whole topic.
        """
        left = {r: v for r, v in values.items() if self.open & set(self.lists[r])}
        run = self.first(left, f" {{}} {len(self.said)}" if anew else " {}")
        return Turn(next(doc for doc in self.lists[run] if doc in self.open), run, values)

    def pick(self, value: Callable[[str], float]) -> Turn:
        """The best open document."""
        values = {doc: value(doc) for doc in self.open}
        return Turn(self.first(values), None, values)

    def chance(self) -> np.random.Generator:
        """What is drawn at this step, run by run in the order of their tags."""
        return np.random.default_rng([hash_order(self.seed, self.topic, ""), len(self.said)])

    def then(self, turn: Turn, relevant: bool) -> "Past":
        """The past one judgment later."""
        said = [*self.said, (turn.doc, turn.run, relevant)]
        return replace(self, said=said, open=self.open - {turn.doc})

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


def maxmean(past: Past, update: str, rate: float = 1) -> Turn:
    counts = past.counts(update, rate)
    return past.play({run: (1 + rel) / (2 + ret) for run, (rel, ret) in counts.items()})


def thompson(past: Past, update: str) -> Turn:
    counts, chance = past.counts(update), past.chance()
    seen = {run: counts[run] for run in sorted(counts)}
    return past.play({run: chance.beta(1 + rel, 1 + ret - rel) for run, (rel, ret) in seen.items()})


def explores(past: Past, c1: float, c2: float) -> float:
    """The probability of exploring."""
    return min(1, c1 * sum(map(bool, past.lists.values())) / (c2**2 * (len(past.said) + 1)))


def egreedy(past: Past, c1: float, c2: float, update: str) -> Turn:
    chance = past.chance()
    if chance.random() < explores(past, c1, c2):
        return past.play({run: chance.random() for run in sorted(past.lists)})
    counts = past.counts(update)
    return past.play({run: rel / ret if ret else math.inf for run, (rel, ret) in counts.items()})


def random(past: Past) -> Turn:
    chance = past.chance()
    return past.play({run: chance.random() for run in sorted(past.lists)})


def ucb(past: Past, update: str) -> Turn:
    def bound(rel: float, ret: float) -> float:
        if ret == 0:
            return math.inf
        p, unsure = rel / ret, math.log(len(past.said)) / ret
        return p + math.sqrt(unsure * min(1 / 4, p * (1 - p) + math.sqrt(2 * unsure)))

    return past.play({run: bound(*seen) for run, seen in past.counts(update).items()})


def mtf(past: Past, scope: str = "local") -> Turn:
    lost = [run for _, run, relevant in past.said if run and not relevant]
    return past.play({run: -lost.count(run) for run in past.lists}, anew=False)


def gain(past: Past, run: str, doc: str) -> float:
    n = len(past.documents)
    if doc in past.lists[run]:
        return math.log(n) - math.log(past.rank(run, doc))
    beyond = range(len(past.lists[run]) + 1, n + 1)
    return math.log(n) - sum(map(math.log, beyond)) / len(beyond)


def trust(past: Past, beta: float) -> dict[str, float]:
    """The weights of Hedge."""
    loss = {
        run: sum((-0.5 if rel else 0.5) * gain(past, run, doc) for doc, _, rel in past.said)
        for run in past.lists
    }
    whole = sum(beta**value for value in loss.values())
    return {run: beta**value / whole for run, value in loss.items()}


def hedge(past: Past, beta: float) -> Turn:
    weight = trust(past, beta)
    return past.pick(lambda doc: sum(weight[run] * gain(past, run, doc) for run in past.lists))


def patience(past: Past, run: str, docs: Iterable[str], p: float) -> float:
    """Σ w of ``docs`` in ``run``."""
    return sum((1 - p) * p ** (past.rank(run, d) - 1) for d in docs if d in past.lists[run])


def promise(past: Past, p: float) -> dict[str, float]:
    """What RBP-C multiplies the weights of each run with."""
    judged = [doc for doc, _, _ in past.said]
    relevant = [doc for doc, _, rel in past.said if rel]
    left = {run: 1 - patience(past, run, judged, p) for run in past.lists}
    base = {run: patience(past, run, relevant, p) for run in past.lists}
    return {run: left[run] * (base[run] + left[run] / 2) ** 3 for run in past.lists}


def rbp_c(past: Past, p: float) -> Turn:
    factor = promise(past, p)
    return past.pick(lambda d: sum(patience(past, r, d, p) * factor[r] for r in past.lists))


def shared(past: Past, run: str, i: str, j: str) -> Fraction:
    """a_ij"""
    rank = max(past.rank(run, i), past.rank(run, j))
    return Fraction(0) if rank == math.inf else Fraction(1, int(rank))


def squares(past: Past, i: str) -> Fraction:
    """The square of the weight of document ``i`` in MTC."""
    relevant = {doc for doc, _, rel in past.said if rel}
    possible = set(past.documents) - {doc for doc, _, rel in past.said if not rel}

    def apart(others: Set[str]) -> Fraction:
        adds = {r: sum(shared(past, r, i, j) for j in others | {i}) for r in past.lists}
        return sum(((adds[r] - adds[s]) ** 2 for r, s in combinations(adds, 2)), Fraction(0))

    return max(apart(relevant), apart(possible))


def mtc(past: Past, alpha: float) -> Turn:
    return past.pick(lambda doc: math.sqrt(squares(past, doc)))


TWINS: dict[str, Callable[..., Turn]] = {
    "maxmean": maxmean, "mmns": maxmean, "thompson": thompson, "ucb": ucb, "egreedy": egreedy,
    "random": random, "mtf": mtf, "hedge": hedge, "rbp_c": rbp_c, "mtc": mtc,
}  # fmt: skip
CASES: list[tuple[str, dict[str, Any]]] = [
    ("maxmean", {"update": "all"}), ("maxmean", {"update": "own"}),
    ("mmns", {"update": "all", "rate": 0.0}), ("mmns", {"update": "own", "rate": 0.5}),
    ("ucb", {"update": "all"}), ("ucb", {"update": "own"}), ("thompson", {"update": "all"}),
    ("thompson", {"update": "own"}), ("egreedy", {"c1": 0.1, "c2": 0.5, "update": "all"}),
    ("egreedy", {"c1": 0.05, "c2": 0.3, "update": "own"}), ("random", {}),
    ("mtf", {"scope": "local"}), ("hedge", {"beta": 0.1}), ("hedge", {"beta": 0.9}),
    ("rbp_c", {"p": 0.8}), ("mtc", {"alpha": 0.0}),
]  # fmt: skip


Row = Mapping[str, float]
BIAS = ""
"""The term that every text has: no word is empty."""
STEPS = 600


def tf_idf(texts: Mapping[str, str]) -> dict[str, Row]:
    """By name of a text: its terms, weighted to length 1."""
    words = {name: re.findall(r"\w\w+", text.lower()) for name, text in texts.items()}
    found = {}
    for name, own in words.items():
        frequent = {word: sum(word in other for other in words.values()) for word in own}
        weight = {
            word: (1 + math.log(own.count(word)))
            * (1 + math.log((1 + len(texts)) / (1 + frequent[word])))
            for word in own
        }
        length = math.hypot(*weight.values())
        found[name] = {word: value / length for word, value in weight.items()}
    return found


def dot(left: Row, right: Row) -> float:
    return sum(value * right.get(word, 0) for word, value in left.items())


def regression(rows: Sequence[Row], signs: Sequence[int]) -> dict[str, float]:
    """What minimises ½ |w|² + Σ ln(1 + e^(−sign · w·row)), by walking downhill."""
    weight: dict[str, float] = {}
    # No slope is steeper than 1 and a quarter of all squared lengths, which are 2 with the bias.
    stride = 1 / (1 + len(rows) / 2)
    for _ in range(STEPS):
        slope = dict(weight)
        for row, sign in zip(rows, signs, strict=True):
            share = sign / (1 + math.exp(sign * dot(weight, row)))
            for word, value in row.items():
                slope[word] = slope.get(word, 0) - share * value
        weight = {word: weight.get(word, 0) - stride * value for word, value in slope.items()}
    return weight


def learned(said: Sequence[tuple[str, str | None, bool]]) -> dict[str, bool]:
    """The judgments of all rounds that are over."""
    batch, due, last = 1, 1, 0
    while due <= len(said):
        last, batch = due, batch + math.ceil(batch / 10)
        due += batch
    return {doc: relevant for doc, _, relevant in said[:last]}


def scores(past: Past) -> dict[str, float]:
    """Of all documents; with so few, each that nobody has judged is presumed not relevant."""
    texts = {doc: TEXTS[doc] for doc in past.documents} | {BIAS: QUERIES[past.topic]}
    rows = {name: {**row, BIAS: 1.0} for name, row in tf_idf(texts).items()}
    positive = {BIAS} | {doc for doc, relevant in learned(past.said).items() if relevant}
    weight = regression([*rows.values()], [1 if name in positive else -1 for name in rows])
    return {doc: dot(weight, rows[doc]) for doc in past.documents}


def cal(past: Past) -> Turn:
    found = scores(past)
    return past.pick(lambda doc: round(found[doc], 5))
