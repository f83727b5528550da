"""A simulation as one HTML file that needs nothing else: pictures, and the tables under them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from django.template.loader import render_to_string

from evaluation.charts.lines import LineChart, PlotValue, build_judgments_chart, judgments_value
from evaluation.core.simulation.formats import (
    DROP_TOLD,
    HOLES_TOLD,
    ORDER_TOLD,
    Rows,
    discovery_rows,
    effort_rows,
    format_simulation_facts,
    ranking_rows,
    spec_rows,
)
from evaluation.core.simulation.report import BudgetPoint, SeedRange, Simulation, SpecResult
from evaluation.standalone_html import build_standalone_html

TITLE = "Pools simulated on a finished campaign"


def simulation_to_html(found: Simulation, on: str = "") -> str:
    """The whole simulation with pictures. ``on`` says which campaign, by which judgments."""
    told = [
        *filter(None, [on]),
        format_simulation_facts(found.facts),
        ORDER_TOLD,
        HOLES_TOLD,
        DROP_TOLD,
    ]
    body = render_to_string(
        "evaluation/simulation/report.html",
        {
            "title": TITLE,
            "told": told,
            "specs": table_context("The specs", spec_rows(found)),
            "figures": [*iter_figures(found)],
            "tables": [*iter_tables(found)],
        },
    )
    return build_standalone_html(TITLE, body)


def iter_figures(found: Simulation) -> Iterator[dict[str, Any]]:
    """Relevant documents found; then by measure the taus and the largest drop."""
    yield figure_context(found, "Relevant documents found", lambda point: point.relevant)
    for name in found.measures:
        tau_ap = found.facts.tau_ap[name]
        yield figure_context(
            found, f"{name}: tau-b of the ranking of all runs", ranking_part(name, "tau_b")
        )
        yield figure_context(
            found, f"{name}: {tau_ap} of the ranking of all runs", ranking_part(name, "tau_ap")
        )
        yield figure_context(
            found, f"{name}: largest drop of a run, in places", ranking_part(name, "drop")
        )


def ranking_part(measure: str, part: str) -> Callable[[BudgetPoint], SeedRange]:
    """What tells that part of the ranking by a measure."""

    def told(point: BudgetPoint) -> SeedRange:
        found: SeedRange = getattr(point.rankings[measure], part)
        return found

    return told


def figure_context(
    found: Simulation, title: str, figure: Callable[[BudgetPoint], SeedRange]
) -> dict[str, Any]:
    return {"title": title, "chart": simulation_chart(found, figure)}


def simulation_chart(found: Simulation, figure: Callable[[BudgetPoint], SeedRange]) -> LineChart:
    """A line a spec. What is undefined has no mark."""
    return build_judgments_chart([(spec.name, spec_values(spec, figure)) for spec in found.specs])


def spec_values(spec: SpecResult, figure: Callable[[BudgetPoint], SeedRange]) -> list[PlotValue]:
    """One value for each number of judgments: a spec that is done stays where it is."""
    found: dict[float, PlotValue] = {}
    for point in spec.points:
        value, spent = figure(point), point.spent.mean
        if spent is None or value.mean is None or value.low is None or value.high is None:
            continue
        found[spent] = judgments_value(spent, spec.name, value.mean, value.low, value.high)
    return list(found.values())


def iter_tables(found: Simulation) -> Iterator[dict[str, Any]]:
    yield table_context("What is found at each budget", discovery_rows(found))
    yield table_context(
        "Judgments until so many of the known relevant are found", effort_rows(found)
    )
    for name in found.measures:
        yield table_context(f"The ranking of all runs by {name}", ranking_rows(found, name))


def table_context(title: str, rows: Rows) -> dict[str, Any]:
    return {"title": title, "head": rows[0], "rows": rows[1:]}
