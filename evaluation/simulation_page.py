"""A simulation as one HTML file that needs nothing else: pictures, and the tables under them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from django.template.loader import render_to_string

from evaluation.charts.lines import LineChart, Value, after, judgments_chart
from evaluation.core.simulation.formats import (
    DROP_TOLD,
    HOLES_TOLD,
    ORDER_TOLD,
    Rows,
    effort_rows,
    facts_told,
    found_rows,
    ranking_rows,
    spec_rows,
)
from evaluation.core.simulation.report import Point, Range, Simulated, Simulation
from evaluation.report_file import whole_file

TITLE = "Pools simulated on a finished campaign"


def html_text(found: Simulation, on: str = "") -> str:
    """The whole simulation with pictures. ``on`` says which campaign, by which judgments."""
    told = [*filter(None, [on]), facts_told(found.facts), ORDER_TOLD, HOLES_TOLD, DROP_TOLD]
    body = render_to_string(
        "evaluation/simulation/report.html",
        {
            "title": TITLE,
            "told": told,
            "specs": table("The specs", spec_rows(found)),
            "figures": [*figures(found)],
            "tables": [*tables(found)],
        },
    )
    return whole_file(TITLE, body)


def figures(found: Simulation) -> Iterator[dict[str, Any]]:
    """Relevant documents found; then by measure the taus and the largest drop."""
    yield drawn(found, "Relevant documents found", lambda point: point.relevant)
    for name in found.measures:
        tau_ap = found.facts.tau_ap[name]
        yield drawn(found, f"{name}: tau-b of the ranking of all runs", of(name, "tau_b"))
        yield drawn(found, f"{name}: {tau_ap} of the ranking of all runs", of(name, "tau_ap"))
        yield drawn(found, f"{name}: largest drop of a run, in places", of(name, "drop"))


def of(measure: str, part: str) -> Callable[[Point], Range]:
    """What tells that part of the ranking by a measure."""

    def told(point: Point) -> Range:
        found: Range = getattr(point.rankings[measure], part)
        return found

    return told


def drawn(found: Simulation, title: str, figure: Callable[[Point], Range]) -> dict[str, Any]:
    return {"title": title, "chart": chart_of(found, figure)}


def chart_of(found: Simulation, figure: Callable[[Point], Range]) -> LineChart:
    """A line a spec. What is undefined has no mark."""
    return judgments_chart([(spec.name, values_of(spec, figure)) for spec in found.specs])


def values_of(spec: Simulated, figure: Callable[[Point], Range]) -> list[Value]:
    """One value for each number of judgments: a spec that is done stays where it is."""
    found: dict[float, Value] = {}
    for point in spec.points:
        value, spent = figure(point), point.spent.mean
        if spent is None or value.mean is None or value.low is None or value.high is None:
            continue
        found[spent] = after(spent, spec.name, value.mean, value.low, value.high)
    return list(found.values())


def tables(found: Simulation) -> Iterator[dict[str, Any]]:
    yield table("What is found at each budget", found_rows(found))
    yield table("Judgments until so many of the known relevant are found", effort_rows(found))
    for name in found.measures:
        yield table(f"The ranking of all runs by {name}", ranking_rows(found, name))


def table(title: str, rows: Rows) -> dict[str, Any]:
    return {"title": title, "head": rows[0], "rows": rows[1:]}
