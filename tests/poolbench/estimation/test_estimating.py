"""Estimates from the file of a sample: ``pb.estimate``."""

import numpy as np
import pandas as pd
import pytest

import poolbench as pb
from poolbench.estimation.estimate import NoFrameError
from poolbench.estimation.measures import NoFractionError
from poolbench.pooling.formats import FRAME_FORMATS, build_frame, fill_frame_grades
from poolbench.pooling.spec import sessions_by_spec
from poolbench.pooling.spec_file import read_spec
from poolbench.runs.inputs import read_qrels_table, read_runs
from poolbench.runs.sampled_qrels import read_prels

TOPICS = [str(number) for number in range(1, 11)]
GRADES = {
    topic: {f"d{n}": int((3 * n + int(topic)) % 5 < 2 and n < 25) for n in range(40)}
    for topic in TOPICS
}


def make_run(shift: int) -> dict[str, dict[str, float]]:
    order = {f"d{n}": float(40 - (n * (1 + shift) + shift) % 41) for n in range(40)}
    return dict.fromkeys(TOPICS, order)


RUNS = {f"r{shift}": make_run(shift) for shift in range(5)}


@pytest.fixture(scope="module")
def sample() -> bytes:
    spec = read_spec("steps: [{method: influence, number: 200}]\nseed: 3\n")
    frame = build_frame(sessions_by_spec(spec, read_runs(RUNS)))
    judged = fill_frame_grades(frame, read_qrels_table(GRADES))
    return FRAME_FORMATS["frame"](judged).encode()


def test_the_file_of_a_frame_has_all_pairs_with_their_probabilities(sample):
    read = read_prels(sample)
    assert len(read.qrels) == 400
    assert read.frame.sum() == pytest.approx(200)
    assert int((read.qrels.grades >= 0).sum()) == 200
    assert np.isnan(read.inclusion[read.qrels.grades < 0]).all()


def test_estimates_hold_what_full_judging_gives(sample):
    table = pb.estimate(RUNS, sample).to_frame()
    truth = pb.evaluate_runs(RUNS, GRADES, ["P_10", "map", "bpref", "ndcg_cut_10"]).to_frame()
    assert len(table) == 20
    held = [
        row.low <= truth.loc[row.run, row.measure] <= row.high
        for row in table.itertuples(index=False)
    ]
    assert sum(held) >= 18
    assert set(table.place) == {1, 2, 3, 4, 5}


def test_all_pairs_judged_are_plain_scores():
    lines = (f"{t} {d} {g} 1 1.0" for t, own in GRADES.items() for d, g in own.items())
    table = pb.estimate(RUNS, "\n".join(lines).encode() + b"\n", ["AP", "RBP"]).to_frame()
    truth = pb.evaluate_runs(RUNS, GRADES, ["AP", "RBP"]).to_frame()
    for row in table.itertuples(index=False):
        assert row.value == pytest.approx(truth.loc[row.run, row.measure], abs=1e-12)


def test_what_cannot_be_estimated_says_why(sample):
    with pytest.raises(NoFractionError, match="err has no estimate from a sample"):
        pb.estimate(RUNS, sample, "err")
    drawn = b"".join(line for line in sample.splitlines(keepends=True) if b" -1 " not in line)
    with pytest.raises(NoFrameError, match="use the file `frame` of the pool"):
        pb.estimate(RUNS, drawn)
    with pytest.raises(NoFrameError, match="no probability for 1 of 1 pairs"):
        pb.estimate(RUNS, {"1": {"d1": (None, 2.0)}})
    with pytest.raises(ValueError, match="the sample has no grades"):
        pb.estimate(RUNS, {"1": {"d1": (None, 1.0)}})
    with pytest.raises(ValueError, match="a grade of 3, above the scale's highest, 2"):
        pb.estimate(RUNS, {"1": {"d1": (3, 1.0)}}, top=2)
    with pytest.raises(NoFrameError, match="runs without any pair of the sample: far"):
        pb.estimate({**RUNS, "far": {"99": {"d1": 1.0}}}, sample)


