"""Percent agreement."""

from __future__ import annotations

import numpy as np

from campaigns.core.cards import Card
from judging.core.agreement.labels import NO_OVERLAP, Agreement, Coefficient, Labels


def percent(labels: Labels, level: int) -> Coefficient:  # noqa: ARG001
    grades = labels.shared()
    n = grades.shape[1]
    if n == 0:
        return Coefficient(None, 0, NO_OVERLAP)
    return Coefficient(float(np.mean(grades[0] == grades[1])), n)


PERCENT = Agreement(
    Card(
        name="percent",
        title="Percent agreement",
        formula="pairs with the same grade from both / pairs judged by both",
        reading="How often two assessors gave the same grade; chance is not taken out.",
        source="Raw or observed agreement.",
        edge_cases=("High for any two assessors when one grade is common: see prevalence.",),
        undefined="no pair was judged by both.",
    ),
    percent,
    examples=((((0, 1, 2, None), (0, 1, 1, 2)), 2 / 3),),
)
