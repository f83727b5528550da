"""Overlap of the sets of relevant documents."""

from __future__ import annotations

import numpy as np

from campaigns.core.cards import Card
from judging.core.agreement.labels import NO_OVERLAP, Agreement, Coefficient, Labels

NOTHING_RELEVANT = "none of them called any pair relevant that all of them judged"


def overlap(labels: Labels, level: int) -> Coefficient:
    relevant = labels.shared() >= level
    n = relevant.shape[1]
    if n == 0:
        return Coefficient(None, 0, NO_OVERLAP)
    union = int(np.count_nonzero(relevant.any(axis=0)))
    if union == 0:
        return Coefficient(None, n, NOTHING_RELEVANT)
    return Coefficient(int(np.count_nonzero(relevant.all(axis=0))) / union, n)


OVERLAP = Agreement(
    Card(
        name="overlap",
        title="Overlap of relevant sets",
        formula="|A ∩ B ∩ …| / |A ∪ B ∪ …|, each the pairs with grade ≥ level of one assessor, "
        "over the pairs that all of them judged",
        reading="Of the pairs that anyone called relevant, how many everyone did.",
        source="Lesk and Salton 1968; Voorhees 2000.",
        edge_cases=("Says nothing of the pairs that nobody called relevant.",),
        undefined="no pair was judged by all, or nobody called one relevant.",
    ),
    overlap,
    pairwise=False,
    examples=((((2, 1, 0, 0, None), (1, 0, 1, 0, 1)), 1 / 3),),
)
