"""Effect sizes of two runs on the same topics."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from poolbench.cards import Card
from poolbench.evaluation.comparison.paired_values import (
    SAME,
    TOO_FEW,
    is_constant_row,
    select_common_topics,
    subtract_without_noise,
)
from poolbench.statistics.draws import Floats
from poolbench.statistics.estimate import Estimate, nan_to_none

FLAT = "the values in the divisor do not vary over topics"


@dataclass(frozen=True)
class WinLossTie:
    """Number of topics on which the first run is better, worse, or equal."""

    wins: int
    losses: int
    ties: int


@dataclass(frozen=True, kw_only=True)
class EffectSize(Card):
    """A selectable effect size; ``compute`` takes both runs' values, without NaN."""

    compute: Callable[[Floats, Floats], Estimate]
    expected: float
    working: str

    def of_pair(self, first: Floats, second: Floats) -> Estimate:
        """The effect size of two runs; topics with NaN for either are left out."""
        first, second = select_common_topics(first, second)
        if len(first) < 2:
            return Estimate(None, len(first), why=TOO_FEW)
        return self.compute(first, second)


def count_wins_and_losses(first: Floats, second: Floats) -> WinLossTie:
    """Wins, losses and ties over the topics with values for both runs."""
    differences = subtract_without_noise(*select_common_topics(first, second))
    wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
    return WinLossTie(wins, losses, len(differences) - wins - losses)


def mean_difference(first: Floats, second: Floats) -> Estimate:
    return Estimate(float(subtract_without_noise(first, second).mean()), len(first))


def d_z(first: Floats, second: Floats) -> Estimate:
    """Mean difference in standard deviations of the differences."""
    value = standardize_differences(subtract_without_noise(first, second)[None, :])[0]
    return Estimate(nan_to_none(value), len(first), why=SAME if np.isnan(value) else None)


def standardize_differences(differences: Floats) -> Floats:
    """Mean over standard deviation of each row; 0 for zeros, NaN for other constant rows."""
    answer = np.where(differences.any(axis=1), np.nan, 0.0)
    spread = differences.std(axis=1, ddof=1)
    np.divide(differences.mean(axis=1), spread, out=answer, where=~is_constant_row(differences))
    return answer


def g_z(first: Floats, second: Floats) -> Estimate:
    """``d_z`` corrected for the bias of small samples."""
    from scipy.special import gammaln

    plain, df = d_z(first, second), len(first) - 1
    if plain.value is None or df < 2:
        return Estimate(
            None, plain.n, why=plain.why or "the bias correction needs at least three topics"
        )
    factor = np.exp(gammaln(df / 2) - gammaln((df - 1) / 2)) / np.sqrt(df / 2)
    return Estimate(plain.value * float(factor), plain.n)


def d_av(first: Floats, second: Floats) -> Estimate:
    """Mean difference over the pooled standard deviation of the two runs."""
    return _over(first, second, np.sqrt((first.var(ddof=1) + second.var(ddof=1)) / 2))


def glass_delta(first: Floats, second: Floats) -> Estimate:
    """Mean difference over the standard deviation of the second run, the baseline."""
    return _over(first, second, second.std(ddof=1))


def _over(first: Floats, second: Floats, spread: float) -> Estimate:
    difference = float(subtract_without_noise(first, second).mean())
    largest = max(np.abs(first).max(), np.abs(second).max())
    if spread <= 1e-12 * largest:
        return Estimate(None, len(first), why=FLAT)
    return Estimate(difference / float(spread), len(first))


def probability_of_superiority(first: Floats, second: Floats) -> Estimate:
    """Proportion of topics won, ties counting half."""
    balance = count_wins_and_losses(first, second)
    return Estimate((balance.wins + balance.ties / 2) / len(first), len(first))


