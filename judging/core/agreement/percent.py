"""Percent agreement."""

from __future__ import annotations

import numpy as np

from campaigns.core.cards import Card
from judging.core.agreement.coefficient import NOTHING_PAIRED, AgreementCoefficient
from judging.core.agreement.counts import AgreementCounts, Floats, divide_or_default


def percent_agreement(counts: AgreementCounts) -> Floats:
    return divide_or_default(np.trace(counts.matched, axis1=-2, axis2=-1), counts.units)


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
    percent_agreement,
    flat=NOTHING_PAIRED,
    examples=(
        (((0, 1, 2, None), (0, 1, 1, 2)), 2 / 3),
        (((0, 1, 2), (0, 1, 1), (0, 2, None)), 4 / 9),
    ),
)
