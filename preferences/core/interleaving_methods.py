"""Methods of interleaving by the name that users type: how a list is built, how it is credited."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np

from campaigns.core.cards import Card
from preferences.core.balanced import BALANCED, credit_balanced, interleave_balanced
from preferences.core.interleaving import (
    INTERLEAVING,
    InterleavedList,
    Side,
    credit_picks,
    draw_first_side,
    interleave,
)
from preferences.core.team_draft import TEAM_DRAFT, interleave_by_draft

Ranking = Sequence[str]
ListBuilder = Callable[[Ranking, Ranking, np.random.Generator], InterleavedList]
CreditRule = Callable[[Ranking, Ranking, InterleavedList, Iterable[str]], dict[Side, int]]


@dataclass(frozen=True)
class InterleavingMethod:
    """``build`` makes the list of rankings A and B; ``credit`` counts the picks of each."""

    card: Card
    build: ListBuilder
    credit: CreditRule


def _credit_contributions(
    _a: Ranking, _b: Ranking, interleaved: InterleavedList, picks: Iterable[str]
) -> dict[Side, int]:
    return credit_picks(interleaved, picks)


METHODS = {
    "balanced": InterleavingMethod(
        BALANCED,
        lambda a, b, rng: interleave_balanced(a, b, draw_first_side(rng)),
        credit_balanced,
    ),
    "team-draft": InterleavingMethod(TEAM_DRAFT, interleave_by_draft, _credit_contributions),
    "alternating": InterleavingMethod(
        INTERLEAVING,
        lambda a, b, rng: interleave(a, b, draw_first_side(rng)),
        _credit_contributions,
    ),
}


def interleave_by_method(
    method: str, a: Ranking, b: Ranking, rng: np.random.Generator, depth: int | None = None
) -> InterleavedList:
    """The first ``depth`` documents of the list that ``method`` builds of ``a`` and ``b``."""
    return METHODS[method].build(a, b, rng).cut(depth)


def topic_rng(seed: int, topic: str) -> np.random.Generator:
    """The draws for a topic: they depend on the seed and the topic, not on other topics."""
    return np.random.default_rng([seed, crc32(topic.encode())])


def interleave_starting(
    method: str, a: Ranking, b: Ranking, first: Side | None = None, seed: int = 0
) -> InterleavedList:
    """The whole list of one pair of rankings; ``first`` has the first turn, by lot if None. Team
    draft draws every round and takes no ``first``.
    """
    if first is None or method == "team-draft":
        return METHODS[method].build(a, b, np.random.default_rng(seed))
    return interleave(a, b, first)
