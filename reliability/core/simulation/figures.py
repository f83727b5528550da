"""The charts of a simulation: one line per spec over the number of judgments."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from common.charts.kinds import PlotValue
from common.report.figures import make_figure
from common.report.report import Figure
from reliability.core.judgments_chart import build_judgments_chart, judgments_value
from reliability.core.simulation.report import BudgetPoint, SeedRange, Simulation, SpecResult

Quantity = Callable[[BudgetPoint], SeedRange]


def draw_discovery_figure(simulation: Simulation) -> Iterator[Figure]:
    """Relevant documents found."""
    head = "found", "Relevant documents found", "relevant"
    yield draw_simulation_figure(simulation, head, lambda point: point.relevant)


def draw_ranking_figures(simulation: Simulation, measure: str) -> Iterator[Figure]:
    """The taus and the largest drop."""
    tau_ap = simulation.facts.tau_ap[measure]
    quantities: dict[tuple[str, str], Quantity] = {
        ("tau-b of the ranking of all runs", "tau-b"): lambda point: point.rankings[measure].tau_b,
        (f"{tau_ap} of the ranking of all runs", tau_ap): lambda point: (
            point.rankings[measure].tau_ap
        ),
        ("largest drop of a run, in ranks", "ranks"): lambda point: point.rankings[measure].drop,
    }
    for number, ((title, axis), quantity) in enumerate(quantities.items(), 1):
        head = f"{measure}-{number}", f"{measure}: {title}", axis
        yield draw_simulation_figure(simulation, head, quantity)


def draw_simulation_figure(
    simulation: Simulation, head: tuple[str, str, str], quantity: Quantity
) -> Figure:
    """``head`` is the name of the chart, its title, and the name of its vertical axis."""
    series = [(spec.name, spec_values(spec, quantity)) for spec in simulation.specs]
    return make_figure(build_judgments_chart(*head, series))


def spec_values(spec: SpecResult, quantity: Quantity) -> list[PlotValue]:
    """One value per number of judgments: a completed spec stays at its last point. Undefined values
    have no mark.
    """
    values: dict[float, PlotValue] = {}
    for point in spec.points:
        value, spent = quantity(point), point.spent.mean
        if spent is None or value.mean is None or value.low is None or value.high is None:
            continue
        values[spent] = judgments_value(spent, spec.name, value.mean, value.low, value.high)
    return list(values.values())
