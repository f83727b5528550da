"""Krippendorff's alpha for any number of assessors, with missing judgments."""

from collections.abc import Callable
from functools import partial

import numpy as np

from poolbench.cards import Card
from poolbench.judging.agreement.coefficient import (
    AgreementCoefficient,
    AgreementCounts,
    Floats,
    Rows,
    divide_or_default,
    grade_differences,
    weighted_sum,
    weighted_total,
)

ONE_GRADE = "all comparable judgments have the same grade"


def krippendorff_alpha(
    counts: AgreementCounts, *, distance: Callable[[AgreementCounts], Floats]
) -> Floats:
    """1 − observed / expected disagreement; ``distance`` maps counts to squared (…, q, q)."""
    totals = counts.totals
    distances = distance(counts)
    reached = (
        totals @ distances
        if distances.ndim == 2
        else np.einsum("...i,...ij->...j", totals, distances)
    )
    observed = weighted_total(counts.coincident, distances)
    return 1 - divide_or_default(
        observed * (weighted_sum(totals) - 1), weighted_sum(reached * totals)
    )


def nominal_distance(counts: AgreementCounts) -> Floats:
    return np.sign(grade_differences(counts.scale))


def ordinal_distance(counts: AgreementCounts) -> Floats:
    """Squared number of judgments between two grades; the two grades count half."""
    totals = counts.totals
    middle = np.cumsum(totals, axis=-1) - totals / 2
    distances: Floats = np.square(middle[..., :, None] - middle[..., None, :])
    return distances


def ratio_distance(counts: AgreementCounts) -> Floats:
    """((i − j) / (i + j))², and 0 between 0 and 0."""
    grades = np.array(counts.scale, np.float64)
    return np.square(
        divide_or_default(grade_differences(counts.scale), grades[:, None] + grades[None, :], 0.0)
    )


# Krippendorff's example C: four observers, twelve units.
EXAMPLE_C: Rows = (
    (1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None),
    (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3),
    (None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None),
    (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None),
)


def _agreement(
    metric: str,
    definition: str,
    reading: str,
    distance: Callable[[AgreementCounts], Floats],
    value: float,
) -> AgreementCoefficient:
    card = Card(
        name=f"alpha-{metric}",
        title=f"Krippendorff's alpha, {metric}",
        formula="1 − observed / expected disagreement over all judgments of a pair by different "
        f"assessors; {definition}",
        reading=f"Agreement of all assessors beyond chance, {reading}.",
        source="Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011.",
        range="-1 to 1, 0 is chance",
        edge_cases=(
            "Pairs with one judgment are excluded; n counts the others.",
            "Any number of assessors; they need not judge the same pairs.",
        ),
        undefined="no pair has two judgments, or all of them have the same grade.",
    )
    compute = partial(krippendorff_alpha, distance=distance)
    return AgreementCoefficient(card, compute, flat=ONE_GRADE, examples=((EXAMPLE_C, value),))


KRIPPENDORFF = (
    _agreement(
        "nominal",
        "distance 1 between different grades, else 0",
        "with all grade differences weighted equally",
        nominal_distance,
        0.743421052631579,
    ),
    _agreement(
        "ordinal",
        "distance (n_c/2 + n_between + n_k/2)² of grades c < k, n the number of judgments of a "
        "grade",
        "with grades as ranks",
        ordinal_distance,
        0.8153875037548813,
    ),
    _agreement(
        "interval",
        "distance (c − k)² of grades c and k",
        "with grades as equally spaced values",
        lambda counts: np.square(grade_differences(counts.scale)),
        0.8491071428571428,
    ),
    _agreement(
        "ratio",
        "distance ((c − k)/(c + k))² of grades c and k",
        "with grades as amounts and 0 as none",
        ratio_distance,
        0.7974027747116121,
    ),
)
