"""Does an assessor who sees a document again, unmarked, give the same grade?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from campaigns.core.cards import Card
from judging.core.agreement.panel import compare_label_sets
from judging.core.agreement.report import Row
from judging.core.agreement.resampling import ResampleDraws

Again = tuple[str, str, int, int]
"""Assessor, topic, first grade, grade of the repeat."""
EVERYONE = ""


def self_consistency_by_assessor(
    repeats: Sequence[Again], scale: tuple[int, ...], level: int, draws: ResampleDraws
) -> dict[str, Row]:
    """Every coefficient of first grades against repeats: by assessor, and of all of them
    together under the empty name; assessors without repeats are left out.
    """
    if not repeats:
        return {}
    names = sorted({name for name, *_ in repeats})
    topics = sorted({topic for _, topic, *_ in repeats})
    at_grade = {grade: at for at, grade in enumerate(scale)}
    tables = np.zeros((len(names) + 1, len(topics), len(scale), len(scale)))
    for name, topic, first, again in repeats:
        cell = topics.index(topic), at_grade[first], at_grade[again]
        tables[(0, *cell)] += 1
        tables[(1 + names.index(name), *cell)] += 1
    rows = compare_label_sets(tables, scale, level, draws)
    return dict(zip((EVERYONE, *names), rows, strict=True))


CONSISTENCY = Card(
    name="consistency",
    title="Self-consistency",
    formula="any coefficient of two, the grade that stood for the assessor's own judgment of a "
    "document when its blind repeat came, against the current grade of the repeat",
    reading="How far an assessor agrees with himself: nobody agrees with others better for long.",
    source="Blind repeats; the coefficients are those between assessors.",
    range="that of the coefficient",
    edge_cases=(
        "Repeats never count in qrels nor in the agreement between assessors.",
        (
            "A first judgment that is changed after the repeat counts as it was before it; one "
            "that is taken back leaves the repeat out."
        ),
    ),
    undefined="there are no repeats, or as the coefficient says.",
    example="first 2, 0, 1, repeats 2, 0, 0: percent agreement 2/3.",
)
