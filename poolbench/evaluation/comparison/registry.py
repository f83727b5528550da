"""The registries of tests, corrections and coefficients, by name."""

from __future__ import annotations

from poolbench.evaluation.comparison.corrections import (
    BENJAMINI_HOCHBERG,
    BONFERRONI,
    HOLM,
    NONE,
    MultipleTestCorrection,
)
from poolbench.evaluation.comparison.effect import EFFECTS
from poolbench.evaluation.comparison.family import FamilyTest
from poolbench.evaluation.comparison.interval import INTERVALS
from poolbench.evaluation.comparison.paired_tests import PairedTest
from poolbench.evaluation.comparison.randomisation import RANDOMISATION
from poolbench.evaluation.comparison.randomised_tukey import RANDOMISED_TUKEY
from poolbench.evaluation.comparison.rank_correlation import SPEARMAN, TAU_B, RankCorrelation
from poolbench.evaluation.comparison.rbo import RBO_A, RBO_B, RBO_W
from poolbench.evaluation.comparison.shift_bootstrap import BOOTSTRAP
from poolbench.evaluation.comparison.sign import SIGN
from poolbench.evaluation.comparison.student import T
from poolbench.evaluation.comparison.tau_ap import TAU_AP, TAU_AP_A, TAU_AP_B
from poolbench.evaluation.comparison.tukey import TUKEY
from poolbench.evaluation.comparison.wilcoxon import WILCOXON

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
