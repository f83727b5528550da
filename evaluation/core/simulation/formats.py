"""Write a simulation as aligned tables, as CSV or as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence

from evaluation.core.comparison.formats import UNDEFINED, align_comparison_rows
from evaluation.core.comparison.rank_drop import RankDrop
from evaluation.core.disagreement.formats import write_csv_rows
from evaluation.core.simulation.report import (
    BudgetPoint,
    FullQrelsAgreement,
    SeedRange,
    Simulation,
    SimulationFacts,
    SpecResult,
)

NOT_REACHED = "not reached"
Rows = list[tuple[str, ...]]
"""Texts of a table; the first row are its heads."""

ORDER_TOLD = (
    "A budget counts documents of all topics together; every topic advances alike, round by "
    "round its next document, in seeded hash order within a round; one queue over all topics "
    "keeps its own order."
)
HOLES_TOLD = (
    "A document without a grade (a hole) costs a judgment, counts as not relevant, and stays "
    "out of the qrels that would exist."
)
DROP_TOLD = "Largest drop: the places that any run falls at most, and the run."


def simulation_to_json(found: Simulation) -> str:
    """The whole result; undefined is null with a reason."""
    return json.dumps(found.as_dict(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def simulation_to_csv(found: Simulation) -> str:
    """A line a spec, budget (empty: when the spec is done) and figure, in full precision.

    ``run`` has fallen most; undefined is an empty value.
    """
    head = ("spec", "budget", "measure", "figure", "mean", "low", "high", "seeds", "run")
    return write_csv_rows([head, *(row for spec in found.specs for row in _csv_rows(spec))])


def _csv_rows(spec: SpecResult) -> Iterator[Sequence[object]]:
    def row(
        budget: int | None, measure: str, figure: str, value: SeedRange, run: str = ""
    ) -> Sequence[object]:
        return (
            *(spec.name, budget, measure, figure),
            *(value.mean, value.low, value.high, value.n, run),
        )

    for point in spec.points:
        for figure in ("spent", "relevant", "share", "holes"):
            yield row(point.budget, "", figure, getattr(point, figure))
        for measure, found in point.rankings.items():
            yield row(point.budget, measure, "tau_b", found.tau_b)
            yield row(point.budget, measure, "tau_ap", found.tau_ap)
            tag = found.worst.tag if found.worst else ""
            yield row(point.budget, measure, "largest_drop", found.drop, tag)
    for figure in ("judged", "relevant", "holes"):
        yield row(None, "", figure, getattr(spec, figure))
    for effort in spec.efforts:
        yield row(None, "", f"judgments_to_{effort.percent}", effort.total)
        yield row(None, "", f"judgments_a_topic_to_{effort.percent}", effort.by_topic)
        yield row(None, "", f"topics_that_reach_{effort.percent}", effort.reached)


def simulation_to_table(found: Simulation) -> str:
    """What was simulated, what was found at each budget, the effort, and the rankings."""
    parts = [
        f"{format_simulation_facts(found.facts)}\n{ORDER_TOLD}\n{HOLES_TOLD}\n{DROP_TOLD}\n",
        align_comparison_rows(spec_rows(found)),
        align_comparison_rows(discovery_rows(found)),
        align_comparison_rows(effort_rows(found)),
        *(
            f"{name}:\n{align_comparison_rows(ranking_rows(found, name))}"
            for name in found.measures
        ),
    ]
    return "\n".join(parts)


def format_simulation_facts(facts: SimulationFacts) -> str:
    seeds = "1 seed" if facts.seeds == 1 else f"{facts.seeds} seeds, mean (lowest to highest)"
    return (
        f"{facts.runs} runs scored, {facts.pooled} of them may feed the pool; {facts.topics} "
        f"topics, {facts.judged:,} judged pairs, {facts.relevant:,} relevant from grade "
        f"{facts.level} on; {seeds}."
    )


def spec_rows(found: Simulation) -> Rows:
    rows: Rows = [("spec", "steps", "runs", "judgments", "relevant", "holes")]
    for spec in found.specs:
        sizes = (
            format_mean_count(spec.judged),
            format_mean_count(spec.relevant),
            format_mean_count(spec.holes),
        )
        rows.append((spec.name, spec.steps, str(spec.runs), *sizes))
    return rows


def align_specs_by_budget(found: Simulation) -> Iterator[tuple[SpecResult, BudgetPoint]]:
    """Specs side by side at each budget."""
    for at in range(len(found.budgets)):
        for spec in found.specs:
            yield spec, spec.points[at]


def discovery_rows(found: Simulation) -> Rows:
    rows: Rows = [("budget", "spec", "judgments", "relevant", "share", "holes")]
    for spec, point in align_specs_by_budget(found):
        share = format_range(point.share, lambda value: f"{100 * value:.1f} %")
        counts = (
            format_mean_count(point.spent),
            format_mean_count(point.relevant),
            share,
            format_mean_count(point.holes),
        )
        rows.append((f"{point.budget:,}", spec.name, *counts))
    return rows


def effort_rows(found: Simulation) -> Rows:
    rows: Rows = [
        ("relevant found", "spec", "judgments in all", "a topic", "topics that get there")
    ]
    for at, effort in enumerate(found.specs[0].efforts):
        for spec in found.specs:
            own = spec.efforts[at]
            needed = (format_mean_count(value, NOT_REACHED) for value in (own.total, own.by_topic))
            cells = (*needed, format_mean_count(own.reached))
            rows.append((f"{effort.percent} %", spec.name, *cells))
    return rows


def ranking_rows(found: Simulation, measure: str) -> Rows:
    rows: Rows = [("budget", "spec", "tau-b", found.facts.tau_ap[measure], "largest drop", "run")]
    for spec, point in align_specs_by_budget(found):
        own: FullQrelsAgreement = point.rankings[measure]
        taus = (format_decimal(own.tau_b), format_decimal(own.tau_ap))
        rows.append(
            (
                f"{point.budget:,}",
                spec.name,
                *taus,
                format_mean_count(own.drop),
                format_dropped_run(own.worst),
            )
        )
    return rows


def format_dropped_run(drop: RankDrop | None) -> str:
    return f"{drop.tag} {drop.before} to {drop.after}" if drop else "none"


def format_mean_count(value: SeedRange, undefined: str = UNDEFINED) -> str:
    """A number, to one decimal where it is not whole."""
    return format_range(value, lambda number: f"{number:,.1f}".removesuffix(".0"), undefined)


def format_decimal(value: SeedRange) -> str:
    return format_range(value, lambda number: f"{number:.4f}")


def format_range(
    value: SeedRange, write: Callable[[float], str], undefined: str = UNDEFINED
) -> str:
    """The mean, and the lowest and highest where chance makes a difference."""
    if value.mean is None or value.low is None or value.high is None:
        return undefined
    mean, low, high = write(value.mean), write(value.low), write(value.high)
    return mean if value.is_one else f"{mean} ({low} to {high})"


FORMATS: dict[str, Callable[[Simulation], str]] = {
    "table": simulation_to_table,
    "csv": simulation_to_csv,
    "json": simulation_to_json,
}
