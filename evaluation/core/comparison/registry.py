"""The registries of tests, corrections and coefficients, by name."""

from __future__ import annotations

from evaluation.core.comparison.corrections import (
    BENJAMINI_HOCHBERG,
    BONFERRONI,
    HOLM,
    NONE,
    MultipleTestCorrection,
)
from evaluation.core.comparison.effect import EFFECTS
from evaluation.core.comparison.family import FamilyTest
from evaluation.core.comparison.interval import INTERVALS
from evaluation.core.comparison.paired_tests import PairedTest
from evaluation.core.comparison.randomisation import RANDOMISATION
from evaluation.core.comparison.randomised_tukey import RANDOMISED_TUKEY
from evaluation.core.comparison.rank_correlation import SPEARMAN, TAU_B, RankCorrelation
from evaluation.core.comparison.rbo import RBO_A, RBO_B, RBO_W
from evaluation.core.comparison.shift_bootstrap import BOOTSTRAP
from evaluation.core.comparison.sign import SIGN
from evaluation.core.comparison.student import T
from evaluation.core.comparison.tau_ap import TAU_AP, TAU_AP_A, TAU_AP_B
from evaluation.core.comparison.tukey import TUKEY
from evaluation.core.comparison.wilcoxon import WILCOXON

TESTS: dict[str, PairedTest] = {
    test.name: test for test in (T, WILCOXON, SIGN, RANDOMISATION, BOOTSTRAP)
}
"""Tests of two runs."""

FAMILY_TESTS: dict[str, FamilyTest] = {test.name: test for test in (TUKEY, RANDOMISED_TUKEY)}
"""Tests of all run pairs at once; they take no correction."""

CORRECTIONS: dict[str, MultipleTestCorrection] = {
    correction.name: correction for correction in (HOLM, BONFERRONI, BENJAMINI_HOCHBERG, NONE)
}

CORRELATIONS: dict[str, RankCorrelation] = {
    correlation.name: correlation
    for correlation in (
        TAU_B,
        TAU_AP,
        TAU_AP_A,
        TAU_AP_B,
        RBO_B,
        RBO_A,
        RBO_W,
        SPEARMAN,
    )
}

__all__ = ["CORRECTIONS", "CORRELATIONS", "EFFECTS", "FAMILY_TESTS", "INTERVALS", "TESTS"]
