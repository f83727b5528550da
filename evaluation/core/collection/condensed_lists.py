"""Scores of the condensed rankings beside the plain ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from campaigns.core.cards import Card
from evaluation.core.collection.inputs import PooledCollection
from evaluation.core.comparison.estimate import ComparisonEstimate, nan_to_none
from evaluation.core.comparison.rank_drop import RankDrop, find_largest_drop
from evaluation.core.disagreement.rankings import (
    choose_tau_ap,
    competition_ranks_or_none,
    ranking_coefficients,
)
from evaluation.core.judgments import Floats
from evaluation.core.measures.family import Measure

CARD = Card(
    name="condensed",
    title="Condensed rankings beside plain ones",
    formula="condensed = the measure with `list=condensed`: documents without a judgment are "
    "taken out of the ranking, the others move up; gap = condensed − plain",
    reading="How much of a run's score is lost to documents that nobody judged: where runs out of "
    "the pool gain much more than pooled ones, the pool is biased against them.",
    source="Sakai, SIGIR 2007.",
    range="as the measure",
    edge_cases=(
        "bpref and its kin skip what is not judged anyway: their gap is 0.",
        "A gap is no estimate of what the documents are worth: it takes them for average ones.",
        (
            "tau-b, tau_AP, rank-biased overlap and the largest drop compare the plain ranking of "
            "all runs with the condensed one. tau_AP is tau-ap-a, or where runs tie tau-ap-b."
        ),
    ),
    undefined="the measure has no such list; the coefficients: see comparison.md.",
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
    """One measure; ``runs`` by gap, the largest first. The means are over runs that were
    pooled and over those that were not.
    """

    measure: str
    runs: tuple[CondensedGap, ...]
    mean_gap_pooled: float | None
    mean_gap_others: float | None
    coefficients: dict[str, ComparisonEstimate]
    drop: RankDrop | None


def compare_condensed(
    found: PooledCollection, measures: Sequence[Measure]
) -> list[CondensedComparison]:
    """For each measure that can be taken of the condensed ranking."""
    able = [measure for measure in measures if "list" in measure.family.modifiers]
    plain = found.figures([set_list_modifier(measure, "full") for measure in able])
    short = found.figures([set_list_modifier(measure, "condensed") for measure in able])
    columns = zip(able, plain.T, short.T, strict=True)
    return [_condense_measure(found, measure, *both) for measure, *both in columns]


def set_list_modifier(measure: Measure, value: str) -> Measure:
    """The same measure of the full or the condensed ranking."""
    others = {name: given for name, given in measure.params if name != "list"}
    chosen = others if value == "full" else others | {"list": value}
    return replace(measure, params=tuple(sorted(chosen.items())))


def _condense_measure(
    found: PooledCollection, measure: Measure, plain: Floats, short: Floats
) -> CondensedComparison:
    ranks, after = competition_ranks_or_none(plain), competition_ranks_or_none(short)
    pooled = found.is_pooled.tolist()
    rows = [
        CondensedGap(
            run=tag,
            pooled=pooled[at],
            plain=nan_to_none(plain[at]),
            condensed=nan_to_none(short[at]),
            gap=nan_to_none(short[at] - plain[at]),
            rank=ranks[at],
            rank_condensed=after[at],
        )
        for at, tag in enumerate(found.tags)
    ]
    first, second = (dict(zip(found.tags, c.tolist(), strict=True)) for c in (plain, short))
    return CondensedComparison(
        measure=set_list_modifier(measure, "full").name,
        runs=tuple(sorted(rows, key=lambda row: (-round(row.gap or 0.0, 12), row.run))),
        mean_gap_pooled=_mean([row.gap for row in rows if row.pooled]),
        mean_gap_others=_mean([row.gap for row in rows if not row.pooled]),
        coefficients=ranking_coefficients(plain, short, choose_tau_ap(plain)),
        drop=find_largest_drop(first, second),
    )


def _mean(gaps: Sequence[float | None]) -> float | None:
    known = [gap for gap in gaps if gap is not None]
    return sum(known) / len(known) if known else None
