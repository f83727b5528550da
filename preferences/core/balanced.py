"""Balanced interleaving: the list of ``interleaving``, and credit by the clicked prefix."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from campaigns.core.cards import Card, Parameter
from preferences.core.interleaving import InterleavedList, Side, interleave, require_listed

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


def interleave_balanced(a: Sequence[str], b: Sequence[str], first: Side) -> InterleavedList:
    """The balanced list of ``a`` and ``b``; ``first`` is the ranking with the first turn."""
    return interleave(a, b, first)


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
