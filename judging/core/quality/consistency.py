"""Self-consistency: agreement of an assessor's blind repeats with the first judgments."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from campaigns.core.cards import Card
from common.statistics.draws import ResamplingOptions
from judging.core.agreement.panel import compare_label_sets
from judging.core.agreement.report import Row
from judging.core.repeats import SOONEST

Again = tuple[str, str, int, int]
"""Assessor, topic, first grade, grade of the repeat."""
EVERYONE = ""


def self_consistency_by_assessor(
    repeats: Sequence[Again], scale: tuple[int, ...], level: int, draws: ResamplingOptions
) -> dict[str, Row]:
    """Every coefficient of first grades against repeats: by assessor, and for all assessors
    together under the empty name; assessors without repeats are omitted.
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
    formula="every two-assessor coefficient between the grade of the assessor's own judgment at "
    "the time of its blind repeat and the current grade of the repeat",
    reading="How well an assessor agrees with their own judgments; in practice an upper limit for "
    "agreement with others.",
    source="Blind repeats; same coefficients as between assessors.",
    range="that of the coefficient",
    edge_cases=(
        (
            f"Only repeats with {SOONEST} or more other documents between the assessor's last "
            "judgment of the pair and the repeat count; nearer ones show memory and are reported "
            "apart."
        ),
        "Repeats count neither in qrels nor in inter-assessor agreement.",
        (
            "A first judgment changed after the repeat counts as it was before; if it was undone, "
            "the repeat is excluded."
        ),
    ),
    undefined="there are no repeats, or the coefficient is undefined.",
    example="first 2, 0, 1, repeats 2, 0, 0: percent agreement 2/3.",
)
