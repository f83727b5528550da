"""Interleaving: two rankings in one list, and credit for the clicks on it, by several methods."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal
from zlib import crc32

import numpy as np

from poolbench.cards import Card, Parameter

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


BALANCED = Card(
    name="balanced",
    title="Balanced interleaving",
    formula="list = documents of A and B in turns; every prefix holds the top k_A of A and the top "
    "k_B of B, |k_A − k_B| ≤ 1\nk = smallest j with the lowest clicked document in the top j of A "
    "or of B\ncredit(X) = clicks on documents in the top k of X",
    reading="Which of two rankings has more of the clicked documents in its top, as deep as the "
    "user has looked.",
    source="Joachims, KDD 2002; Joachims, Text Mining 2003; credit as in Radlinski, Kurup & "
    "Joachims, CIKM 2008.",
    range="0 to the number of clicks, for each ranking",
    parameters=(Parameter("first", "Ranking that starts; draw it at random for each list."),),
    edge_cases=(
        (
            "A turn whose document is already in the list is used up; documents of the longer "
            "ranking after the end of the shorter are not shown."
        ),
        "A clicked document in the top k of both rankings counts for both.",
        (
            "Rankings that are equal but for a shift are not treated alike by random clicks: "
            "A = a b c, B = b c a. Team draft avoids that."
        ),
        "Without a click both credits are 0: a tie.",
    ),
    example="A = a b c, B = b d e, B starts: b a d e. Clicks on b and a: a is first in A, so k = 1 "
    "and A has credit 1 (a), B has credit 1 (b). Click on d alone: d is second in B, k = 2; A's "
    "top 2 is a b, credit 0; B's is b d, credit 1.",
)


def credit_balanced(
    a: Sequence[str], b: Sequence[str], interleaved: InterleavedList, picks: Iterable[str]
) -> dict[Side, int]:
    """How many distinct picks each ranking has in its top k.

    Raises ``ValueError`` for a pick that is not in the list.
    """
    picked = require_listed(interleaved, picks)
    if not picked:
        return {"A": 0, "B": 0}
    lowest = [document for document in interleaved.documents if document in picked][-1]
    depth = min(ranking.index(lowest) for ranking in (a, b) if lowest in ranking) + 1
    return {"A": len(picked & set(a[:depth])), "B": len(picked & set(b[:depth]))}


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


def _interleave_by_lot(a: Ranking, b: Ranking, rng: np.random.Generator) -> InterleavedList:
    return interleave(a, b, draw_first_side(rng))


METHODS = {
    "balanced": InterleavingMethod(BALANCED, _interleave_by_lot, credit_balanced),
    "team-draft": InterleavingMethod(TEAM_DRAFT, interleave_by_draft, _credit_contributions),
    "alternating": InterleavingMethod(INTERLEAVING, _interleave_by_lot, _credit_contributions),
}


def interleave_by_method(
    method: str, a: Ranking, b: Ranking, rng: np.random.Generator, depth: int | None = None
) -> InterleavedList:
    """The first ``depth`` documents of the list that ``method`` builds of ``a`` and ``b``."""
    merged = METHODS[method].build(a, b, rng)
    return InterleavedList(merged.documents[:depth], merged.by[:depth])


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