def test_a_sample_is_the_same_from_a_file_a_dict_and_a_frame(sample):
    read = read_prels(sample)
    by_topic: dict[str, dict[str, tuple[int | None, float]]] = {}
    columns = zip(read.qrels.by_pair().items(), read.frame.tolist(), strict=True)
    for (topic, docno), grade, probability in ((*pair, p) for pair, p in columns):
        by_topic.setdefault(topic, {})[docno] = (grade if grade >= 0 else None, probability)
    rows = [(t, d, *own) for t, docs in by_topic.items() for d, own in docs.items()]
    table = pd.DataFrame(rows, columns=["qid", "docid", "rel", "pi"])
    wanted = pb.estimate(RUNS, sample).to_frame()
    for other in (by_topic, table, table.convert_dtypes(), read):
        pd.testing.assert_frame_equal(pb.estimate(RUNS, other).to_frame(), wanted)


def test_grades_of_pairs_that_were_not_drawn_do_not_count():
    plan = pb.plan_estimates(RUNS, 200, "P@10", depth=40)
    drawn, full = plan.draw(200, GRADES), plan.draw(400, GRADES)
    drawn = drawn.merge(full[["topic", "docno", "grade"]], on=["topic", "docno"])
    everything = drawn.drop(columns="grade_x").rename(columns={"grade_y": "grade"})
    assert (everything.grade >= 0).all()
    assert pb.estimate(RUNS, everything, "P@10").report.judged == 200
    with pytest.raises(NoFrameError, match="400 pairs are judged"):
        pb.estimate(RUNS, everything.drop(columns="drawn"), "P@10")


def test_drawn_pairs_without_a_grade_make_the_others_weigh_more():
    # By hand: a, b, c of four pairs were drawn with 3/4 each; b has no grade, so a and c stand for
    # four pairs with 1/2 each.
    sample = {"1": {"a": (1, 0.75), "b": (None, 0.75), "c": (0, 0.75), "d": (None, 0.75)}}
    found = pb.estimate({"x": {"1": {"a": 2.0, "b": 1.0}}}, sample, "P@2")
    assert (found.report.judged, found.report.skipped) == (2, 1)
    assert found.report.weights.largest == 2
    assert "without a grade: 1 of 3" in found["P@2"].why


def test_a_machine_by_grades_and_by_chances_narrows_intervals(sample):
    alone = pb.estimate(RUNS, sample, "P@10", machines=None)
    chances = {t: {d: [1 - g, g] for d, g in own.items()} for t, own in GRADES.items()}
    for machine in (GRADES, chances):
        one = pb.estimate(RUNS, sample, "P@10", machines=machine)
        assert one.report.machines == ("machine",)
        assert one.report.gain > 0.3
        assert (one.to_frame().high < alone.to_frame().high).sum() >= 4
    both = pb.estimate(RUNS, sample, "P@10", machines={"m": GRADES, "n": chances})
    assert both.report.machines == ("m", "n")


def test_runs_are_compared_by_the_intervals_of_differences(sample):
    found = pb.estimate(RUNS, sample, ["nDCG@10", "AP"])
    compared = found.compare("AP")
    assert compared.tags == tuple(RUNS)
    own = found.arrays.measures["map"]
    for row in compared.rows:
        estimate = found.difference(row.first, row.second, "AP")
        pair = [found.runs.index(tag) for tag in (row.first, row.second)]
        half = 1.96 * own.difference_errors[pair[0], pair[1]]
        assert estimate.value == row.difference
        assert estimate.high - estimate.value == pytest.approx(half)
        assert row.different == (estimate.low > 0 or estimate.high < 0)
    groups = found.to_frame().set_index(["measure", "run"]).group["AP"]
    for row in compared.rows:
        assert row.different == (not set(groups[row.first]) & set(groups[row.second]))
    assert found.chart("map").title == "AP: mean and 95 % interval by run"
    assert found["AP"] is found["map"]
    assert found.difference("r0", "r1") == found.difference("r0", "r1", "ndcg_cut_10")
