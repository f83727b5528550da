"""Scores of condensed lists compared with those of the full rankings."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from poolbench.cards import Card
from poolbench.evaluation.comparison.rank_drop import RankDrop, find_largest_drop
from poolbench.evaluation.judgments import Floats
from poolbench.evaluation.measures.family import Measure
from poolbench.reliability.collection.inputs import PooledCollection
from poolbench.reliability.disagreement.rankings import (
    choose_tau_ap,
    competition_ranks_or_none,
    ranking_coefficients,
)
from poolbench.statistics.estimate import Estimate, mean_or_none, nan_to_none

CARD = Card(
    name="condensed",
    title="Condensed lists",
    formula="condensed = the measure with `list=condensed`: unjudged documents are removed from "
    "the ranking and the others move up; gap = condensed − plain",
    reading="How much of a run's score is lost to unjudged documents. If non-contributing runs "
    "gain much more than contributing ones, the pool is biased against them.",
    source="Sakai, SIGIR 2007.",
    range="as the measure",
    edge_cases=(
        "bpref and its variants ignore unjudged documents: their gap is 0.",
        "The gap treats unjudged documents as average ones; it does not estimate their relevance.",
        (
            "tau-b, tau_AP, rank-biased overlap and the largest drop compare the plain ranking of "
            "all runs with the condensed one. tau_AP is tau-ap-a, or tau-ap-b if runs are tied."
        ),
    ),
    undefined="the measure has no condensed form; the coefficients: see comparison.md.",
)


@dataclass(frozen=True)
class CondensedGap:
    run: str
    pooled: bool
    plain: float | None
    condensed: float | None
    gap: float | None
    rank: int | None
    rank_condensed: int | None


@dataclass(frozen=True)
class CondensedComparison:
    """One measure; ``runs`` by gap, largest first. The means are over contributing runs and
    over the others.
    """

    measure: str
    runs: tuple[CondensedGap, ...]
    mean_gap_pooled: float | None
    mean_gap_others: float | None
    coefficients: dict[str, Estimate]
    drop: RankDrop | None


def compare_condensed(
    collection: PooledCollection, measures: Sequence[Measure]
) -> list[CondensedComparison]:
    """One comparison per measure that has a condensed form."""
    supported = [measure for measure in measures if "list" in measure.family.modifiers]
    plain = collection.score([set_list_modifier(measure, "full") for measure in supported])
    condensed = collection.score([set_list_modifier(measure, "condensed") for measure in supported])
    columns = zip(supported, plain.T, condensed.T, strict=True)
    return [_condense_measure(collection, measure, *both) for measure, *both in columns]


def set_list_modifier(measure: Measure, value: str) -> Measure:
    """The same measure on the full ranking or the condensed list."""
    others = {name: setting for name, setting in measure.params if name != "list"}
    params = others if value == "full" else others | {"list": value}
    return replace(measure, params=tuple(sorted(params.items())))


def _condense_measure(
    collection: PooledCollection, measure: Measure, plain: Floats, condensed: Floats
) -> CondensedComparison:
    ranks, after = competition_ranks_or_none(plain), competition_ranks_or_none(condensed)
    pooled = collection.is_pooled.tolist()
    scores = [map(nan_to_none, column) for column in (plain, condensed, condensed - plain)]
    columns = zip(collection.tags, pooled, *scores, ranks, after, strict=True)
    rows = [CondensedGap(*row) for row in columns]
    return CondensedComparison(
        measure=set_list_modifier(measure, "full").name,
        runs=tuple(sorted(rows, key=lambda row: (-round(row.gap or 0.0, 12), row.run))),
        mean_gap_pooled=mean_or_none([row.gap for row in rows if row.pooled]),
        mean_gap_others=mean_or_none([row.gap for row in rows if not row.pooled]),
        coefficients=ranking_coefficients(plain, condensed, choose_tau_ap(plain)),
        drop=find_largest_drop(collection.tags, plain, condensed),
    )
