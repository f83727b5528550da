"""Cohen's kappa, unweighted and weighted by grade difference."""

from collections.abc import Callable
from functools import partial

import numpy as np

from poolbench.cards import Card
from poolbench.judging.agreement.coefficient import (
    NO_OVERLAP,
    AgreementCoefficient,
    AgreementCounts,
    Floats,
    divide_or_default,
    grade_differences,
    weighted_sum,
    weighted_total,
)

Distance = Callable[[Floats], Floats]

ONE_GRADE = "all judgments of both assessors have the same grade, so chance agreement is 1"


def weighted_kappa(counts: AgreementCounts, *, distance: Distance) -> Floats:
    """1 − observed / expected disagreement; ``distance`` maps grade differences to weights."""
    table = counts.table
    if table is None:
        raise ValueError("Cohen's kappa compares two assessors")
    distances = distance(grade_differences(counts.scale))
    columns = weighted_sum(np.swapaxes(table, -1, -2))
    chance = weighted_sum((weighted_sum(table) @ distances) * columns)
    observed = weighted_total(table, distances) * counts.units
    return 1 - divide_or_default(observed, chance)


def _agreement(
    name: str, title: str, weight: str, distance: Distance, value: float
) -> AgreementCoefficient:
    plain = distance is np.sign
    card = Card(
        name=name,
        title=title,
        formula=f"1 − Σ w·observed / Σ w·expected, w = {weight} for grades i and j; expected "
        "from each assessor's own grade distribution",
        reading="Agreement beyond chance, given each assessor's own grade distribution"
        + ("." if plain else "; small differences weigh less."),
        source="Cohen 1960." if plain else "Cohen 1968.",
        range="-1 to 1, 0 is chance",
        edge_cases=("Low if one grade is very common, even with high percent agreement.",),
        undefined="no pair was judged by both, or all their judgments have the same grade.",
    )
    return AgreementCoefficient(
        card,
        partial(weighted_kappa, distance=distance),
        flat=ONE_GRADE,
        pairwise=True,
        empty=NO_OVERLAP,
        examples=((_TWO, value),),
    )


_TWO = ((0, 0, 1, 1, 2, None), (0, 1, 1, 2, 2, 0))
COHEN = (
    _agreement("kappa", "Cohen's kappa", "1 if i ≠ j, else 0", np.sign, 1 - 10 / 17),
    _agreement("kappa-linear", "Cohen's kappa, linear weights", "|i − j|", np.abs, 1 - 10 / 22),
    _agreement(
        "kappa-quadratic", "Cohen's kappa, quadratic weights", "(i − j)²", np.square, 1 - 10 / 32
    ),
)
