"""Discriminative power: how well a measure distinguishes runs."""

from dataclasses import dataclass

from poolbench.cards import Card
from poolbench.evaluation.comparison.compare import Comparisons

NO_PAIR = "no pair of runs has a p value"


@dataclass(frozen=True)
class DiscriminativePower:
    """``different`` of ``pairs`` differ significantly; ``undefined`` pairs count as not
    significant.

    ``curve`` is the achieved significance levels: adjusted p values of all pairs that have one,
    in descending order. ``needed`` is the difference of means above which every pair is
    significant: the largest difference among pairs that are not (0 if all are), or the critical
    difference of Tukey's HSD.
    """

    share: float | None
    different: int
    pairs: int
    undefined: int
    needed: float | None
    curve: tuple[float, ...]
    reason: str | None = None


def discriminative_power(compared: Comparisons) -> DiscriminativePower:
    """The discriminative power of the measure in ``compared``, under its test, correction and
    alpha."""
    p_values = [row.adjusted for row in compared.rows if row.adjusted is not None]
    undefined = len(compared.rows) - len(p_values)
    if not p_values:
        return DiscriminativePower(None, 0, len(compared.rows), undefined, None, (), NO_PAIR)
    different = len(compared.different)
    return DiscriminativePower(
        share=different / len(compared.rows),
        different=different,
        pairs=len(compared.rows),
        undefined=undefined,
        needed=_needed(compared),
        curve=tuple(sorted(p_values, reverse=True)),
    )


def _needed(compared: Comparisons) -> float:
    if compared.critical is not None:
        return compared.critical
    differences = [abs(row.difference or 0.0) for row in compared.rows if not row.different]
    return max(differences, default=0.0)


CARD = Card(
    name="discriminative-power",
    title="Discriminative power",
    formula="pairs of runs with adjusted p ≤ α / all pairs of runs",
    reading="The proportion of run pairs for which the measure shows a significant difference "
    "on these topics; higher means more consistent over topics, not more valid.",
    source="Sakai, SIGIR 2006 (there with the bootstrap test at α = 0.05 and no correction).",
    edge_cases=(
        (
            "The curve of achieved significance levels shows the p values of all pairs in "
            "descending order: the lower the curve, the more discriminative the measure at any α."
        ),
        (
            "The difference needed is the largest difference of means among pairs that are not "
            "significantly different; for Tukey's HSD its critical difference. Sakai uses, over "
            "all pairs, the largest difference that the bootstrap would need."
        ),
        "Pairs without a p value count as not significant.",
    ),
    undefined="no pair has a p value.",
)
