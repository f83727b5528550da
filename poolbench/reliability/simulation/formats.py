"""A simulation for the writers of ``poolbench.reports``."""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial

from poolbench.evaluation.comparison.rank_drop import format_rank_drop
from poolbench.reliability.simulation.figures import iter_simulation_charts
from poolbench.reliability.simulation.report import (
    BudgetPoint,
    SeedRange,
    Simulation,
    SimulationFacts,
    SpecResult,
)
from poolbench.reports.figures import make_figure
from poolbench.reports.report import UNDEFINED, Column, Report, Section, Table, make_columns
from poolbench.reports.writers import make_formats

NOT_REACHED = "not reached"
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
RECORD = ("spec", "budget", "measure", "figure", "mean", "low", "high", "seeds", "run")


def build_simulation_report(simulation: Simulation, subject: str = "") -> Report:
    """Specs, relevant documents by budget, effort, and rankings; ``subject`` names the campaign
    and the judgments. CSV has one line per spec, budget (empty: spec completed) and quantity;
    ``run`` has the largest drop.
    """
    facts = format_simulation_facts(simulation.facts)
    return Report(
        title="Pool simulation",
        sections=iter_simulation_sections(simulation),
        notes=(*filter(None, [subject]), facts, ORDER_NOTE, HOLES_NOTE, DROP_NOTE),
        conditions=asdict(simulation.facts),
        record=Table(
            "simulation",
            make_columns(*RECORD),
            (
                (spec.name, *key, value.mean, value.low, value.high, value.n, run)
                for spec in simulation.specs
                for *key, value, run in _list_ranges(spec)
            ),
        ),
        data=simulation.as_dict,
    )


def iter_simulation_sections(simulation: Simulation) -> Iterator[Section]:
    yield Section("Specs", (build_specs_table(simulation),))
    discovery = (build_discovery_table(simulation),)
    figures = map(make_figure, iter_simulation_charts(simulation))
    yield Section("Relevant documents found", discovery, figures=figures)
    title = "Judgments needed for a share of the known relevant documents"
    yield Section(title, (build_effort_table(simulation),))
    for name in simulation.measures:
        title = f"Ranking of all runs by {name}"
        figures = map(make_figure, iter_simulation_charts(simulation, name))
        yield Section(title, (build_ranking_table(simulation, name),), figures=figures)


def format_simulation_facts(facts: SimulationFacts) -> str:
    seeds = "1 seed" if facts.seeds == 1 else f"{facts.seeds} seeds: mean (minimum to maximum)"
    return (
        f"{facts.runs:,} runs, {facts.pooled:,} contributing; {facts.topics:,} topics, "
        f"{facts.judged:,} judged pairs, {facts.relevant:,} relevant (grade {facts.level} or "
        f"higher); {seeds}."
    )


def format_range(
    value: SeedRange, write: Callable[[float], str], undefined: str = UNDEFINED
) -> str:
    """The mean, with minimum and maximum if the seeds differ."""
    if value.mean is None or value.low is None or value.high is None:
        return undefined
    mean, low, high = write(value.mean), write(value.low), write(value.high)
    return mean if value.is_one else f"{mean} ({low} to {high})"


def format_mean_count(value: SeedRange, undefined: str = UNDEFINED) -> str:
    """A number, with one decimal unless it is an integer."""
    return format_range(value, lambda number: f"{number:,.1f}".removesuffix(".0"), undefined)


def format_decimal(value: SeedRange) -> str:
    return format_range(value, "{:.4f}".format)


def format_share(value: SeedRange) -> str:
    return format_range(value, lambda share: f"{100 * share:.1f} %")


BUDGET = (Column("budget", format="{:,}".format, left=True), Column("spec", left=True))


def build_specs_table(simulation: Simulation) -> Table:
    columns = (
        *make_columns("spec", "steps", left=True),
        Column("runs"),
        *make_columns("judgments", "relevant", "holes", show=format_mean_count),
    )
    rows = [
        (spec.name, spec.steps, spec.runs, spec.judged, spec.relevant, spec.holes)
        for spec in simulation.specs
    ]
    return Table("specs", columns, rows)


def align_specs_by_budget(simulation: Simulation) -> Iterator[tuple[SpecResult, BudgetPoint]]:
    for at in range(len(simulation.budgets)):
        for spec in simulation.specs:
            yield spec, spec.points[at]


def build_discovery_table(simulation: Simulation) -> Table:
    columns = (
        *BUDGET,
        *make_columns("judgments", "relevant", show=format_mean_count),
        Column("share", format=format_share),
        Column("holes", format=format_mean_count),
    )
    rows = [
        (point.budget, spec.name, point.spent, point.relevant, point.share, point.holes)
        for spec, point in align_specs_by_budget(simulation)
    ]
    return Table("discovery", columns, rows)


def build_effort_table(simulation: Simulation) -> Table:
    needed = partial(format_mean_count, undefined=NOT_REACHED)
    columns = (
        *make_columns("relevant found", show="{} %".format, left=True),
        *make_columns("spec", left=True),
        *make_columns("judgments", "judgments per topic", show=needed),
        Column("topics reached", format=format_mean_count),
    )
    rows = [
        (own.percent, spec.name, own.total, own.by_topic, own.reached)
        for at in range(len(simulation.specs[0].efforts))
        for spec in simulation.specs
        for own in [spec.efforts[at]]
    ]
    return Table("effort", columns, rows)


def build_ranking_table(simulation: Simulation, measure: str) -> Table:
    tau_ap = simulation.facts.tau_ap[measure]
    columns = (
        *BUDGET,
        *make_columns("tau-b", tau_ap, show=format_decimal),
        Column("largest drop", format=format_mean_count),
        Column("run", format=format_rank_drop, undefined="none"),
    )
    rows = [
        (point.budget, spec.name, own.tau_b, own.tau_ap, own.drop, own.worst)
        for spec, point in align_specs_by_budget(simulation)
        for own in [point.rankings[measure]]
    ]
    return Table("rankings", columns, rows, lead=f"{measure}:")


def _list_ranges(spec: SpecResult) -> Iterator[tuple[int | None, str, str, SeedRange, str]]:
    """Budget, measure, quantity, its values and the run of each line in CSV."""
    for point in spec.points:
        for figure in ("spent", "relevant", "share", "holes"):
            yield point.budget, "", figure, getattr(point, figure), ""
        for measure, agreement in point.rankings.items():
            yield point.budget, measure, "tau_b", agreement.tau_b, ""
            yield point.budget, measure, "tau_ap", agreement.tau_ap, ""
            tag = agreement.worst.tag if agreement.worst else ""
            yield point.budget, measure, "largest_drop", agreement.drop, tag
    for figure in ("judged", "relevant", "holes"):
        yield None, "", figure, getattr(spec, figure), ""
    for effort in spec.efforts:
        yield None, "", f"judgments_to_{effort.percent}", effort.total, ""
        yield None, "", f"judgments_a_topic_to_{effort.percent}", effort.by_topic, ""
        yield None, "", f"topics_that_reach_{effort.percent}", effort.reached, ""


FORMATS = make_formats(build_simulation_report)
