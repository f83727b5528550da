"""Team-draft interleaving: two rankings take turns like captains who pick their teams."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from campaigns.core.cards import Card, Parameter
from preferences.core.interleaving import (
    InterleavedList,
    Side,
    draw_first_side,
    require_distinct,
)

TEAM_DRAFT = Card(
    name="team-draft",
    title="Team-draft interleaving",
    formula="while both rankings have documents that are not in the list: the ranking with fewer "
    "contributed documents, by lot if equal, adds its highest one\n"
    "credit(X) = clicks on documents that X contributed",
    reading="Which of two rankings contributes more of the clicked documents, when both "
    "contribute equally many.",
    source="Radlinski, Kurup & Joachims, CIKM 2008.",
    range="0 to the number of clicks, for each ranking",
    parameters=(Parameter("seed", "Draws the ranking that starts each round."),),
    edge_cases=(
        "After every round of two documents both rankings have contributed equally many.",
        (
            "A document of both rankings belongs to the one that took it first, by lot in the long "
            "run; so a document at the top of both favours neither."
        ),
        "The list ends when one ranking has no document left.",
    ),
    example="A = a b c, B = b d e, lots B, A: B adds b, A adds a; A adds c (b is in the list) and "
    "has no document left; the list is b a c, contributed by B A A. Clicks on b and c: each "
    "ranking has credit 1.",
)


def interleave_by_draft(
    a: Sequence[str], b: Sequence[str], rng: np.random.Generator
) -> InterleavedList:
    """One list from the rankings ``a`` and ``b``; ``rng`` draws who starts each round.

    Raises ``ValueError`` if a ranking contains a document twice.
    """
    require_distinct(a, b)
    waiting: dict[Side, list[str]] = {"A": list(a)[::-1], "B": list(b)[::-1]}
    owner: dict[str, Side] = {}
    turn, second = draw_first_side(rng), False
    while True:
        for ranking in waiting.values():
            while ranking and ranking[-1] in owner:
                ranking.pop()
        if not (waiting["A"] and waiting["B"]):
            return InterleavedList(tuple(owner), tuple(owner.values()))
        owner[waiting[turn].pop()] = turn
        second = not second
        turn = ("B" if turn == "A" else "A") if second else draw_first_side(rng)
