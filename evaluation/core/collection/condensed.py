"""Scores of the condensed rankings beside the plain ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from campaigns.core.cards import Card
from evaluation.core.collection.laid import Collection
from evaluation.core.comparison.drop import Drop, largest_drop
from evaluation.core.comparison.estimate import Estimate, or_none
from evaluation.core.disagreement.rankings import coefficients_of, places_of, tau_ap_for
from evaluation.core.judged import Floats
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
class Gap:
    run: str
    pooled: bool
    plain: float | None
    condensed: float | None
    gap: float | None
    rank: int | None
    rank_condensed: int | None


@dataclass(frozen=True)
class Condensed:
    """One measure; ``runs`` by gap, the largest first. The means are over runs that were
    pooled and over those that were not.
    """

    measure: str
    runs: tuple[Gap, ...]
    mean_gap_pooled: float | None
    mean_gap_others: float | None
    coefficients: dict[str, Estimate]
    drop: Drop | None


def condensed(found: Collection, measures: Sequence[Measure]) -> list[Condensed]:
    """For each measure that can be taken of the condensed ranking."""
    able = [measure for measure in measures if "list" in measure.family.modifiers]
    plain = found.figures([with_list(measure, "full") for measure in able])
    short = found.figures([with_list(measure, "condensed") for measure in able])
    columns = zip(able, plain.T, short.T, strict=True)
    return [_condensed(found, measure, *both) for measure, *both in columns]


def with_list(measure: Measure, value: str) -> Measure:
    """The same measure of the full or the condensed ranking."""
    others = {name: given for name, given in measure.params if name != "list"}
    chosen = others if value == "full" else others | {"list": value}
    return replace(measure, params=tuple(sorted(chosen.items())))


def _condensed(found: Collection, measure: Measure, plain: Floats, short: Floats) -> Condensed:
    ranks, after = places_of(plain), places_of(short)
    pooled = found.is_pooled.tolist()
    rows = [
        Gap(
            run=tag,
            pooled=pooled[at],
            plain=or_none(plain[at]),
            condensed=or_none(short[at]),
            gap=or_none(short[at] - plain[at]),
            rank=ranks[at],
            rank_condensed=after[at],
        )
        for at, tag in enumerate(found.tags)
    ]
    first, second = (dict(zip(found.tags, c.tolist(), strict=True)) for c in (plain, short))
    return Condensed(
        measure=with_list(measure, "full").name,
        runs=tuple(sorted(rows, key=lambda row: (-round(row.gap or 0.0, 12), row.run))),
        mean_gap_pooled=_mean([row.gap for row in rows if row.pooled]),
        mean_gap_others=_mean([row.gap for row in rows if not row.pooled]),
        coefficients=coefficients_of(plain, short, tau_ap_for(plain)),
        drop=largest_drop(first, second),
    )


def _mean(gaps: Sequence[float | None]) -> float | None:
    known = [gap for gap in gaps if gap is not None]
    return sum(known) / len(known) if known else None
