"""Samples by influence: what they are drawn by, and what a planner forecasts of them."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from poolbench.estimation.design import (
    compute_influence_sizes,
    divide_prior,
    draw_order,
    estimate_prior,
)
from poolbench.estimation.frame import PoolFrame, build_pool_frame
from poolbench.estimation.measures import FractionalMeasure, find_fractional_measure
from poolbench.estimation.planning import RELEVANT, assume_chances, forecast_samples
from poolbench.estimation.report import QUANTILE, compute_estimates
from poolbench.estimation.sample import JudgedSample
from poolbench.evaluation.measures.names import parse_measures
from poolbench.evaluation.options import ScoringOptions
from poolbench.files.streams import read_bytes
from poolbench.pooling.methods.influence import choose_measures, forecast_plan, plan_sample
from poolbench.runs.qrels import read_qrels
from poolbench.runs.runs import read_run
from poolbench.statistics.inclusion import inclusion_probabilities
from tests.poolbench.pooling.toy import TOY, run, toy_listing

VALUES = {"number": 4, "measures": None, "level": 1, "top": 1}


def test_a_longer_sample_contains_the_shorter_one_and_certain_pairs_come_first() -> None:
    plan = plan_sample(toy_listing(), VALUES)
    assert sorted(plan.order) == list(range(len(plan.sizes)))
    for number in range(1, len(plan.sizes) + 1):
        pi = plan.compute_probabilities(number)
        assert pi.sum() == pytest.approx(number)
        assert (pi > 0).all()
    # The same seed, the same order; another seed, another one.
    again = plan_sample(toy_listing(), VALUES | {"number": 9})
    other = plan_sample(toy_listing(seed=1), VALUES)
    assert plan.order.tolist() == again.order.tolist() != other.order.tolist()


def test_machine_grades_give_the_chances_and_ranks_where_there_is_none() -> None:
    listing = toy_listing()
    grades = np.full(len(listing.docnos), -1)
    grades[0], grades[1] = 0, 2
    graded = plan_sample(replace(listing, machine_grades=grades), VALUES | {"top": 2})
    plain = plan_sample(listing, VALUES | {"top": 2})
    assert graded.steps[:2, 0].tolist() == [pytest.approx(0.1), pytest.approx(0.7)]
    assert np.array_equal(graded.steps[2:], plain.steps[2:])
    assert not np.array_equal(graded.sizes, plain.sizes)


def test_a_forecast_falls_with_judgments_and_is_nothing_for_the_whole_frame() -> None:
    plan = plan_sample(toy_listing(), VALUES)
    size = len(plan.sizes)
    forecasts = forecast_plan(plan, VALUES, [size + 5, 4, 8, 0])
    assert [each.number for each in forecasts] == [4, 8, size]
    for at, name in enumerate(choose_measures(VALUES)):
        halves = [each.measures[at].half_width for each in forecasts]
        assert forecasts[0].measures[at].measure == name
        assert halves[0] > halves[1] > halves[2] == 0
    assert forecasts[-1].certain == size
    assert [sum(each.by_topic) for each in forecasts] == pytest.approx([4, 8, size])
    # With everything judged, only topics err: twice as many have half the variance.
    last = forecasts[-1].measures[0]
    assert last.over_topics is not None
    assert last.twice_topics == pytest.approx(last.over_topics / 2**0.5)
    assert [each.has_ratios for each in forecasts] == [False, False, False]


def test_a_single_topic_has_no_error_of_topics() -> None:
    runs = [run(tag, {"1": topics["1"]}) for tag, topics in TOY.items()]
    plan = plan_sample(toy_listing(runs=runs), VALUES)
    (forecast,) = forecast_plan(plan, VALUES, [3])
    assert {each.over_topics for each in forecast.measures} == {None}
    assert {each.twice_topics for each in forecast.measures} == {None}


def test_assumed_chances_are_rarer_and_further_apart() -> None:
    plan = plan_sample(toy_listing(), VALUES)
    chances = assume_chances(plan.frame, plan.steps, 1)
    assert chances[:, 0].mean() == pytest.approx(RELEVANT, abs=1e-6)
    odds = [np.log(each / (1 - each))[:, 0] for each in (chances, plan.steps)]
    assert odds[0].std() > 2 * odds[1].std()


Collection = tuple[PoolFrame, np.ndarray, int, int]


def load_collection(data_dir: Path, name: str) -> Collection:
    folder, qrels_name, runs_name, level, top = {
        "DL19": ("trec-dl19-passage", "qrels.dl19-passage.txt", "runs-top100", 2, 3),
        "COVID": ("trec-covid-r1", "qrels-covid-round1.txt", "runs-top50", 1, 2),
    }[name]
    paths = sorted((data_dir / folder / runs_name).iterdir())
    qrels = read_qrels(read_bytes(data_dir / folder / qrels_name))
    frame = build_pool_frame([read_run(read_bytes(path)) for path in paths], qrels)
    return frame, np.maximum(qrels.grades, 0), level, top


@pytest.mark.full
@pytest.mark.parametrize("name", ["DL19", "COVID"])
def test_half_widths_come_out_near_the_forecast(data_dir: Path, name: str) -> None:
    """Without a machine, from 5 to 40 %: .7 to 1.7 times, as docs/pooling.md says. 2 CPU seconds a
    collection.
    """
    frame, grades, level, top = load_collection(data_dir, name)
    names = parse_measures(["ndcg_cut_10", "map", "bpref", "P_10"])
    options = ScoringOptions(level=level)
    measures: dict[str, FractionalMeasure] = {
        each.name: find_fractional_measure(each, options, top) for each in names
    }
    prior = estimate_prior(frame, None, top)
    chances = divide_prior(prior, top, level)
    sizes = compute_influence_sizes(frame, prior, chances, list(measures.values()))
    steps = (grades[:, None] >= np.arange(1, top + 1)).astype(float)
    numbers = [round(share * len(sizes)) for share in (0.05, 0.1, 0.2, 0.4)]
    for forecast in forecast_samples(frame, chances, sizes, measures, level, numbers):
        judged = np.sort(draw_order(frame, sizes, 1)[: forecast.number])
        pi = inclusion_probabilities(sizes, forecast.number)
        sample = JudgedSample(frame, judged, steps[judged], pi)
        estimates = compute_estimates(sample, [], measures, 1).measures
        for each in forecast.measures:
            came = QUANTILE * estimates[each.measure].errors.mean()
            assert 0.65 < came / each.half_width < 1.9, (each.measure, forecast.number)
