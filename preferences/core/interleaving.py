"""Interleaving: two rankings in one list, and credit for the clicks on it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from campaigns.core.cards import Card, Parameter

Side = Literal["A", "B"]

INTERLEAVING = Card(
    name="alternating",
    title="Interleaving with credit by contributor",
    formula="list = documents of A and B in turns, without those already in the list, until one "
    "ranking ends\ncredit(X) = clicks on documents that X contributed",
    reading="Which of two rankings contributes more of the documents that users click, when "
    "they cannot see which ranking each comes from.",
    source="Joachims, KDD 2002; lecture slides CS276.",
    range="0 to the number of clicks, for each ranking",
    parameters=(Parameter("first", "Ranking that starts; draw it at random for each list."),),
    edge_cases=(
        "A document in both rankings is credited to the ranking that contributed it first.",
        "Documents of the longer ranking after the end of the shorter are not shown.",
        "Repeated clicks on a document count once.",
    ),
    example="A = a b c, B = b d e, B starts: the list is b a d e, contributed by B A B B (A's b "
    "is skipped); with clicks on b and a, each ranking has credit 1.",
)


@dataclass(frozen=True)
class InterleavedList:
    """``documents`` in order, and ``by``, the ranking that contributed each document."""

    documents: tuple[str, ...]
    by: tuple[Side, ...]

    def cut(self, depth: int | None) -> InterleavedList:
        """The first ``depth`` documents; None: all."""
        return InterleavedList(self.documents[:depth], self.by[:depth])


def draw_first_side(rng: np.random.Generator) -> Side:
    """The ranking that starts, drawn at random."""
    return "A" if rng.integers(2) else "B"


def interleave(a: Sequence[str], b: Sequence[str], first: Side) -> InterleavedList:
    """One list from the rankings ``a`` and ``b``, starting with ``first``.

    Raises ``ValueError`` if a ranking contains a document twice.
    """
    require_distinct(a, b)
    left: dict[Side, list[str]] = {"A": list(a)[::-1], "B": list(b)[::-1]}
    owner: dict[str, Side] = {}
    turn = first
    while left["A"] and left["B"]:
        owner.setdefault(left[turn].pop(), turn)
        turn = "B" if turn == "A" else "A"
    return InterleavedList(tuple(owner), tuple(owner.values()))


def credit_picks(interleaved: InterleavedList, picks: Iterable[str]) -> dict[Side, int]:
    """Number of distinct picks that each ranking contributed.

    Raises ``ValueError`` for a pick that is not in the list.
    """
    by = dict(zip(interleaved.documents, interleaved.by, strict=True))
    sides = [by[pick] for pick in require_listed(interleaved, picks)]
    return {"A": sides.count("A"), "B": sides.count("B")}


def require_distinct(*rankings: Sequence[str]) -> None:
    """Raise ``ValueError`` if a ranking contains a document twice."""
    if any(len(set(ranking)) < len(ranking) for ranking in rankings):
        raise ValueError("duplicate document in a ranking")


def require_listed(interleaved: InterleavedList, picks: Iterable[str]) -> set[str]:
    """The distinct picks. Raises ``ValueError`` for a pick that is not in the list."""
    picked = set(picks)
    if unknown := sorted(picked - set(interleaved.documents)):
        raise ValueError(f"picked but not in the list: {', '.join(unknown)}")
    return picked
