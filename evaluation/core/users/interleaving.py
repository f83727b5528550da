"""Two rankings shown as one list, and what a judge's picks from it say of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from campaigns.core.cards import Card, Parameter

Side = Literal["A", "B"]

INTERLEAVING = Card(
    name="interleaving",
    title="Interleaved comparison of two rankings",
    formula="shown = A and B by turns, what is shown already left out, until one is at its end\n"
    "credit(X) = picks that X contributed",
    reading="Which of two rankings gives more of what people pick, when they cannot see from "
    "which it comes.",
    source="Joachims, KDD 2002; lecture slides CS276.",
    range="0 to the number of picks, each side",
    parameters=(Parameter("first", "Which ranking starts; toss a coin for each list."),),
    edge_cases=(
        "A document that both hold is credited to the one whose turn came first.",
        "What the longer ranking has left at the end is not shown.",
        "Picks count once, however often they are clicked.",
    ),
    example="A = a b c, B = b d e, B starts: shown b a d e, by B A B B (A's b is left out); of "
    "the picks b and a each side has one.",
)


@dataclass(frozen=True)
class InterleavedList:
    """``documents`` in order, and ``by``, which ranking contributed each document."""

    documents: tuple[str, ...]
    by: tuple[Side, ...]


def draw_first_side(rng: np.random.Generator) -> Side:
    """Which ranking starts, by lot."""
    return "A" if rng.integers(2) else "B"


def interleave(a: Sequence[str], b: Sequence[str], first: Side) -> InterleavedList:
    """One list from the rankings ``a`` and ``b``, the ranking ``first`` starting.

    Raises ``ValueError`` where a ranking holds a document twice.
    """
    if len(set(a)) < len(a) or len(set(b)) < len(b):
        raise ValueError("a ranking holds each document once")
    left: dict[Side, list[str]] = {"A": list(a)[::-1], "B": list(b)[::-1]}
    owner: dict[str, Side] = {}
    turn = first
    while left["A"] and left["B"]:
        owner.setdefault(left[turn].pop(), turn)
        turn = "B" if turn == "A" else "A"
    return InterleavedList(tuple(owner), tuple(owner.values()))


def credit_picks(interleaved: InterleavedList, picks: Iterable[str]) -> dict[Side, int]:
    """How many different picks each ranking contributed.

    Raises ``ValueError`` for a pick that was not shown.
    """
    by = dict(zip(interleaved.documents, interleaved.by, strict=True))
    picked = set(picks)
    if unknown := sorted(picked - set(by)):
        raise ValueError(f"picked but not shown: {', '.join(unknown)}")
    sides = [by[pick] for pick in picked]
    return {"A": sides.count("A"), "B": sides.count("B")}
