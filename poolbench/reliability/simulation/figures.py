"""The charts of a simulation: one line per spec over the number of judgments."""

from collections.abc import Callable, Iterator

from poolbench.charts.chart import Chart
from poolbench.charts.kinds import PlotValue
from poolbench.reliability.charts import build_judgments_chart, judgments_value
from poolbench.reliability.simulation.report import BudgetPoint, SeedRange, Simulation, SpecResult

Quantity = Callable[[BudgetPoint], SeedRange]


def iter_simulation_charts(simulation: Simulation, measure: str = "") -> Iterator[Chart]:
    """Relevant documents found; of a ``measure`` tau-b, tau_AP and the largest drop."""
    if not measure:
        head = "found", "Relevant documents found", "relevant"
        yield build_simulation_chart(simulation, head, lambda point: point.relevant)
        return
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
        yield build_simulation_chart(simulation, head, quantity)


def build_simulation_chart(
    simulation: Simulation, head: tuple[str, str, str], quantity: Quantity
) -> Chart:
    """``head`` is the name of the chart, its title, and the name of its vertical axis."""
    series = [(spec.name, spec_values(spec, quantity)) for spec in simulation.specs]
    return build_judgments_chart(*head, series)


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
