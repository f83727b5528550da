"""Overlap of the sets of relevant documents."""

from __future__ import annotations

from campaigns.core.cards import Card
from judging.core.agreement.coefficient import NO_OVERLAP, AgreementCoefficient
from judging.core.agreement.counts import AgreementCounts, Floats, divide_or_default

NOTHING_RELEVANT = "none of them called any pair relevant that all of them judged"


def relevant_overlap(counts: AgreementCounts) -> Floats:
    return divide_or_default(counts.sets[..., 1], counts.sets[..., 2])


OVERLAP = AgreementCoefficient(
    Card(
        name="overlap",
        title="Overlap of relevant sets",
        formula="|A ∩ B ∩ …| / |A ∪ B ∪ …|, each the pairs with grade ≥ level of one assessor, "
        "over the pairs that all of them judged",
        reading="Of the pairs that anyone called relevant, how many everyone did.",
        source="Lesk and Salton 1968; Voorhees 2000.",
        edge_cases=(
            "Says nothing of the pairs that nobody called relevant.",
            "Falls with every further assessor.",
        ),
        undefined="no pair was judged by all, or nobody called one relevant.",
    ),
    relevant_overlap,
    flat=NOTHING_RELEVANT,
    empty=NO_OVERLAP,
    examples=((((2, 1, 0, 0, None), (1, 0, 1, 0, 1)), 1 / 3),),
)
