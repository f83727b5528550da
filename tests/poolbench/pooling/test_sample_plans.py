"""``pb.plan_estimates``: forecasts by number and measure, and the pairs of a sample."""

import numpy as np
import pytest

import poolbench as pb
from poolbench.estimation.measures import NoFractionError
from poolbench.pooling.spec import sessions_by_spec
from poolbench.pooling.spec_file import read_spec
from poolbench.runs.inputs import read_qrels_table, read_runs

TOPICS = ["1", "2", "3"]
RUNS = {
    f"r{shift}": {
        topic: {f"d{(n * (1 + shift) + int(topic)) % 11}": -float(n) for n in range(8)}
        for topic in TOPICS
    }
    for shift in range(3)
}
MACHINE = {topic: {f"d{n}": int(n + int(topic)) % 3 for n in range(11)} for topic in TOPICS}


@pytest.fixture(scope="module")
def plan():
    return pb.plan_estimates(RUNS, [4, 0.5, 0.75], ["nDCG@5", "P@5"], depth=6)


def test_forecasts_come_by_number_in_the_order_and_spelling_of_the_request(plan):
    table, pairs = plan.to_frame(), len(plan.plan.sizes)
    assert table.measure.tolist() == ["nDCG@5", "P@5"] * 3
    assert table.number.tolist() == [4, 4, round(pairs / 2), round(pairs / 2), 22, 22]
    assert table.share.tolist() == pytest.approx((table.number / pairs).tolist())
    # Four judgments for three topics: no ratio has an interval.
    assert table.half_width.isna().tolist() == [True, False, False, False, False, False]
    precision = table[table.measure == "P@5"]
    assert (np.diff(precision.half_width) < 0).all()
    assert (precision.over_topics > precision.half_width).all()


def test_the_pairs_of_a_sample_are_those_of_the_pool_step():
    step = {"method": "influence", "number": 9, "measures": ["P@5"], "top": 2, "machine": "m"}
    spec = {"cutoff": 6, "seed": 2, "steps": [step]}
    plan = pb.plan_estimates(RUNS, 9, "P@5", depth=6, machine=MACHINE, seed=2)
    sample = plan.draw(9)
    assert sample.probability.sum() == pytest.approx(9)
    sessions = sessions_by_spec(read_spec(spec), read_runs(RUNS), read_qrels_table(MACHINE))
    wanted = {
        (each.candidates.topic, each.candidates.docnos[choice.doc])
        for each in sessions
        for choice in each.selected
    }
    drawn = sample[sample.drawn]
    assert set(zip(drawn.topic, drawn.docno, strict=True)) == wanted
    assert sample.drawn.tolist() == [True] * 9 + [False] * (len(sample) - 9)
    plain = pb.plan_estimates(RUNS, 9, "P@5", depth=6, seed=2).draw(9)
    assert set(plain.probability.round(6)) != set(sample.probability.round(6))


def test_a_longer_sample_has_the_pairs_of_a_shorter_first_and_grades_of_what_is_drawn(plan):
    short, long = plan.draw(5, MACHINE), plan.draw(12, MACHINE)
    assert short.docno.tolist() == long.docno.tolist()
    assert (short.grade >= 0).sum() == 5
    assert (plan.draw(5).grade == -1).all()
    for topic, docno, grade in long[long.drawn][["topic", "docno", "grade"]].itertuples(
        index=False
    ):
        assert grade == MACHINE[topic][docno]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pb.plan_estimates(RUNS, 0), "a number from 1, or a share such as 0.1, not 0"),
        (lambda: pb.plan_estimates(RUNS, 1.5), "not 1.5"),
        (lambda: pb.plan_estimates(RUNS, depth=0), "the depth must be at least 1, not 0"),
        (lambda: pb.plan_estimates(RUNS).draw(1000), "a sample has 1 to 33 pairs, not 1000"),
    ],
)
def test_what_is_no_number_of_judgments_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_measure_without_an_estimate_is_refused():
    with pytest.raises(NoFractionError, match="err has no estimate from a sample"):
        pb.plan_estimates(RUNS, 5, "err")
