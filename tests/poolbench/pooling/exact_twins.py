"""Adaptive methods in exact arithmetic: integers, fractions and 600 decimal digits.

They know nothing of the product but its seeded hash, by which equal values are ordered. Unlike
``twins.py`` they keep counts, so that a topic of hundreds of documents takes a second.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from decimal import Context, Decimal, setcontext
from fractions import Fraction
from functools import cache
from typing import Any

from poolbench.runs.hash_order import hash_order

DIGITS = 600
Chosen = tuple[str, str | None]
"""A document, and the run that plays it."""


class Twin(ABC):
    """A topic with the runs ``lists``; documents leave ``open`` as they are judged."""

    def __init__(self, lists: dict[str, list[str]], seed: int = 0, topic: str = "1") -> None:
        self.lists, self.seed, self.topic = lists, seed, topic
        self.rank = {r: {d: at for at, d in enumerate(docs, 1)} for r, docs in lists.items()}
        self.open = {doc for docs in lists.values() for doc in docs}
        self.size = len(self.open)
        self.listing = {doc: [r for r in lists if doc in self.rank[r]] for doc in self.open}
        self.step = 0

    def key(self, name: str) -> int:
        return hash_order(self.seed, self.topic, name)

    def lot(self, run: str) -> float:
        """Ties between runs go to the lowest."""
        return self.key(f" {run} {self.step}")

    def playable(self) -> list[str]:
        return [run for run, docs in self.lists.items() if not self.open.isdisjoint(docs)]

    def play(self, run: str) -> Chosen:
        return next(doc for doc in self.lists[run] if doc in self.open), run

    @abstractmethod
    def choose(self) -> Chosen:
        """The next document; nothing changes."""

    def observe(self, chosen: Chosen, relevant: bool) -> None:  # noqa: ARG002
        self.open.discard(chosen[0])
        self.step += 1

    def first_by_hash(self, docs: Iterable[str]) -> Chosen:
        return min(docs, key=self.key), None


class Arms(Twin):
    """MaxMean and MM-NS."""

    def __init__(self, *args: Any, update: str, rate: float = 1, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.own, self.rate = update == "own", Fraction(rate)
        self.relevant = dict.fromkeys(self.lists, Fraction(0))
        self.judged = dict.fromkeys(self.lists, Fraction(0))

    def value(self, run: str) -> Any:
        return (1 + self.relevant[run]) / (2 + self.judged[run])

    def choose(self) -> Chosen:
        values = {run: self.value(run) for run in self.playable()}
        best = max(values.values())
        return self.play(min((r for r, v in values.items() if v == best), key=self.lot))

    def observe(self, chosen: Chosen, relevant: bool) -> None:
        super().observe(chosen, relevant)
        doc, played = chosen
        for run in [played] if self.own and played else self.listing[doc]:
            self.relevant[run] = self.rate * self.relevant[run] + relevant
            self.judged[run] = self.rate * self.judged[run] + 1


class Shares(Arms):
    """εₙ-greedy without exploring."""

    def value(self, run: str) -> Any:
        return self.relevant[run] / self.judged[run] if self.judged[run] else math.inf


class Bounds(Arms):
    """UCB1-tuned."""

    def value(self, run: str) -> Any:
        if not self.judged[run]:
            return Decimal("inf")
        judged = int(self.judged[run])
        p, unsure = Decimal(int(self.relevant[run])) / judged, short_log(self.step) / judged
        spread = p * (1 - p) + (2 * unsure).sqrt(SHORT)
        return SHORT.plus(p + (unsure * min(Decimal("0.25"), spread)).sqrt(SHORT))


class Front(Twin):
    """Move-to-front: one order of runs for the whole topic."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.queue = sorted(self.lists, key=lambda run: self.key(f" {run}"))
        self.lost = dict.fromkeys(self.lists, 0)

    def choose(self) -> Chosen:
        playable = set(self.playable())
        queue = [run for run in self.queue if run in playable]
        return self.play(min(queue, key=self.lost.__getitem__))

    def observe(self, chosen: Chosen, relevant: bool) -> None:
        super().observe(chosen, relevant)
        self.lost[str(chosen[1])] += not relevant


SHORT = Context(prec=60)
LONG = Context(prec=DIGITS)


@cache
def short_log(number: int) -> Decimal:
    return SHORT.ln(Decimal(number))


@cache
def least_factor(number: int) -> int:
    return next((i for i in range(2, math.isqrt(number) + 1) if number % i == 0), number)


