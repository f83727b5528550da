"""Cycles of preferences: a preferred to b, b to c, and c to a."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from campaigns.core.cards import Card
from preferences.core.bradley_terry import list_groups
from preferences.core.pair_matrix import PairMatrix

CYCLES = Card(
    name="cycles",
    title="Circular triads and coefficient of consistence",
    formula="d = circular triads among the triads whose three pairs are all decided by majority\n"
    "share = d / those triads\nζ = 1 − 24 d / (n³ − n) for odd n, 1 − 24 d / (n³ − 4 n) for even n",
    reading="Whether one ranking can agree with all majorities: 0 circular triads and ζ = 1 if it "
    "can.",
    source="Kendall & Babington Smith, Biometrika 1940.",
    range="share 0 to 1; ζ 0 to 1",
    edge_cases=(
        (
            "A pair with as many preferences for one document as for the other is undecided; its "
            "triads are not counted."
        ),
        "A pair that was never compared is undecided too.",
        "Of random majorities a quarter of the triads is circular.",
    ),
    undefined="the share: no triad is decided; ζ: fewer than three documents, or a pair that is "
    "undecided.",
    example="a ≻ b, b ≻ c, c ≻ a, and a, b, c ≻ d: n = 4, of 4 triads a b c is circular; share "
    "1/4, ζ = 1 − 24/(64 − 16) = 1/2.",
)
MOST_CYCLES = 100
"""Cycles listed of a topic."""


@dataclass(frozen=True)
class CycleReport:
    """``circular`` of ``triads`` decided triads, ζ or None, and the shortest ``cycles``: each
    item is preferred to the next one, the last to the first.
    """

    circular: int
    triads: int
    zeta: float | None
    groups: tuple[tuple[str, ...], ...]
    cycles: tuple[tuple[str, ...], ...]

    @property
    def share(self) -> float | None:
        return self.circular / self.triads if self.triads else None


def examine_cycles(matrix: PairMatrix) -> CycleReport:
    """Circular triads of the majorities, and a shortest cycle through each item in one."""
    ahead = matrix.majority
    circular, triads = count_circular_triads(ahead)
    groups = [group for group in list_groups(ahead.astype(np.float64)) if len(group) > 1]
    shortest: dict[tuple[int, ...], None] = {}
    for start in (item for group in groups for item in group):
        if len(shortest) < MOST_CYCLES:
            shortest.setdefault(_rotate(_find_shortest_cycle(ahead, start)))
    names = matrix.items
    return CycleReport(
        circular,
        triads,
        compute_consistence(ahead),
        tuple(tuple(names[at] for at in group) for group in groups),
        tuple(tuple(names[at] for at in cycle) for cycle in sorted(shortest, key=_by_length)),
    )


def count_circular_triads(ahead: NDArray[np.bool_]) -> tuple[int, int]:
    """Circular triads, and all triads with three decided pairs."""
    won = ahead.astype(np.float64)
    decided = won + won.T
    circular = np.einsum("ij,ji->", won @ won, won) / 3
    triads = np.einsum("ij,ji->", decided @ decided, decided) / 6
    return round(float(circular)), round(float(triads))


def compute_consistence(ahead: NDArray[np.bool_]) -> float | None:
    """ζ; None for fewer than three items or an undecided pair."""
    n = len(ahead)
    if n < 3 or np.count_nonzero(ahead) < n * (n - 1) // 2:
        return None
    circular, _ = count_circular_triads(ahead)
    return 1 - 24 * circular / (n**3 - n if n % 2 else n**3 - 4 * n)


def _find_shortest_cycle(ahead: NDArray[np.bool_], start: int) -> tuple[int, ...]:
    """The shortest cycle through ``start``, which is in one; breadth first."""
    before: dict[int, int] = {}
    waiting = deque([start])
    while waiting:
        at = waiting.popleft()
        for following in np.flatnonzero(ahead[at]).tolist():
            if following == start:
                path = [at]
                while path[-1] != start:
                    path.append(before[path[-1]])
                return tuple(reversed(path))
            if following not in before:
                before[following] = at
                waiting.append(following)
    raise ValueError("the item is in no cycle")


def _rotate(cycle: Sequence[int]) -> tuple[int, ...]:
    """The same cycle, its least item first."""
    least = cycle.index(min(cycle))
    return (*cycle[least:], *cycle[:least])


def _by_length(cycle: Sequence[int]) -> tuple[int, Sequence[int]]:
    return len(cycle), cycle
