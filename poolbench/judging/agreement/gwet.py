"""Gwet's AC1 and AC2: agreement coefficients that stay stable when one grade is rare."""

from collections.abc import Callable
from functools import partial

import numpy as np

from poolbench.cards import Card
from poolbench.judging.agreement.coefficient import (
    AgreementCoefficient,
    AgreementCounts,
    Floats,
    divide_or_default,
    grade_differences,
    grade_proportions,
    observed_disagreement,
    weighted_sum,
)
from poolbench.judging.agreement.fleiss import ONE_ON_SCALE

Weights = Callable[[tuple[int, ...]], Floats]


def gwet_ac(counts: AgreementCounts, *, weights: Weights) -> Floats:
    """1 − observed / expected disagreement; ``weights`` maps a scale to agreement (q, q)."""
    agree = weights(counts.scale)
    q = len(counts.scale)
    shares = grade_proportions(counts)
    varied = weighted_sum(shares * (1 - shares))
    chance = agree.sum() / (q * (q - 1)) * varied if q > 1 else np.ones_like(varied)
    return 1 - divide_or_default(observed_disagreement(counts, 1 - agree), 1 - chance)


def identity_weights(scale: tuple[int, ...]) -> Floats:
    return np.eye(len(scale))


def gwet_ordinal_weights(scale: tuple[int, ...]) -> Floats:
    """1 − C(m, 2) / C(q, 2), m the number of grades from one to the other, inclusive."""
    steps = grade_differences(tuple(range(len(scale))))
    return 1 - _relative(steps * (steps + 1) / 2)


def _relative(distances: Floats) -> Floats:
    return distances / max(float(distances.max(initial=0.0)), 1.0)


_SOURCE = "Gwet, Computing inter-rater reliability in the presence of high agreement, 2008; {}"
_WEIGHTED = "Gwet, Handbook of Inter-Rater Reliability, 2014, for weights and missing judgments."
_EDGES = (
    (
        "Varies little with prevalence: if two assessors agree on 90 % of the pairs and each "
        "calls 5 % relevant, AC1 is 0.89 and kappa -0.05."
    ),
    (
        "Depends on q: unused grades count if the scale is known. For qrels files the scale is "
        "the set of grades that occur."
    ),
)


def _agreement(
    name: str, title: str, weight: str, weights: Weights, value: float
) -> AgreementCoefficient:
    plain = weights is identity_weights
    card = Card(
        name=name,
        title=title,
        formula="1 − observed / expected disagreement; observed = Σ (1 − w)·share of pairs of "
        f"assessors with grades i and j, w = {weight}; expected = 1 − T/(q(q − 1))·Σ p(1 − p), T "
        "the sum of all w, p the mean over all judged pairs of a grade's share of the pair's "
        "judgments, q the number of grades",
        reading="Agreement of all assessors beyond chance, if hard pairs are graded at random"
        + ("." if plain else "; small differences weigh less."),
        source=_SOURCE.format("Gwet 2014 for missing judgments." if plain else _WEIGHTED),
        range="-1 to 1, 0 is chance",
        edge_cases=_EDGES,
        undefined="no pair has two judgments, or the scale has one grade.",
    )
    compute = partial(gwet_ac, weights=weights)
    return AgreementCoefficient(card, compute, flat=ONE_ON_SCALE, examples=((_TWO, value),))


# Grade shares: .3, .4, .3; two of five pairs have a grade difference of 1.
_TWO = ((0, 0, 1, 1, 2), (0, 1, 1, 2, 2))
_VARIED = 0.3 * 0.7 * 2 + 0.4 * 0.6

GWET = (
    _agreement(
        "ac1", "Gwet's AC1", "1 if i = j, else 0", identity_weights, 1 - 0.4 / (1 - _VARIED / 2)
    ),
    _agreement(
        "ac2-linear",
        "Gwet's AC2, linear weights",
        "1 − |i − j| / (highest − lowest grade)",
        lambda scale: 1 - _relative(grade_differences(scale)),
        1 - 0.4 * 0.5 / (1 - 5 / 6 * _VARIED),
    ),
    _agreement(
        "ac2-quadratic",
        "Gwet's AC2, quadratic weights",
        "1 − (i − j)² / (highest − lowest grade)²",
        lambda scale: 1 - _relative(grade_differences(scale)) ** 2,
        1 - 0.4 * 0.25 / (1 - 6 / 6 * _VARIED),
    ),
    _agreement(
        "ac2-ordinal",
        "Gwet's AC2, ordinal weights",
        "1 − C(m, 2) / C(q, 2), m the number of grades from i to j, inclusive",
        gwet_ordinal_weights,
        1 - (0.4 / 3) / (1 - (17 / 3) / 6 * _VARIED),
    ),
)