def cliff_delta(first: Floats, second: Floats) -> Estimate:
    """P(first > second) − P(first < second) for values of any two topics."""
    ordered = np.sort(second)
    below = np.searchsorted(ordered, first, side="left")
    above = len(second) - np.searchsorted(ordered, first, side="right")
    return Estimate(float((below - above).sum()) / (len(first) * len(second)), len(first))


_BOOK = "the ten queries of Croft, Metzler & Strohman, table 8.6"

EFFECTS: dict[str, EffectSize] = {
    effect.name: effect
    for effect in (
        EffectSize(
            name="difference",
            title="Mean difference",
            formula="mean(first − second)",
            reading="The quantity that is tested, in units of the measure; shown with its "
            "confidence interval.",
            source="–",
            range="that of the measure",
            undefined="fewer than two topics.",
            compute=mean_difference,
            expected=21.4,
            working=f"{_BOOK}, who give 21.4",
        ),
        EffectSize(
            name="d_z",
            title="Cohen's d of the differences",
            formula="mean(d) / s(d), d the differences by topic, s with n − 1",
            reading="The mean difference in standard deviations of the differences, which "
            "determines the power of a paired test. d_z = t / √n.",
            source="Cohen 1988.",
            range="any number; 0 for no difference",
            edge_cases=("All differences 0: 0.",),
            undefined="fewer than two topics; all topics have the same non-zero difference.",
            compute=d_z,
            expected=0.7358,
            working=f"{_BOOK}: 21.4 / 29.08 (they give 29.1)",
        ),
        EffectSize(
            name="g_z",
            title="Hedges' g of the differences",
            formula="J(n − 1) · d_z, J(f) = Γ(f/2) / (√(f/2) · Γ((f − 1)/2))",
            reading="d_z without its small-sample bias, which overestimates effects on few topics.",
            source="Hedges 1981.",
            range="any number; 0 for no difference",
            undefined="fewer than three topics; all topics have the same non-zero difference.",
            compute=g_z,
            expected=0.6725,
            working=f"{_BOOK}: J(9) = 0.9139",
        ),
        EffectSize(
            name="d_av",
            title="Cohen's d, pooled",
            formula="mean(d) / √((s²(first) + s²(second)) / 2)",
            reading="The mean difference in standard deviations of the runs over topics: "
            "does not increase with the similarity of the runs.",
            source="Cohen 1988; Cumming 2012.",
            range="any number; 0 for no difference",
            undefined="fewer than two topics; both runs have constant values.",
            compute=d_av,
            expected=1.0405,
            working=f"{_BOOK}: variances 534.06 and 311.88",
        ),
        EffectSize(
            name="glass",
            title="Glass's Δ",
            formula="mean(d) / s(second)",
            reading="The mean difference in standard deviations of the second run, the baseline.",
            source="Glass 1976.",
            range="any number; 0 for no difference",
            undefined="fewer than two topics; the second run has constant values.",
            compute=glass_delta,
            expected=1.2118,
            working=f"{_BOOK}: 21.4 / √311.88",
        ),
        EffectSize(
            name="superiority",
            title="Probability of superiority",
            formula="(wins + ties / 2) / n",
            reading="Probability that the first run is better on a topic, ties counting half.",
            source="Grissom and Kim 2012, probability of superiority for dependent groups.",
            edge_cases=("0.5 means no difference.",),
            undefined="fewer than two topics.",
            compute=probability_of_superiority,
            expected=0.75,
            working=f"{_BOOK}: 7 wins, 2 losses, 1 tie",
        ),
        EffectSize(
            name="cliff",
            title="Cliff's delta",
            formula="(#(first_i > second_j) − #(first_i < second_j)) / n², over all topics i and j",
            reading="How far the two runs' values differ as unpaired samples, ignoring which topic "
            "a value belongs to; most of the variation over topics remains in it.",
            source="Cliff 1993.",
            range="-1 to 1; 0 for no difference",
            undefined="fewer than two topics.",
            compute=cliff_delta,
            expected=0.56,
            working=f"{_BOOK}: 76 of 100 pairs above, 20 below",
        ),
    )
}
