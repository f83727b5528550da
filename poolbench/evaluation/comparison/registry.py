"""The registries of tests, corrections and coefficients, by name."""

from poolbench.cards import Card
from poolbench.evaluation.comparison.classical_tests import SIGN, WILCOXON, T
from poolbench.evaluation.comparison.corrections import CORRECTIONS
from poolbench.evaluation.comparison.effect import EFFECTS
from poolbench.evaluation.comparison.family import RANDOMISED_TUKEY, TUKEY, FamilyTest
from poolbench.evaluation.comparison.interval import INTERVALS
from poolbench.evaluation.comparison.paired_tests import PairedTest
from poolbench.evaluation.comparison.rank_correlation import (
    SPEARMAN,
    TAU_AP,
    TAU_AP_A,
    TAU_AP_B,
    TAU_B,
    RankCorrelation,
)
from poolbench.evaluation.comparison.rbo import RBO_A, RBO_B, RBO_W
from poolbench.evaluation.comparison.resampling_tests import BOOTSTRAP, RANDOMISATION

TESTS: dict[str, PairedTest] = {
    test.name: test for test in (T, WILCOXON, SIGN, RANDOMISATION, BOOTSTRAP)
}
"""Tests of two runs."""

FAMILY_TESTS: dict[str, FamilyTest] = {test.name: test for test in (TUKEY, RANDOMISED_TUKEY)}
"""Tests of all run pairs at once; they take no correction."""

SAMPLE_INTERVALS = Card(
    name="sample-intervals",
    title="Intervals of differences, from the sample",
    formula="z = (θ̂(r) − θ̂(r')) / √(V(r,r) + V(r',r') − 2 V(r,r') + (b(r) − b(r'))²), "
    "p = 2 Φ(−|z|)",
    reading="Two runs differ if their difference is larger than what the choice of the sample "
    "explains. It says nothing of other topics.",
    source="Särndal, Swensson and Wretman, Model Assisted Survey Sampling, 1992; for b "
    "docs/estimates.md.",
    undefined="The estimates have no intervals.",
)
"""In place of a test over topics, for scores estimated from a sample."""


def get_test_card(name: str) -> Card:
    """What a test is, or the comparison by ``SAMPLE_INTERVALS``. Raises ``KeyError``."""
    if name == SAMPLE_INTERVALS.name:
        return SAMPLE_INTERVALS
    return (TESTS | FAMILY_TESTS)[name].card


CORRELATIONS: dict[str, RankCorrelation] = {
    correlation.name: correlation
    for correlation in (TAU_B, TAU_AP, TAU_AP_A, TAU_AP_B, RBO_B, RBO_A, RBO_W, SPEARMAN)
}

__all__ = [
    "CORRECTIONS",
    "CORRELATIONS",
    "EFFECTS",
    "FAMILY_TESTS",
    "INTERVALS",
    "SAMPLE_INTERVALS",
    "TESTS",
    "get_test_card",
]
