"""What every design shares: the work, its allocation, and the forecast of loads and overlap."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from poolbench.cards import Card
from poolbench.files.faults import list_names

Ints = NDArray[np.int64]
Parameters = Mapping[str, float]
UNASSIGNED = -1
"""Marks a slot without a named assessor: any assessor assigned to the topic may fill it."""
MAX_LISTED = 10


class ImpossibleDesignError(ValueError):
    """A design that cannot allocate this workload; ``fix`` says what to change."""

    def __init__(self, message: str, fix: str) -> None:
        self.message, self.fix = message, fix
        super().__init__(f"{message} {fix}")


@dataclass(frozen=True)
class Workload:
    """Per topic, the number of documents to judge and the assessors who may judge them.

    ``assessors`` are indices below ``assessor_count``; empty: not assigned yet. Documents are
    numbered from 0 across all topics, topic by topic.
    """

    topics: tuple[str, ...]
    sizes: tuple[int, ...]
    assessors: tuple[tuple[int, ...], ...]
    assessor_count: int

    @property
    def pairs(self) -> int:
        return sum(self.sizes)

    @cached_property
    def topic_indices(self) -> Ints:
        """The index of each document's topic."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)


@dataclass(frozen=True)
class Allocation:
    """One entry per slot: document, number of the judgment from 0, assessor or UNASSIGNED."""

    pair: Ints
    k: Ints
    assessor: Ints

    def __len__(self) -> int:
        return len(self.pair)


@dataclass(frozen=True)
class DesignParameter:
    """A parameter of a design, set by users."""

    name: str
    label: str
    meaning: str
    low: float
    high: float
    default: float
    is_integer: bool = True

    def read(self, value: float | None) -> float:
        """``value``, or the default if None. Raises ``ImpossibleDesignError`` if out of range."""
        number = self.default if value is None else value
        if not self.low <= number <= self.high or (self.is_integer and number != int(number)):
            kind = "an integer" if self.is_integer else "a number"
            raise ImpossibleDesignError(
                f"{self.label}: {number:g} is out of range.",
                f"Enter {kind} between {self.low:g} and {self.high:g}.",
            )
        return int(number) if self.is_integer else float(number)


@dataclass(frozen=True)
class PlanDesign:
    """``allocate(work, parameters, seed)``; ``max_judgments`` is per document.

    ``reserves``: the design names an assessor for every slot.
    """

    card: Card
    numbers: tuple[DesignParameter, ...]
    allocate: Callable[[Workload, Parameters, int], Allocation]
    max_judgments: Callable[[Parameters], int] = lambda parameters: int(parameters["n"])
    reserves: bool = False

    @property
    def name(self) -> str:
        return self.card.name

    def read(self, values: Mapping[str, float | None]) -> dict[str, float]:
        """The parameters of this design from ``values``, complete and checked."""
        return {number.name: number.read(values.get(number.name)) for number in self.numbers}


PER_PAIR = DesignParameter(
    "n", "Judgments per document", "Number of assessors who judge a document.", 1, 20, 2
)


def unassigned_allocation(counts: Ints) -> Allocation:
    """``counts[i]`` slots for document i, without named assessors."""
    pair = np.repeat(np.arange(len(counts)), counts)
    first = np.cumsum(counts) - counts
    k = np.arange(len(pair)) - np.repeat(first, counts)
    return Allocation(pair, k, np.full(len(pair), UNASSIGNED))


def block_allocation(blocks: list[Ints]) -> Allocation:
    """``blocks[i]`` are the assessors of document i."""
    flat = unassigned_allocation(np.array([len(block) for block in blocks], np.int64))
    assessor = np.concatenate(blocks) if blocks else flat.assessor
    return Allocation(flat.pair, flat.k, assessor.astype(np.int64))


