"""A sample of pairs by how much each matters for the scores of the runs."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from poolbench.cards import Parameter
from poolbench.estimation.design import (
    CountedPart,
    compute_influence_sizes,
    count_part,
    divide_prior,
    draw_order,
    estimate_prior,
)
from poolbench.estimation.frame import PoolFrame
from poolbench.estimation.measures import (
    DEFAULT_MEASURES,
    FractionalMeasure,
    NoFractionError,
    find_fractional_measure,
)
from poolbench.estimation.planning import SampleForecast, forecast_samples
from poolbench.evaluation.measures.names import parse_measures
from poolbench.evaluation.options import ScoringOptions
from poolbench.pooling.candidates import Floats, Ints, Mask, RunListing
from poolbench.pooling.method import DocumentSample, PoolingMethod, Values
from poolbench.statistics.inclusion import inclusion_probabilities

MOST_GRADES = 100
"""Stands for any scale where a measure is only looked up."""


def list_frame(listing: RunListing) -> PoolFrame:
    topics = np.repeat(np.arange(len(listing)), np.diff(listing.entries))
    segment = listing.run * len(listing) + topics
    order = np.argsort(segment, kind="stable")  # ranks ascend in a run and topic already
    pair = listing.doc + listing.starts[topics]
    return PoolFrame(
        runs=listing.runs,
        topics=listing.topics,
        starts=listing.starts,
        docnos=listing.docnos,
        pair=pair[order],
        rank=listing.rank[order],
        segment=segment[order],
    )


def choose_measures(values: Values) -> dict[str, FractionalMeasure]:
    """The measures of a step by name, at its level and on its scale."""
    options, top = ScoringOptions(level=values["level"]), max(values["level"], values["top"])
    measures = parse_measures(list_measure_names(values))
    return {each.name: find_fractional_measure(each, options, top) for each in measures}


def list_measure_names(values: Values) -> tuple[str, ...]:
    """The names of the measures that a sample is drawn for."""
    return tuple(each.name for each in parse_measures(values["measures"] or DEFAULT_MEASURES))


class InfluencePlan(NamedTuple):
    """``frame``: all pairs that can be drawn; ``steps``: their chances of each step before anybody
    judges; ``sizes``: their z; ``order``: in which they are drawn.
    """

    frame: PoolFrame
    steps: Floats
    sizes: Floats
    order: Ints

    def compute_probabilities(self, number: int) -> Floats:
        """π of each pair in a sample of ``number``."""
        return inclusion_probabilities(self.sizes, min(number, len(self.sizes)))

    def count_part(self, number: int, ended: Mapping[str, int]) -> CountedPart:
        """The first ``number`` drawn, of ``ended`` topics so many."""
        return count_part(self.frame, self.sizes, self.order, number, ended)


def plan_sample(listing: RunListing, values: Values) -> InfluencePlan:
    """What decides the sample of a step, whatever its number."""
    frame = list_frame(listing)
    level, top = values["level"], max(values["level"], values["top"])
    prior = estimate_prior(frame, listing.machine_grades, top)
    steps = divide_prior(prior, top, level)
    measures = list(choose_measures(values).values())
    sizes = compute_influence_sizes(frame, prior, steps, measures)
    return InfluencePlan(frame, steps, sizes, draw_order(frame, sizes, listing.seed))


def forecast_plan(
    plan: InfluencePlan, values: Values, numbers: Iterable[int]
) -> tuple[SampleForecast, ...]:
    """What samples of these ``numbers`` would tell."""
    measures = choose_measures(values)
    return forecast_samples(plan.frame, plan.steps, plan.sizes, measures, values["level"], numbers)


def draw_by_influence(listing: RunListing, values: Values) -> list[DocumentSample]:
    """By topic; frames are in the order in which pairs are drawn."""
    plan = plan_sample(listing, values)
    is_drawn = np.zeros(len(plan.sizes), bool)
    is_drawn[plan.order[: values["number"]]] = True
    probabilities = plan.compute_probabilities(values["number"])
    return _split(plan.frame, plan.order, is_drawn, probabilities)


def _split(
    frame: PoolFrame, order: Ints, is_drawn: Mask, probability: Floats
) -> list[DocumentSample]:
    """The parts of each topic, in the ``order`` of all."""
    by_topic = order[np.argsort(frame.topic_index[order], kind="stable")]
    samples = []
    for first, end in zip(frame.starts[:-1].tolist(), frame.starts[1:].tolist(), strict=True):
        own = by_topic[first:end]
        strata = np.zeros(len(own), np.int64)
        samples.append(DocumentSample(own - first, strata, probability[own], is_drawn[own]))
    return samples


def list_estimated(names: Sequence[str], options: ScoringOptions, top: int) -> list[str]:
    """Those of ``names``, of measures, that have estimates on a scale up to ``top``."""
    chosen = list[str]()
    for name in names:
        (measure,) = parse_measures([name])
        try:
            find_fractional_measure(measure, options, top)
        except NoFractionError:
            continue
        chosen.append(name)
    return chosen


def is_measure_list(value: Any) -> bool:
    """Whether ``value`` lists measures that have an estimate, of at least one name."""
    if not isinstance(value, Sequence) or isinstance(value, str) or not value:
        return False
    try:
        for measure in parse_measures(value):
            find_fractional_measure(measure, ScoringOptions(), MOST_GRADES)
    except (ValueError, AttributeError):
        return False
    return True


METHOD = PoolingMethod(
    name="influence",
    title="Sample by influence",
    formula="z(d) = 0.8 · x(d) / mean x + 0.2, x(d) = √(Σ over measures m of Σ_r φ(m,r,d)² / "
    "Σ_d' Σ_r φ(m,r,d')²) · √(p (1 − p)), φ the derivative of a score by the chance that d is "
    "relevant, p that chance before anybody judges; π(d) = min(1, c · z(d)), Σ π = number",
    reading="Pairs on which the scores of many runs depend are judged more likely than others, so "
    "that all scores can be estimated from few judgments, with intervals.",
    source="Cochran, Sampling Techniques, 1977 (probabilities in proportion to size); Ohlsson, "
    "Journal of Official Statistics 14(2), 1998 (sequential Poisson sampling). The derivatives are "
    "ours: docs/estimates.md.",
    range="0 to 1",
    parameters=(
        Parameter("number", "Judgments in all topics together.", kind="whole"),
        Parameter(
            "measures",
            "The measures that the sample is drawn for, which are those that get intervals. "
            "Default: P_10, map, bpref and ndcg_cut_10.",
            kind="measures",
            optional=True,
        ),
        Parameter("level", "The lowest relevant grade.", "1", kind="whole"),
        Parameter("top", "The highest grade of the scale.", "1", kind="whole"),
        Parameter(
            "machine",
            "The automatic assessor whose grades say how likely pairs are relevant before people "
            "judge: 0.1 to 0.7 from the lowest grade to the highest. Default: none, by ranks. Pairs"
            " without its grade, and pools without its grades, go by ranks.",
            kind="name",
            optional=True,
        ),
    ),
    edge_cases=(
        "The frame is all documents down to the cut-off; the step is the only one of its spec.",
        (
            "Pairs are drawn from all topics together, the n smallest u / z with u a seeded number "
            "from 0 to 1: a sample of more judgments contains that of fewer."
        ),
        "Every pair of the frame has z of at least 0.2, so no weight 1 / π is extreme.",
        "A number above the pairs of the frame takes all, with probability 1.",
    ),
    draw=draw_by_influence,
)
