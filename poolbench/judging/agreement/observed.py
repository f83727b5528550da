"""Agreement that is not corrected for chance: percent, and overlap of the relevant sets."""

import numpy as np

from poolbench.cards import Card
from poolbench.judging.agreement.coefficient import (
    NO_OVERLAP,
    NOTHING_PAIRED,
    AgreementCoefficient,
    divide_or_default,
)

NOTHING_RELEVANT = "none of the pairs that all assessors judged is relevant"


PERCENT = AgreementCoefficient(
    Card(
        name="percent",
        title="Percent agreement",
        formula="mean, over pairs with at least two judgments, of the share of pairs of assessors "
        "that agree",
        reading="How often two assessors gave a pair the same grade; not corrected for chance.",
        source="Raw or observed agreement; for more than two assessors Fleiss 1971.",
        edge_cases=("High for any two assessors if one grade is common: see prevalence.",),
        undefined="no pair has two judgments.",
    ),
    lambda counts: divide_or_default(np.trace(counts.matched, axis1=-2, axis2=-1), counts.units),
    flat=NOTHING_PAIRED,
    examples=(
        (((0, 1, 2, None), (0, 1, 1, 2)), 2 / 3),
        (((0, 1, 2), (0, 1, 1), (0, 2, None)), 4 / 9),
    ),
)


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
    lambda counts: divide_or_default(counts.sets[..., 1], counts.sets[..., 2]),
    flat=NOTHING_RELEVANT,
    empty=NO_OVERLAP,
    examples=((((2, 1, 0, 0, None), (1, 0, 1, 0, 1)), 1 / 3),),
)
