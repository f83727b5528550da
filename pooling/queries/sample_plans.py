"""Samples by influence: what one would tell, for the preview, and how far one is judged."""

from dataclasses import dataclass

import numpy as np

from poolbench.estimation.design import count_complete
from poolbench.estimation.planning import SampleForecast
from poolbench.pooling.candidates import RunListing
from poolbench.pooling.methods.influence import choose_measures, forecast_plan, plan_sample
from poolbench.pooling.spec import PoolSpec
from pooling.models import Pool
from pooling.queries.frozen_pools import frozen_spec, load_sample_plan
from pooling.queries.pools import judged_pair_set

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
    """``forecasts`` by number, of which ``forecast`` is that of the spec; ``names``: the measures.
    ``widest``: the runs with the widest intervals, (tag, mean half-width over the measures).
    """

    pairs: int
    names: tuple[str, ...]
    forecasts: tuple[SampleForecast, ...]
    forecast: SampleForecast
    choices: tuple[MeasureChoice, ...]
    widest: tuple[tuple[str, float], ...]
    mean_width: float
    machine: str

    @property
    def smallest(self) -> SampleForecast:
        return self.forecasts[0]

    @property
    def least_of_topic(self) -> float:
        """The smallest number of judgments expected of a topic."""
        return min(self.forecast.by_topic)

    @property
    def most_of_topic(self) -> float:
        """The largest."""
        return max(self.forecast.by_topic)

    @property
    def topics_pay(self) -> int:
        """Of how many measures more topics narrow the interval more than more judgments."""
        return sum(each.topics_pay for each in self.choices)


@dataclass(frozen=True)
class FrozenSample:
    """``number`` of ``pairs`` were drawn, ``certain`` of them for sure, for ``measures``. The first
    ``complete`` in the order of drawing are judged, from which scores are estimated.
    """

    number: int
    pairs: int
    certain: int
    complete: int
    measures: tuple[str, ...]
    machine: str


def describe_sample(pool: Pool) -> FrozenSample:
    """The sample of a ``pool`` drawn by influence, and how far it is judged."""
    plan, number = load_sample_plan(pool)
    frame, judged = plan.frame, judged_pair_set(pool.campaign)
    drawn = plan.order[:number]
    done = np.zeros(len(plan.order), bool)
    done[drawn] = [
        (frame.topics[topic], frame.docnos[pair]) in judged
        for topic, pair in zip(frame.topic_index[drawn].tolist(), drawn.tolist(), strict=True)
    ]
    (step,) = frozen_spec(pool).steps
    return FrozenSample(
        number=number,
        pairs=len(plan.order),
        certain=int((plan.compute_probabilities(number) >= 1).sum()),
        complete=count_complete(drawn, done),
        measures=tuple(choose_measures(step.values)),
        machine=pool.spec.get("machine", {}).get("name", ""),
    )


def plan_spec_sample(listing: RunListing | None, spec: PoolSpec) -> SamplePlan | None:
    """The plan of a ``spec`` that samples by influence; None for others."""
    step = next((each for each in spec.steps if each.method.draw is not None), None)
    if step is None or not listing:
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
        forecast=chosen,
        choices=choices,
        widest=tuple(ordered[:WIDEST]),
        mean_width=sum(widths) / max(len(widths), 1),
        machine="" if listing.machine_grades is None else spec.machine,
    )
