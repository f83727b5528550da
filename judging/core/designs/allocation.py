"""The one shape of designs: work comes in, the judgments wanted go out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from campaigns.core.cards import Card

Ints = NDArray[np.int64]
Parameters = Mapping[str, float]
NOBODY = -1
"""A judgment for which the design names nobody: whoever is assigned to the topic may give it."""
LISTED = 10


class ImpossibleDesignError(ValueError):
    """A design that cannot be laid out with this work; ``fix`` says what would do."""

    def __init__(self, message: str, fix: str) -> None:
        self.message, self.fix = message, fix
        super().__init__(f"{message} {fix}")


@dataclass(frozen=True)
class Workload:
    """What there is to share out, by topic: how many documents, and who may judge them.

    ``people`` are indices from 0 to ``crew`` - 1; an empty tuple: nobody is named yet. The
    documents of all topics are counted through, topic by topic, from 0.
    """

    topics: tuple[str, ...]
    sizes: tuple[int, ...]
    people: tuple[tuple[int, ...], ...]
    crew: int

    @property
    def pairs(self) -> int:
        return sum(self.sizes)

    @cached_property
    def topic_of(self) -> Ints:
        """The topic of each document, as an index."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)


@dataclass(frozen=True)
class Allocation:
    """The judgments wanted, one an entry: document, which one of it from 0, person or NOBODY."""

    pair: Ints
    k: Ints
    person: Ints

    def __len__(self) -> int:
        return len(self.pair)


@dataclass(frozen=True)
class DesignParameter:
    """A parameter that users give; ``whole``: without a fraction."""

    name: str
    label: str
    meaning: str
    low: float
    high: float
    default: float
    whole: bool = True

    def read(self, value: float | None) -> float:
        """``value``, the default if None. Raises ``ImpossibleError`` outside of the range."""
        number = self.default if value is None else value
        if not self.low <= number <= self.high or (self.whole and number != int(number)):
            kind = "a whole number" if self.whole else "a number"
            raise ImpossibleDesignError(
                f"{self.label}: {number:g} will not do.",
                f"Give {kind} from {self.low:g} to {self.high:g}.",
            )
        return int(number) if self.whole else float(number)


@dataclass(frozen=True)
class PlanDesign:
    """``lay_out(work, parameters, seed)``; ``most`` is how many judgments a document gets.

    ``reserves``: every judgment is for a person whom the design names.
    """

    card: Card
    numbers: tuple[DesignParameter, ...]
    most: Callable[[Parameters], int]
    lay_out: Callable[[Workload, Parameters, int], Allocation]
    reserves: bool = False

    @property
    def name(self) -> str:
        return self.card.name

    def read(self, values: Mapping[str, float | None]) -> dict[str, float]:
        """The parameters of this design out of ``given``, complete and checked."""
        return {number.name: number.read(values.get(number.name)) for number in self.numbers}


PER_PAIR = DesignParameter(
    "n", "Judgments a document", "How many assessors judge a document.", 1, 20, 2
)


def unassigned_allocation(counts: Ints) -> Allocation:
    """``counts[i]`` judgments of document i, all for whoever is assigned."""
    pair = np.repeat(np.arange(len(counts)), counts)
    first = np.cumsum(counts) - counts
    k = np.arange(len(pair)) - np.repeat(first, counts)
    return Allocation(pair, k, np.full(len(pair), NOBODY))


def block_allocation(blocks: list[Ints]) -> Allocation:
    """``blocks[i]`` are the people of document i."""
    flat = unassigned_allocation(np.array([len(block) for block in blocks], np.int64))
    person = np.concatenate(blocks) if blocks else flat.person
    return Allocation(flat.pair, flat.k, person.astype(np.int64))


def draw_within_topics(work: Workload, target: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """``wanted`` of the documents, drawn at random within topics.

    Each topic gives its part of them within 1: in a random order of its documents, the i-th
    of all N is drawn if ⌊(i + 1) · wanted / N + ½⌋ is more than ⌊i · wanted / N + ½⌋.
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
    """Refuse topics with fewer than ``least`` people, also those with nobody."""
    short = [
        number for number, who in zip(work.topics, work.people, strict=True) if len(who) < least
    ]
    if short:
        more = f" and {len(short) - LISTED} more" if len(short) > LISTED else ""
        raise ImpossibleDesignError(
            f"This design names who judges each document; it needs {least} assessors a topic, "
            f"and fewer are named for {', '.join(short[:LISTED])}{more}.",
            "Assign more people to these topics, or choose a design that names nobody.",
        )
