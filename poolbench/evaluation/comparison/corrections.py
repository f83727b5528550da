"""Multiple-comparison corrections of p values."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from poolbench.cards import Card
from poolbench.statistics.draws import Floats


@dataclass(frozen=True, kw_only=True)
class MultipleTestCorrection(Card):
    """A selectable correction. ``ascending`` maps sorted p values to adjusted ones."""

    ascending: Callable[[Floats], Floats]
    examples: tuple[tuple[tuple[float, ...], tuple[float, ...], str], ...] = ()

    def adjust(self, p_values: Floats) -> Floats:
        """Adjusted p values in the given order; NaN stays NaN and is not counted."""
        adjusted = np.array(p_values, np.float64)
        places = np.flatnonzero(~np.isnan(adjusted))
        order = places[np.argsort(adjusted[places], kind="stable")]
        adjusted[order] = np.minimum(self.ascending(adjusted[order]), 1.0)
        return adjusted


def correct_holm(p_values: Floats) -> Floats:
    """The running maximum of m·p, (m − 1)·p, …, m the number of p values."""
    stepped: Floats = np.maximum.accumulate(p_values * np.arange(len(p_values), 0, -1))
    return stepped


def correct_benjamini_hochberg(p_values: Floats) -> Floats:
    """The minimum of m/i · p from rank i upwards."""
    m = len(p_values)
    shares = p_values * m / np.arange(1, m + 1)
    stepped: Floats = np.minimum.accumulate(shares[::-1])[::-1]
    return stepped


_FOUR = (0.01, 0.04, 0.03, 0.005)
_BH_1995 = (
    *(0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344),
    *(0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0),
)
_MANY = "Undefined p values stay undefined and are not counted in m."

NONE = MultipleTestCorrection(
    name="none",
    title="No correction",
    formula="p unchanged",
    reading="For a single preregistered pair; of twenty pairs of equal runs, one is "
    "expected to be significant at α = 0.05.",
    source="–",
    ascending=lambda p_values: p_values,
    examples=((_FOUR, _FOUR, "unchanged"),),
)

BONFERRONI = MultipleTestCorrection(
    name="bonferroni",
    title="Bonferroni",
    formula="min(1, m · p), m the number of pairs",
    reading="Controls the family-wise error rate: the probability of any false positive is "
    "at most α.",
    source="Bonferroni 1936; Dunn 1961.",
    edge_cases=("Never rejects more than Holm, with the same guarantee.", _MANY),
    ascending=lambda p_values: p_values * len(p_values),
    examples=((_FOUR, (0.04, 0.16, 0.12, 0.02), "worked by hand"),),
)

HOLM = MultipleTestCorrection(
    name="holm",
    title="Holm",
    formula="p ascending, the i-th becomes max over j ≤ i of min(1, (m − j + 1) · p_j)",
    reading="Controls the family-wise error rate at α, and rejects at least what Bonferroni "
    "rejects.",
    source="Holm 1979.",
    edge_cases=("Makes no assumption about the dependence of the tests.", _MANY),
    ascending=correct_holm,
    examples=((_FOUR, (0.03, 0.06, 0.06, 0.02), "worked by hand: 4·0.005, 3·0.01, 2·0.03"),),
)

BENJAMINI_HOCHBERG = MultipleTestCorrection(
    name="bh",
    title="Benjamini–Hochberg",
    formula="p ascending, the i-th becomes min over j ≥ i of min(1, m/j · p_j)",
    reading="Controls the false discovery rate: the expected proportion of false positives among "
    "the significant pairs is at most α; more powerful than Holm, with a weaker guarantee.",
    source="Benjamini and Hochberg 1995.",
    edge_cases=(
        (
            "Proven for independent or positively dependent tests; pairs that share "
            "a run are in general neither."
        ),
        _MANY,
    ),
    ascending=correct_benjamini_hochberg,
    examples=(
        (
            _BH_1995,
            (
                *(0.0015, 0.003, 0.0095, 0.035625, 0.0603, 0.06385714, 0.06385714, 0.0645),
                *(0.0765, 0.486, 0.58118182, 0.714875, 0.75323077, 0.81321429, 1.0),
            ),
            (
                "the fifteen p values of Benjamini and Hochberg 1995: four are ≤ 0.05, "
                "three with Bonferroni"
            ),
        ),
    ),
)

CORRECTIONS: dict[str, MultipleTestCorrection] = {
    correction.name: correction for correction in (HOLM, BONFERRONI, BENJAMINI_HOCHBERG, NONE)
}