def draw_within_topics(work: Workload, target: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """``target`` documents, drawn at random within topics.

    Each topic contributes its share to within 1: with its documents in random order, the i-th
    of all N is drawn if ⌊(i + 1) · target / N + ½⌋ exceeds ⌊i · target / N + ½⌋.
    """
    count = work.pairs
    drawn = np.zeros(count, bool)
    if not count:
        return drawn
    steps = (2 * np.arange(count + 1, dtype=np.int64) * target + count) // (2 * count)
    chosen = np.diff(steps) > 0
    start = 0
    for size in work.sizes:
        drawn[start + rng.permutation(size)] = chosen[start : start + size]
        start += size
    return drawn


def require_assigned_people(work: Workload, least: int) -> None:
    """Refuse topics with fewer than ``least`` assessors, also those with none."""
    short = [
        number for number, who in zip(work.topics, work.assessors, strict=True) if len(who) < least
    ]
    if short:
        raise ImpossibleDesignError(
            f"This design needs at least {least} assessors per topic; "
            f"too few for {list_names(short, MAX_LISTED)}.",
            "Assign more assessors to these topics, or choose a design without named assessors.",
        )


Floats = NDArray[np.float64]


def divide_open_judgments(judgments: int, may_judge: Sequence[int]) -> list[float]:
    """The share of each assessor in ``judgments`` that are open to all of them.

    ``may_judge[i]`` are the documents that assessor i may still judge, u_i. The share is
    u_i · min(1, judgments / Σu): in proportion to what each may judge, and never more than that.
    At the start, c judgments per document and q assessors give everybody c / q of each document,
    as ``forecast_load``; if as many assessors are left as judgments, each judges all of theirs.
    E.g. 147 documents twice, by any of 3: 98 each.
    """
    total = sum(may_judge)
    rate = min(1.0, judgments / total) if total else 0.0
    return [count * rate for count in may_judge]


@dataclass(frozen=True)
class LoadForecast:
    """``loads`` are judgments by assessor, ``shared`` documents by two assessors (diagonal 0).

    ``exact`` if the design names the assessors or all assessors of a topic judge all of it;
    otherwise expected values, if the assessors of a topic work equally. ``unassigned`` judgments
    are of topics without assessors.
    """

    judgments: int
    loads: Floats
    shared: Floats
    unassigned: int
    exact: bool

    def shared_range(self, people: list[int]) -> tuple[float, float] | None:
        """The fewest and most documents that two of ``people`` share; None if fewer than two."""
        if len(people) < 2:
            return None
        pairs = self.shared[np.ix_(people, people)][np.triu_indices(len(people), 1)]
        return float(pairs.min()), float(pairs.max())


def forecast_load(work: Workload, allocation: Allocation) -> LoadForecast:
    """Per document with c judgments by any of q assessors: c / q for each of them, and
    c(c − 1) / q(q − 1) shared by every two.
    """
    if (allocation.assessor != UNASSIGNED).all() and len(allocation):
        return _forecast_assigned(work, allocation)
    loads, shared = (
        np.zeros(work.assessor_count),
        np.zeros((work.assessor_count, work.assessor_count)),
    )
    counts = np.bincount(allocation.pair, minlength=work.pairs)
    waiting, exact = 0, True
    ends = np.cumsum(work.sizes)
    for size, end, who in zip(work.sizes, ends, work.assessors, strict=True):
        wanted, q = counts[end - size : end], len(who)
        if q == 0:
            waiting += int(wanted.sum())
            continue
        loads[list(who)] += wanted.sum() / q
        if q > 1:
            shared[np.ix_(who, who)] += (wanted * (wanted - 1)).sum() / (q * (q - 1))
        exact &= bool((wanted == q).all())
    np.fill_diagonal(shared, 0)
    return LoadForecast(len(allocation), loads, shared, waiting, exact)


def _forecast_assigned(work: Workload, allocation: Allocation) -> LoadForecast:
    loads = np.bincount(allocation.assessor, minlength=work.assessor_count).astype(float)
    shared = np.zeros((work.assessor_count, work.assessor_count))
    # The slots of one document are adjacent, with ascending k from 0.
    for step in range(1, int(allocation.k.max()) + 1):
        later = np.flatnonzero(allocation.k >= step)
        np.add.at(shared, (allocation.assessor[later], allocation.assessor[later - step]), 1)
    shared += shared.T
    np.fill_diagonal(shared, 0)
    return LoadForecast(len(allocation), loads, shared, 0, exact=True)
