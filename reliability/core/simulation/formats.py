"""A simulation as aligned tables, CSV or JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from itertools import chain

from campaigns.core.csv_files import write_csv
from evaluation.core.comparison.formats import UNDEFINED, align_comparison_rows
from evaluation.core.comparison.rank_drop import RankDrop
from reliability.core.simulation.report import (
    BudgetPoint,
    FullQrelsAgreement,
    SeedRange,
    Simulation,
    SimulationFacts,
    SpecResult,
)

NOT_REACHED = "not reached"
Rows = list[tuple[str, ...]]
"""Cells of a table; the first row holds the headings."""

ORDER_NOTE = (
    "Budget: judged documents over all topics. Topics advance in rounds of one document each, in "
    "seeded hash order within a round; a method with one queue over all topics keeps its own "
    "order."
)
HOLES_NOTE = (
    "Hole: a document without a grade. It costs a judgment, counts as non-relevant, and stays "
    "out of the simulated qrels."
)
DROP_NOTE = "Largest drop: the most ranks that any run loses, and the run."


def simulation_to_json(simulation: Simulation) -> str:
    """The whole result; undefined is null with a reason."""
    return json.dumps(simulation.as_dict(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def simulation_to_csv(simulation: Simulation) -> str:
    """One line per spec, budget (empty: spec completed) and quantity, in full precision.

    ``run`` has the largest drop; undefined is an empty value.
    """
    head = ("spec", "budget", "measure", "figure", "mean", "low", "high", "seeds", "run")
    rows = chain.from_iterable(map(_csv_rows, simulation.specs))
    return write_csv("simulation", head, rows, asdict(simulation.facts))


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
        for measure, agreement in point.rankings.items():
            yield row(point.budget, measure, "tau_b", agreement.tau_b)
            yield row(point.budget, measure, "tau_ap", agreement.tau_ap)
            tag = agreement.worst.tag if agreement.worst else ""
            yield row(point.budget, measure, "largest_drop", agreement.drop, tag)
    for figure in ("judged", "relevant", "holes"):
        yield row(None, "", figure, getattr(spec, figure))
    for effort in spec.efforts:
        yield row(None, "", f"judgments_to_{effort.percent}", effort.total)
        yield row(None, "", f"judgments_a_topic_to_{effort.percent}", effort.by_topic)
        yield row(None, "", f"topics_that_reach_{effort.percent}", effort.reached)


def simulation_to_table(simulation: Simulation) -> str:
    """Specs, relevant documents by budget, effort, and rankings."""
    parts = [
        f"{format_simulation_facts(simulation.facts)}\n{ORDER_NOTE}\n{HOLES_NOTE}\n{DROP_NOTE}\n",
        align_comparison_rows(spec_rows(simulation)),
        align_comparison_rows(discovery_rows(simulation)),
        align_comparison_rows(effort_rows(simulation)),
        *(
            f"{name}:\n{align_comparison_rows(ranking_rows(simulation, name))}"
            for name in simulation.measures
        ),
    ]
    return "\n".join(parts)


def format_simulation_facts(facts: SimulationFacts) -> str:
    seeds = "1 seed" if facts.seeds == 1 else f"{facts.seeds} seeds: mean (minimum to maximum)"
    return (
        f"{facts.runs:,} runs, {facts.pooled:,} contributing; {facts.topics:,} topics, "
        f"{facts.judged:,} judged pairs, {facts.relevant:,} relevant (grade {facts.level} or "
        f"higher); {seeds}."
    )


def spec_rows(simulation: Simulation) -> Rows:
    rows: Rows = [("spec", "steps", "runs", "judgments", "relevant", "holes")]
    for spec in simulation.specs:
        sizes = (
            format_mean_count(spec.judged),
            format_mean_count(spec.relevant),
            format_mean_count(spec.holes),
        )
        rows.append((spec.name, spec.steps, str(spec.runs), *sizes))
    return rows


def align_specs_by_budget(simulation: Simulation) -> Iterator[tuple[SpecResult, BudgetPoint]]:
    """All specs at each budget."""
    for at in range(len(simulation.budgets)):
        for spec in simulation.specs:
            yield spec, spec.points[at]


def discovery_rows(simulation: Simulation) -> Rows:
    rows: Rows = [("budget", "spec", "judgments", "relevant", "share", "holes")]
    for spec, point in align_specs_by_budget(simulation):
        share = format_range(point.share, lambda value: f"{100 * value:.1f} %")
        counts = (
            format_mean_count(point.spent),
            format_mean_count(point.relevant),
            share,
            format_mean_count(point.holes),
        )
        rows.append((f"{point.budget:,}", spec.name, *counts))
    return rows


def effort_rows(simulation: Simulation) -> Rows:
    rows: Rows = [("relevant found", "spec", "judgments", "judgments per topic", "topics reached")]
    for at, effort in enumerate(simulation.specs[0].efforts):
        for spec in simulation.specs:
            own = spec.efforts[at]
            needed = (format_mean_count(value, NOT_REACHED) for value in (own.total, own.by_topic))
            cells = (*needed, format_mean_count(own.reached))
            rows.append((f"{effort.percent} %", spec.name, *cells))
    return rows


def ranking_rows(simulation: Simulation, measure: str) -> Rows:
    rows: Rows = [
        ("budget", "spec", "tau-b", simulation.facts.tau_ap[measure], "largest drop", "run")
    ]
    for spec, point in align_specs_by_budget(simulation):
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
    """A number, with one decimal unless it is an integer."""
    return format_range(value, lambda number: f"{number:,.1f}".removesuffix(".0"), undefined)


def format_decimal(value: SeedRange) -> str:
    return format_range(value, lambda number: f"{number:.4f}")


def format_range(
    value: SeedRange, write: Callable[[float], str], undefined: str = UNDEFINED
) -> str:
    """The mean, with minimum and maximum if the seeds differ."""
    if value.mean is None or value.low is None or value.high is None:
        return undefined
    mean, low, high = write(value.mean), write(value.low), write(value.high)
    return mean if value.is_one else f"{mean} ({low} to {high})"


FORMATS: dict[str, Callable[[Simulation], str]] = {
    "table": simulation_to_table,
    "csv": simulation_to_csv,
    "json": simulation_to_json,
}
