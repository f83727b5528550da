"""What a sample by influence would tell: its forecast, and that of others, for the preview."""

from __future__ import annotations

from dataclasses import dataclass

from poolbench.estimation.planning import SampleForecast
from poolbench.pooling.candidates import RunListing
from poolbench.pooling.methods.influence import choose_measures, forecast_plan, plan_sample
from poolbench.pooling.spec import PoolSpec

TIMES = (0.25, 0.5, 1, 2, 4)
"""The sizes shown, as multiples of the chosen one."""
WIDEST = 5


@dataclass(frozen=True)
class MeasureChoice:
    """For one measure, expected half-widths with topics as a sample too: as planned, with twice the
    judgments, and with the same judgments over twice the topics.
    """

    measure: str
    planned: float
    twice_judgments: float
    twice_topics: float

    @property
    def topics_pay(self) -> bool:
        return self.twice_topics < self.twice_judgments


@dataclass(frozen=True)
class SamplePlan:
    """``forecasts`` by number, of which ``chosen`` is that of the spec; ``names`` of the measures.
    ``widest``: the runs with the widest intervals, (tag, mean half-width over the measures).
    """

    pairs: int
    names: tuple[str, ...]
    forecasts: tuple[SampleForecast, ...]
    chosen: SampleForecast
    choices: tuple[MeasureChoice, ...]
    widest: tuple[tuple[str, float], ...]
    mean_width: float
    machine: str

    @property
    def by_topic(self) -> tuple[float, float]:
        """The smallest and the largest number of judgments expected of a topic."""
        return min(self.chosen.by_topic), max(self.chosen.by_topic)

    @property
    def topics_pay(self) -> int:
        """Of how many measures more topics narrow the interval more than more judgments."""
        return sum(each.topics_pay for each in self.choices)


def plan_spec_sample(listing: RunListing, spec: PoolSpec) -> SamplePlan | None:
    """The plan of a ``spec`` that samples by influence; None for others."""
    step = next((each for each in spec.steps if each.method.draw is not None), None)
    if step is None or not len(listing):
        return None
    plan = plan_sample(listing, step.values)
    number = min(step.values["number"], len(plan.sizes))
    forecasts = forecast_plan(plan, step.values, [round(times * number) for times in TIMES])
    chosen = next(each for each in forecasts if each.number == number)
    twice = next((each for each in forecasts if each.number >= 2 * number), forecasts[-1])
    names = tuple(choose_measures(step.values))
    widths = [
        sum(each.by_run[at] for each in chosen.measures) / len(chosen.measures)
        for at in range(len(listing.runs))
    ]
    ordered = sorted(zip(listing.runs, widths, strict=True), key=lambda row: (-row[1], row[0]))
    choices = tuple(
        MeasureChoice(name, own.over_topics, more.over_topics, own.twice_topics)
        for name, own, more in zip(names, chosen.measures, twice.measures, strict=True)
        if own.over_topics is not None
        and own.twice_topics is not None
        and more.over_topics is not None
    )
    return SamplePlan(
        pairs=len(plan.sizes),
        names=names,
        forecasts=forecasts,
        chosen=chosen,
        choices=choices,
        widest=tuple(ordered[:WIDEST]),
        mean_width=sum(widths) / max(len(widths), 1),
        machine="" if listing.machine_grades is None else spec.machine,
    )
