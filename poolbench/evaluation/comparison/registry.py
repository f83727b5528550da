"""The registries of tests, corrections and coefficients, by name."""

from __future__ import annotations

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

CORRELATIONS: dict[str, RankCorrelation] = {
    correlation.name: correlation
    for correlation in (TAU_B, TAU_AP, TAU_AP_A, TAU_AP_B, RBO_B, RBO_A, RBO_W, SPEARMAN)
}

__all__ = ["CORRECTIONS", "CORRELATIONS", "EFFECTS", "FAMILY_TESTS", "INTERVALS", "TESTS"]
