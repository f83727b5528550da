"""Krippendorff's alpha for any number of assessors and any missing judgments."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from campaigns.core.cards import Card
from judging.core.agreement.labels import Agreement, Coefficient, Labels

Floats = NDArray[np.float64]

NOTHING_PAIRED = "no pair was judged by two or more of them"
ONE_GRADE = "every judgment that can be compared has the same grade"


def alpha(labels: Labels, level: int, *, distance: Callable[[Floats], Floats]) -> Coefficient:  # noqa: ARG001
    """1 − observed / expected disagreement; ``distance`` maps grade counts to a matrix."""
    counts = _counts(labels)
    units = counts[counts.sum(axis=1) >= 2]
    n = len(units)
    if n == 0:
        return Coefficient(None, 0, NOTHING_PAIRED)
    shared = units / (units.sum(axis=1, keepdims=True) - 1)
    coincidences = units.T @ shared - np.diag(shared.sum(axis=0))
    totals = units.sum(axis=0)
    apart = distance(totals)
    expected = float(totals @ apart @ totals) / (totals.sum() - 1)
    if expected == 0:
        return Coefficient(None, n, ONE_GRADE)
    return Coefficient(1 - float((apart * coincidences).sum()) / expected, n)


def _counts(labels: Labels) -> Floats:
    """How many assessors gave each grade of the scale to each pair; shape (pairs, scale)."""
    _, pair = np.nonzero(labels.judged)
    codes = labels.codes(labels.grades[labels.judged])
    shape = (len(labels.pairs), len(labels.scale))
    flat = np.bincount(pair * shape[1] + codes, minlength=shape[0] * shape[1])
    return flat.reshape(shape).astype(np.float64)


def nominal(totals: Floats) -> Floats:
    return 1 - np.eye(len(totals))


def ordinal(totals: Floats) -> Floats:
    """Squared number of judgments between two grades, the two themselves counting half."""
    middle = np.cumsum(totals) - totals / 2
    apart: Floats = np.square(middle[:, None] - middle[None, :])
    return apart


_EDGES = (
    "Pairs with one judgment are left out; n counts the others.",
    "Takes any number of assessors, each with pairs of their own.",
)
_UNDEFINED = "no pair has two judgments, or all of them are the same grade."
_SOURCE = "Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011."
# Krippendorff's example C: four observers, twelve units.
_C = (
    (1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None),
    (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3),
    (None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None),
    (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None),
)

ALPHA_NOMINAL = Agreement(
    Card(
        name="alpha-nominal",
        title="Krippendorff's alpha, nominal",
        formula="1 − observed / expected disagreement over all judgments of a pair by "
        "different assessors; two grades differ or not",
        reading="Agreement of all assessors beyond chance, any two different grades being "
        "equally wrong.",
        source=_SOURCE,
        range="-1 to 1, 0 is chance",
        edge_cases=_EDGES,
        undefined=_UNDEFINED,
    ),
    partial(alpha, distance=nominal),
    pairwise=False,
    examples=((_C, 0.743421052631579),),
)

ALPHA_ORDINAL = Agreement(
    Card(
        name="alpha-ordinal",
        title="Krippendorff's alpha, ordinal",
        formula="1 − observed / expected disagreement; grades c < k differ by "
        "(n_c/2 + n_between + n_k/2)², n the number of judgments of a grade",
        reading="Agreement of all assessors beyond chance, grades counting as an order.",
        source=_SOURCE,
        range="-1 to 1, 0 is chance",
        edge_cases=_EDGES,
        undefined=_UNDEFINED,
    ),
    partial(alpha, distance=ordinal),
    pairwise=False,
    examples=((_C, 0.8153875037548813),),
)
