"""A simulation as one self-contained HTML file of charts and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from django.template.loader import render_to_string

from common.charts.chart import Chart
from common.charts.kinds import PlotValue
from evaluation.views.charts.judgments import build_judgments_chart, judgments_value
from reliability.core.simulation.formats import (
    DROP_NOTE,
    HOLES_NOTE,
    ORDER_NOTE,
    Rows,
    discovery_rows,
    effort_rows,
    format_simulation_facts,
    ranking_rows,
    spec_rows,
)
from reliability.core.simulation.report import BudgetPoint, SeedRange, Simulation, SpecResult
from reliability.standalone_html import build_standalone_html

TITLE = "Pool simulation"


def simulation_to_html(simulation: Simulation, subject: str = "") -> str:
    """The whole simulation with charts. ``subject`` names the campaign and the judgments."""
    lines = [
        *filter(None, [subject]),
        format_simulation_facts(simulation.facts),
        ORDER_NOTE,
        HOLES_NOTE,
        DROP_NOTE,
    ]
    body = render_to_string(
        "reliability/simulation/report.html",
        {
            "title": TITLE,
            "notes": lines,
            "specs": table_context("Specs", spec_rows(simulation)),
            "charts": [*iter_charts(simulation)],
            "tables": [*iter_tables(simulation)],
        },
    )
    return build_standalone_html(TITLE, body)


def iter_charts(simulation: Simulation) -> Iterator[Chart]:
    """Relevant documents found; then, by measure, the taus and the largest drop."""
    found = "found", "Relevant documents found", "relevant"
    yield simulation_chart(simulation, found, lambda point: point.relevant)
    for name in simulation.measures:
        tau_ap = simulation.facts.tau_ap[name]
        for part, quantity, title in (
            ("tau_b", "tau-b", "tau-b of the ranking of all runs"),
            ("tau_ap", tau_ap, f"{tau_ap} of the ranking of all runs"),
            ("drop", "ranks", "largest drop of a run, in ranks"),
        ):
            head = f"{name}-{part}", f"{name}: {title}", quantity
            yield simulation_chart(simulation, head, ranking_part(name, part))


def ranking_part(measure: str, part: str) -> Callable[[BudgetPoint], SeedRange]:
    """A function that reads that part of the ranking by a measure."""

    def read(point: BudgetPoint) -> SeedRange:
        value: SeedRange = getattr(point.rankings[measure], part)
        return value

    return read


def simulation_chart(
    simulation: Simulation,
    head: tuple[str, str, str],
    quantity: Callable[[BudgetPoint], SeedRange],
) -> Chart:
    """One line per spec; ``head`` is name, title and axis. Undefined values have no mark."""
    series = [(spec.name, spec_values(spec, quantity)) for spec in simulation.specs]
    return build_judgments_chart(*head, series)


def spec_values(spec: SpecResult, quantity: Callable[[BudgetPoint], SeedRange]) -> list[PlotValue]:
    """One value per number of judgments: a completed spec stays at its last point."""
    values: dict[float, PlotValue] = {}
    for point in spec.points:
        value, spent = quantity(point), point.spent.mean
        if spent is None or value.mean is None or value.low is None or value.high is None:
            continue
        values[spent] = judgments_value(spent, spec.name, value.mean, value.low, value.high)
    return list(values.values())


def iter_tables(simulation: Simulation) -> Iterator[dict[str, Any]]:
    yield table_context("Relevant documents found by budget", discovery_rows(simulation))
    yield table_context(
        "Judgments needed for a share of the known relevant documents", effort_rows(simulation)
    )
    for name in simulation.measures:
        yield table_context(f"Ranking of all runs by {name}", ranking_rows(simulation, name))


def table_context(title: str, rows: Rows) -> dict[str, Any]:
    return {"title": title, "head": rows[0], "rows": rows[1:]}