@cache
def logarithm(number: int) -> Decimal:
    factor = least_factor(number)
    if factor in (1, number):
        return LONG.ln(Decimal(number))
    return LONG.add(logarithm(factor), logarithm(number // factor))


@cache
def power(exponent: Decimal, number: int) -> Decimal:
    """``number`` ** ``exponent``."""
    factor = least_factor(number)
    if factor in (1, number):
        return LONG.exp(LONG.multiply(exponent, logarithm(number)))
    return LONG.multiply(power(exponent, factor), power(exponent, number // factor))


class Votes(Twin):
    """Hedge: votes to ``DIGITS`` digits, compared by their differences."""

    def __init__(self, *args: Any, beta: float, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        setcontext(LONG)
        half = Decimal(beta).ln() / 2
        whole = logarithm(self.size)
        self.weight, self.advantage = dict.fromkeys(self.lists, Decimal(1)), {}
        self.won, self.lost = {}, {}
        for run, docs in self.lists.items():
            n, length = self.size, len(docs)
            beyond = Decimal(math.factorial(n) // math.factorial(length)).ln() / (n - length)
            logs = [logarithm(at) for at in range(1, length + 1)]
            self.advantage[run] = [beyond - log for log in logs]
            # β^(loss ± ½ g): the last factor is that of a document that the run does not list.
            self.lost[run] = [power(half, n) / power(half, at) for at in range(1, length + 1)]
            self.lost[run].append((half * (whole - beyond)).exp())
            self.won[run] = [1 / each for each in self.lost[run]]

    def above(self, doc: str) -> Decimal:
        """What the runs that list ``doc`` give it beyond what they give any other."""
        return sum(
            (
                +self.weight[r] * +self.advantage[r][self.rank[r][doc] - 1]
                for r in self.listing[doc]
            ),
            Decimal(0),
        )

    def choose(self) -> Chosen:
        near = self.open
        for context, digits in ((SHORT, 50), (LONG, DIGITS - 100)):
            setcontext(context)
            votes = {doc: self.above(doc) for doc in near}
            best = max(votes.values())
            near = {doc for doc, vote in votes.items() if best - vote <= best.scaleb(-digits)}
            if len(near) == 1:
                break
        return self.first_by_hash(near)

    def observe(self, chosen: Chosen, relevant: bool) -> None:
        super().observe(chosen, relevant)
        setcontext(LONG)
        factors = self.won if relevant else self.lost
        for run in self.lists:
            at = self.rank[run].get(chosen[0], 0) - 1
            self.weight[run] *= factors[run][at]


class Patience(Twin):
    """RBP-C with p = 4/5 or another fraction, in integers."""

    def __init__(self, *args: Any, p: Fraction, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        deepest = max(map(len, self.lists.values()))
        above, below = p.numerator, p.denominator
        # All of them times the same power of the denominator.
        self.weights = [
            (below - above) * above ** (rank - 1) * below ** (deepest - rank)
            for rank in range(1, deepest + 1)
        ]
        self.left = dict.fromkeys(self.lists, below**deepest)
        self.base = dict.fromkeys(self.lists, 0)

    def choose(self) -> Chosen:
        factor = {r: self.left[r] * (2 * self.base[r] + self.left[r]) ** 3 for r in self.lists}
        values = {
            doc: sum(self.weights[self.rank[r][doc] - 1] * factor[r] for r in self.listing[doc])
            for doc in self.open
        }
        best = max(values.values())
        return self.first_by_hash(doc for doc, value in values.items() if value == best)

    def observe(self, chosen: Chosen, relevant: bool) -> None:
        super().observe(chosen, relevant)
        for run in self.listing[chosen[0]]:
            weight = self.weights[self.rank[run][chosen[0]] - 1]
            self.left[run] -= weight
            self.base[run] += weight * relevant


class Pairs(Twin):
    """MTC in integers: reciprocals times the least common multiple of all ranks."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        deepest = max(map(len, self.lists.values()))
        self.unit = math.lcm(*range(1, deepest + 1))
        self.f = {r: {d: self.unit // at for d, at in self.rank[r].items()} for r in self.lists}
        self.g = {
            r: {
                d: sum(self.unit // max(at, other) for other in range(1, len(docs) + 1))
                for d, at in self.rank[r].items()
            }
            for r, docs in self.lists.items()
        }

    def spread(self, values: Sequence[int]) -> int:
        """Σ over run pairs of the squared difference; absent runs have 0."""
        return len(self.lists) * sum(v * v for v in values) - sum(values) ** 2

    def choose(self) -> Chosen:
        squares = {
            doc: max(
                self.spread([self.f[r][doc] for r in self.listing[doc]]),
                self.spread([self.g[r][doc] for r in self.listing[doc]]),
            )
            for doc in self.open
        }
        best = max(squares.values())
        return self.first_by_hash(doc for doc, value in squares.items() if value == best)

    def observe(self, chosen: Chosen, relevant: bool) -> None:
        super().observe(chosen, relevant)
        for run in self.listing[chosen[0]]:
            ranks, at = self.rank[run], self.rank[run][chosen[0]]
            for doc, other in ranks.items():
                if doc != chosen[0]:
                    shared = self.unit // max(at, other)
                    if relevant:
                        self.f[run][doc] += shared
                    else:
                        self.g[run][doc] -= shared


ALL, OWN = {"update": "all"}, {"update": "own"}
EXACT: list[tuple[str, dict[str, Any], Callable[..., Twin], dict[str, Any]]] = [
    ("maxmean", ALL, Arms, ALL), ("maxmean", OWN, Arms, OWN),
    ("mmns", ALL, Arms, ALL | {"rate": 0}), ("mmns", OWN, Arms, OWN | {"rate": 0}),
    ("mmns", {"rate": 0.5}, Arms, ALL | {"rate": 0.5}), ("ucb", ALL, Bounds, ALL),
    ("ucb", OWN, Bounds, OWN), ("egreedy", {"c1": 1e-300}, Shares, ALL), ("mtf", {}, Front, {}),
    ("hedge", {"beta": 0.1}, Votes, {"beta": 0.1}), ("hedge", {"beta": 0.9}, Votes, {"beta": 0.9}),
    ("rbp_c", {"p": 0.8}, Patience, {"p": Fraction(4, 5)}),
    ("rbp_c", {"p": 0.5}, Patience, {"p": Fraction(1, 2)}), ("mtc", {}, Pairs, {}),
]  # fmt: skip
"""Method and parameters, its twin and the parameters of that."""
