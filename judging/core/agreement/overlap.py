"""Overlap of the assessors' sets of relevant documents."""

from __future__ import annotations

from campaigns.core.cards import Card
from judging.core.agreement.coefficient import NO_OVERLAP, AgreementCoefficient
from judging.core.agreement.counts import AgreementCounts, Floats, divide_or_default

NOTHING_RELEVANT = "none of the pairs that all assessors judged is relevant"


def relevant_overlap(counts: AgreementCounts) -> Floats:
    return divide_or_default(counts.sets[..., 1], counts.sets[..., 2])


OVERLAP = AgreementCoefficient(
    Card(
        name="overlap",
        title="Overlap of relevant sets",
        formula="|A ∩ B ∩ …| / |A ∪ B ∪ …|; A, B, …: pairs with grade ≥ level per assessor, "
        "among the pairs judged by all assessors",
        reading="The share of pairs relevant to all assessors among those relevant to any of them.",
        source="Lesk and Salton 1968; Voorhees 2000.",
        edge_cases=(
            "Pairs that are relevant to no assessor do not count.",
            "Falls with every additional assessor.",
            (
                "A pair that all judged only with a third judgment is left out: such pairs are "
                "selected by disagreement, and their overlap is near 0."
            ),
        ),
        undefined="no pair was judged by all assessors, as in plans with fewer judgments per "
        "document than assessors; or none of these pairs is relevant.",
    ),
    relevant_overlap,
    flat=NOTHING_RELEVANT,
    empty=NO_OVERLAP,
    examples=((((2, 1, 0, 0, None), (1, 0, 1, 0, 1)), 1 / 3),),
)
