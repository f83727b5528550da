"""What coefficients of agreement work on: the grades of assessors × pairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from campaigns.core.cards import Card
from campaigns.core.tables import QrelsTable

MISSING = np.int32(-(2**31))
"""Stands where an assessor did not judge a pair."""

Pair = tuple[str, str]


@dataclass(frozen=True, eq=False)
class Labels:
    """``grades`` is assessors × pairs, ``MISSING`` where not judged; a pair is (topic, docno).

    ``scale`` holds the grades ascending; without one it is the grades seen.
    """

    assessors: tuple[str, ...]
    pairs: tuple[Pair, ...]
    grades: NDArray[np.int32]
    scale: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        seen = tuple(int(g) for g in np.unique(self.grades) if g != MISSING)
        if not self.scale:
            object.__setattr__(self, "scale", seen)
        elif not set(seen) <= set(self.scale):
            raise ValueError(f"grades {sorted(set(seen) - set(self.scale))} are not on the scale")

    @property
    def judged(self) -> NDArray[np.bool_]:
        given: NDArray[np.bool_] = self.grades != MISSING
        return given

    def only(self, *rows: int) -> Labels:
        """The same pairs and scale with the assessors at ``rows`` alone."""
        names = tuple(self.assessors[row] for row in rows)
        return Labels(names, self.pairs, self.grades[list(rows)], self.scale)

    def shared(self) -> NDArray[np.int32]:
        """The grades of the pairs that every assessor judged; shape (assessors, n)."""
        return self.grades[:, self.judged.all(axis=0)]

    def codes(self, grades: NDArray[np.int32]) -> NDArray[np.int64]:
        """Grades as positions on the scale."""
        return np.searchsorted(np.array(self.scale, np.int32), grades)


def labels_from_qrels(qrels: Mapping[str, QrelsTable], scale: Sequence[int] = ()) -> Labels:
    """Labels from one qrels by assessor; grades below 0 mean "not judged" and are left out."""
    found = [_judged_pairs(table) for table in qrels.values()]
    pairs = sorted(set().union(*found)) if found else []
    place = {pair: index for index, pair in enumerate(pairs)}
    grades = np.full((len(found), len(pairs)), MISSING, np.int32)
    for row, by_pair in enumerate(found):
        columns = [place[pair] for pair in by_pair]
        grades[row, columns] = list(by_pair.values())
    return Labels(tuple(qrels), tuple(pairs), grades, tuple(scale))


def _judged_pairs(table: QrelsTable) -> dict[Pair, int]:
    grades = table.grades.tolist()
    return {
        (topic, table.docnos[row]): grades[row]
        for index, topic in enumerate(table.topics)
        for row in range(int(table.starts[index]), int(table.starts[index + 1]))
        if grades[row] >= 0
    }


@dataclass(frozen=True)
class Coefficient:
    """One value over ``n`` pairs; ``value`` is None where undefined, and ``reason`` says why."""

    value: float | None
    n: int
    reason: str | None = None


@dataclass(frozen=True)
class Agreement:
    """A coefficient as users choose it. ``compute`` takes labels and the relevance level.

    ``pairwise`` coefficients compare exactly two assessors, others any number.
    """

    card: Card
    compute: Callable[[Labels, int], Coefficient]
    pairwise: bool = True
    examples: tuple[tuple[tuple[tuple[int | None, ...], ...], float], ...] = field(default=())

    @property
    def name(self) -> str:
        return self.card.name


NO_OVERLAP = "no pair was judged by all of them"
"""Reason of every coefficient that finds nothing to compare."""
